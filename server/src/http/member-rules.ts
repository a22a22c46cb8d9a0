import type { Caller } from '../access/caller.ts';
import { fail, type Problem } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { invalidQuery, refuseQuery } from '../query/problems.ts';
import { type Call, type Endpoint, OtherAnswer } from './endpoint.ts';
import { rulesFor } from './grants.ts';
import { orderedFields, whereFields, withoutMembers } from './hidden-members.ts';
import type { HandlerAnswer } from './mount-endpoints.ts';
import { sentence } from './shape.ts';
import { StreamAnswer } from './stream-answer.ts';

/**
 * Calls an endpoint under the rules for single members: hidden ones are not in its answer and cannot be asked by, as if
 * there were none, and what may not be written is refused. `body` is what was sent.
 *
 * @throws Failure InvalidQuery, ValidationError, PreconditionFailed
 */
export function handleByMembers(
  endpoint: Endpoint,
  call: Call<unknown, unknown>,
  body: unknown,
): Promise<HandlerAnswer> {
  const { grant } = endpoint;
  if (typeof grant === 'string') return endpoint.handle(call);
  const rules = rulesFor(grant, call.app.rules, call.params);
  if (!rules.hasMembers) return endpoint.handle(call);
  const hidden = rules.hiddenFrom(call);
  // What a bucket's document keeps is its own matter: it may be written as it is, and is kept where it is left out.
  if (grant.of !== 'bucket') assertFree([...hidden, ...rules.fixedFor(call)], body);
  return hidden.length === 0 ? endpoint.handle(call) : handleHiding(endpoint, call, hidden);
}

async function handleHiding(
  endpoint: Endpoint,
  call: Call<unknown, unknown>,
  hidden: readonly string[],
): Promise<HandlerAnswer> {
  assertNotAskedBy(call.query, hidden);
  // A tag is made of the whole record: whoever could compare it could guess what is hidden.
  const tag = call.headers['if-match'];
  if (endpoint.takesIfMatch && tag !== undefined && tag !== '*') throw fail('PreconditionFailed');
  const answer = await endpoint.handle(call);
  return answer instanceof StreamAnswer || answer instanceof OtherAnswer ? answer : withoutMembers(answer, hidden);
}

/** The same errors as for fields that there are not. */
function assertNotAskedBy(query: Call<unknown, unknown>['query'], hidden: readonly string[]): void {
  const isHidden = (field: string) => hidden.some((name) => field === name || field.startsWith(`${name}.`));
  const asked = whereFields(query).filter(isHidden);
  if (asked.length > 0)
    throw invalidQuery(asked.map((field) => ({ field, problem: 'is not a field that can be asked for' })));
  const ordered = orderedFields(query).find(isHidden);
  if (ordered !== undefined)
    throw refuseQuery('order', `names ${JSON.stringify(ordered)}, which is not a field of this list`);
}

function assertFree(fixed: readonly string[], body: unknown): void {
  if (!isObject(body)) return;
  const sent = fixed.filter((name) => Object.hasOwn(body, name));
  if (sent.length === 0) return;
  const details: Problem[] = [...new Set(sent)].map((field) => ({ field, problem: 'cannot be written by you' }));
  throw fail('ValidationError', { message: sentence(details), details });
}

/** A record as a caller may see it who is told of it in another way than by an endpoint of its own. */
export function withoutHidden(
  record: Readonly<Record<string, unknown>>,
  rules: ReturnType<typeof rulesFor>,
  caller: Caller,
): Readonly<Record<string, unknown>> {
  const hidden = rules.hasMembers ? rules.hiddenFrom(caller) : [];
  return hidden.length === 0
    ? record
    : Object.fromEntries(Object.entries(record).filter(([name]) => !hidden.includes(name)));
}
