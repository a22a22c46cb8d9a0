import { type Caller, seesAudiences } from '../../../access/caller.ts';
import { fail } from '../../../base/errors.ts';
import { isObject } from '../../../base/is-object.ts';
import { assertMayChooseBy } from '../../../http/member-rules.ts';

/** Choosing the audience of a push reveals no more about installations than their list does. */

/**
 * @param audience a condition as JSON; null for everyone
 * @throws Failure InvalidQuery
 */
export function assertMayAddress(caller: Caller, audience: string | null): void {
  if (audience === null) return;
  const where: unknown = JSON.parse(audience);
  assertMayChooseBy(where, caller.app.rules.of('installations'), caller);
  if (!seesAudiences(caller)) assertWholeIds(where);
}

const ids: ReadonlySet<string> = new Set(['installationId', 'objectId']);

/** Somebody who knows an id may address it. A pattern or a range would find unknown ids. */
function assertWholeIds(where: unknown): void {
  if (Array.isArray(where)) for (const part of where) assertWholeIds(part);
  if (!isObject(where)) return;
  for (const [field, asked] of Object.entries(where)) {
    if (field.startsWith('$')) assertWholeIds(asked);
    else if (ids.has(field) && isObject(asked) && Object.keys(asked).some((operator) => operator !== '$in'))
      throw fail('InvalidQuery', {
        message: `${field} can only be compared with whole ids: {"${field}": "…"} or $in.`,
        details: [{ field, problem: 'takes a whole id or $in, unless a manager asks' }],
      });
  }
}
