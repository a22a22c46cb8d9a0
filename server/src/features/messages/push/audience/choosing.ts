import { isObject } from '@pharos/query';
import { type Caller, seesAudiences } from '../../../../access/caller.ts';
import { isAllowed } from '../../../../access/roles.ts';
import { fail } from '../../../../base/errors.ts';
import type { Tag } from '../../../../http/endpoint.ts';
import { assertNotAskedBy, hiddenMembers } from '../../../../http/hidden-members.ts';
import { assertMayChooseBy } from '../../../../http/member-rules.ts';

/** Choosing the audience of a push reveals no more about installations than their list does. */

/**
 * @param audience a condition as JSON; null for everyone
 * @param hides what of installations some roles of administrators do not see
 * @throws Failure InvalidQuery
 */
export function assertMayAddress(caller: Caller, audience: string | null, hides: Tag['hides']): void {
  if (audience === null) return;
  const { role } = caller;
  if (hides && role && !isAllowed(role, hides.permission))
    assertNotAskedBy({ where: audience }, hiddenMembers(hides, caller.app));
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
