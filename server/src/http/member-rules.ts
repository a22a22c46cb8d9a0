import { isObject, QueryError, refuseQuery } from '@pharos/query';
import type { Caller } from '../access/caller.ts';
import { fail, type Problem } from '../base/errors.ts';
import { type Call, type Endpoint, OtherAnswer } from './endpoint.ts';
import { rulesFor } from './grants.ts';
import { fieldsOf, orderedFields, whereFields, withoutMembers } from './hidden-members.ts';
import type { HandlerAnswer } from './mount-endpoints.ts';
import { sentence } from './shape.ts';
import { StreamAnswer } from './streams/stream-answer.ts';

/**
 * Calls an endpoint under the rules for single members: hidden ones are not in its answer and cannot be filtered by, as if they
 * did not exist, and read-only ones are refused. `body` is what was sent.
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
  if (grant.of !== 'bucket') assertFree([...hidden, ...rules.fixedFor(call)], sentIn(endpoint, body));
  return hidden.length === 0 ? endpoint.handle(call) : handleHiding(endpoint, call, hidden);
}

export function hiddenFrom({ grant }: Endpoint, call: Call<unknown, unknown>): readonly string[] {
  if (typeof grant === 'string') return [];
  const rules = rulesFor(grant, call.app.rules, call.params);
  return rules.hasMembers ? rules.hiddenFrom(call) : [];
}

async function handleHiding(
  endpoint: Endpoint,
  call: Call<unknown, unknown>,
  hidden: readonly string[],
): Promise<HandlerAnswer> {
  assertShown(whereFields(call.query), hidden);
  const ordered = orderedFields(call.query).find(isAmong(hidden));
  if (ordered !== undefined)
    throw refuseQuery('order', `names ${JSON.stringify(ordered)}, which is not a field of this list`);
  // A tag is derived from the whole record: a caller who could compare it could guess what is hidden.
  const tag = call.headers['if-match'];
  if (endpoint.takesIfMatch && tag !== undefined && tag !== '*') throw fail('PreconditionFailed');
  const answer = await endpoint.handle(call);
  return answer instanceof StreamAnswer || answer instanceof OtherAnswer ? answer : withoutMembers(answer, hidden);
}

const isAmong = (hidden: readonly string[]) => (field: string) =>
  hidden.some((name) => field === name || field.startsWith(`${name}.`));

/** Hidden fields get the errors of fields that do not exist. */
function assertShown(fields: readonly string[], hidden: readonly string[]): void {
  const asked = fields.filter(isAmong(hidden));
  if (asked.length > 0)
    throw new QueryError(asked.map((field) => ({ field, problem: 'is not a field that can be asked for' })));
}

/**
 * Refuses a condition on members of other records that are hidden from a caller who does not list them, but chooses among them.
 *
 * @throws Failure InvalidQuery
 */
export function assertMayChooseBy(where: unknown, rules: ReturnType<typeof rulesFor>, caller: Caller): void {
  if (rules.hasMembers) assertShown(fieldsOf(where), rules.hiddenFrom(caller));
}

const sentIn = ({ writes = [] }: Pick<Endpoint, 'writes'>, body: unknown): readonly string[] => [
  ...writes,
  ...(isObject(body) ? Object.keys(body) : []),
];

function assertFree(fixed: readonly string[], names: readonly string[]): void {
  const sent = fixed.filter((name) => names.includes(name));
  if (sent.length === 0) return;
  const details: Problem[] = [...new Set(sent)].map((field) => ({ field, problem: 'cannot be written by you' }));
  throw fail('ValidationError', { message: sentence(details), details });
}

/** A record as a caller may see it who gets it by another way than its own endpoint. */
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
