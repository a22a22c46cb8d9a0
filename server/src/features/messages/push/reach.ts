import { parseWhere, whereToSql } from '@pharos/query';
import { type Static, Type } from 'typebox';
import { type Sql, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { notSetUp } from '../../../delivery/push/not-set-up.ts';
import { type PushSenderKind, type PushTarget, pushSenderKinds } from '../../../delivery/push/push-sender.ts';
import { routeOf } from '../../../delivery/push/route.ts';
import { fieldsOf } from '../../../http/hidden-members.ts';
import type { Context } from '../../context.ts';
import { providerNames, type UsableSenders } from './deliver.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Whom a push would reach if it were sent now. */
export const reachRecord = Type.Object({
  senders: count('Push services that are set up and usable'),
  installations: count('All that match'),
  reachable: count('Those that a push service can be asked to reach'),
  channels: Type.Array(
    Type.Object({
      sender: Type.Enum([...pushSenderKinds]),
      name: Type.String(),
      count: Type.Integer(),
    }),
    { description: 'By push service, the commonest first' },
  ),
  unreachable: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() }), {
    description: 'Why the others are not reached, the commonest first',
  }),
});
type PushReach = Static<typeof reachRecord>;

export interface ReachDeps extends Pick<Context, 'audienceFields' | 'countRoutes'> {
  readonly db: Db;
  readonly findSenders: (appId: string) => Promise<UsableSenders>;
}

/** Installations that are reached, or not reached, for the same reason. */
interface RouteCount {
  readonly deviceType: PushTarget['deviceType'];
  readonly pushType: string | null;
  readonly token: 'none' | 'dead' | 'alive';
  readonly count: number;
}

/**
 * Counts in the database, by the members that decide how an installation is reached.
 *
 * @throws Failure InvalidQuery for a malformed condition, Timeout
 */
export async function readReach(deps: ReachDeps, appId: string, where: string | undefined): Promise<PushReach> {
  const condition = where === undefined ? undefined : audienceOf(where, deps);
  return summed(await deps.countRoutes(deps.db, appId, condition), await deps.findSenders(appId));
}

/** A phone is addressed by its ids; one that has not shown that it is this phone is not meant. */
const names: ReadonlySet<string> = new Set(['installationId', 'objectId']);

/** The condition on installations that a push's audience stands for. @throws Failure InvalidQuery */
export function audienceOf(where: string, { db, audienceFields }: Pick<ReachDeps, 'db' | 'audienceFields'>): Sql {
  const condition = whereToSql(parseWhere(where, audienceFields), db.dialect.where);
  return fieldsOf(JSON.parse(where)).some((field) => names.has(field)) ? sql`${condition} and unproven = 0` : condition;
}

function summed(groups: readonly RouteCount[], senders: UsableSenders): PushReach {
  const channels = new Map<PushSenderKind, number>();
  const reasons = new Map<string, number>();
  for (const group of groups) {
    const way = wayTo(group, senders);
    if ('kind' in way) channels.set(way.kind, (channels.get(way.kind) ?? 0) + group.count);
    else reasons.set(way.problem, (reasons.get(way.problem) ?? 0) + group.count);
  }
  const reached = commonestFirst(channels);
  const total = (counts: ReadonlyMap<unknown, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0);
  const isUsable = ([kind, found]: readonly [PushSenderKind, object]) => kind !== 'mqtt' && 'sender' in found;
  return {
    senders: [...senders].filter(isUsable).length,
    installations: total(channels) + total(reasons),
    reachable: total(channels),
    channels: reached.map(([sender, count]) => ({ sender, name: providerNames[sender], count })),
    unreachable: commonestFirst(reasons).map(([reason, count]) => ({ reason, count })),
  };
}

const commonestFirst = <K>(counts: ReadonlyMap<K, number>) => [...counts].sort(([, a], [, b]) => b - a);

function wayTo({ deviceType, pushType, token }: RouteCount, senders: UsableSenders) {
  if (token === 'none') return { problem: 'The installation has no device token.' };
  if (token === 'dead') return { problem: 'The device token is dead.' };
  const route = routeOf(pushType, deviceType, (kind) => senders.has(kind));
  if ('problem' in route) return route;
  const found = senders.get(route.kind);
  if (!found) return { problem: notSetUp[route.kind] };
  return 'problem' in found ? found : route;
}
