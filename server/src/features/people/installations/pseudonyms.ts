import { periodsOf } from '../../../access/policy.ts';
import { type AppPseudonyms, findPseudonyms } from '../../../access/pseudonyms/pseudonyms.ts';
import { forgetDays } from '../../../access/pseudonyms/store.ts';
import { pseudonymDays } from '../../../access/pseudonyms/tables.ts';
import { BoundedMap } from '../../../base/caches/bounded-map.ts';
import type { Db } from '../../../db/db.ts';
import { Generations } from '../../../db/nodes/generations.ts';
import { showPhonesIn, strangersView } from '../../../resources/members/phone-view.ts';
import type { Context } from '../../context.ts';
import { type DomainEvent, tracesOfEvents } from '../../domain-event.ts';
import type { Services } from '../../services.ts';

/** With the handle of a transaction, unknown days are read in it. */
export type PseudonymsOf = (appId: string, db?: Db) => Promise<AppPseudonyms | undefined>;

const maxKept = 1_000;
const none = Symbol('none');

/** One for each app in this process, so that a new day is known everywhere at once. */
export function keptPseudonyms({ db: database, cacheVersion, findPolicy, findHeld }: Services): PseudonymsOf {
  const known = new BoundedMap<string, AppPseudonyms | typeof none>(maxKept);
  const generations = new Generations();
  cacheVersion.onChange((appId) => {
    generations.drop(appId);
    if (appId === undefined) known.clear();
    else known.delete(appId);
  });
  return async (appId, db = database) => {
    const kept = known.get(appId);
    if (kept !== undefined) return kept === none ? undefined : kept;
    const before = generations.of(appId);
    const timeZone = (await findPolicy(appId, db))?.timeZone ?? 'UTC';
    const found = await findPseudonyms(db, appId, { findHeld, timeZone });
    if (before === generations.of(appId)) known.set(appId, found ?? none);
    return found;
  };
}

/** An event as strangers are shown it. */
export const concealing =
  ({ pseudonymsOf, tableOfRules }: Context) =>
  async (db: Db, appId: string, events: readonly DomainEvent[]): Promise<readonly DomainEvent[]> => {
    const pseudonyms = await pseudonymsOf(appId, db);
    if (!pseudonyms) return events;
    const view = strangersView(pseudonyms);
    const named: DomainEvent[] = [];
    for (const event of events) {
      const table = tableOfRules(tracesOfEvents[event.type.split('.')[0] ?? '']);
      named.push(table ? { ...event, data: await showPhonesIn(db, table, event.data, view) } : event);
    }
    return named;
  };

const dayMs = 86_400_000;
/** Late samples have the time from a day before them calculated again. */
const daysBack = [0, 1, 2, 3];

interface Sensed {
  readonly appId: string;
  readonly installationId: string;
  /** When something was sensed (ms), beside the last days. */
  readonly times: readonly number[];
  readonly now: number;
}

/** What ids are derived from: for an unknown day (which does not occur in practice) today's. */
export const seeding =
  ({ pseudonymsOf }: Context) =>
  async (db: Db, { appId, installationId, times, now }: Sensed) => {
    const pseudonyms = await pseudonymsOf(appId, db);
    if (!pseudonyms) return undefined;
    const days = [...daysBack.map((days) => now - days * dayMs), ...times.flatMap((at) => [at, at - dayMs])];
    const naming = await pseudonyms.prepare(db, days);
    return (at: number) => {
      if (!pseudonyms.covers(at)) return installationId;
      const day = naming.dayAt(at) ?? naming.dayAt(now);
      return day ? day.names.seedOf(installationId) : installationId;
    };
  };

/** Days beyond the longest period in which what is recorded may still be corrected. */
const marginDays = 4;

/** Deletes the secrets of days from which nothing is kept, so that nobody can link their pseudonyms to a phone. */
export async function forgetPseudonyms({ db, now, appsWith, listApps, policyOf }: Services): Promise<void> {
  const named = new Set(await appsWith(pseudonymDays));
  for (const app of await listApps(db)) {
    if (!named.has(app.app_id)) continue;
    const { deliveries, positions, visits, events, logs } = periodsOf(policyOf(app));
    const days = Math.max(deliveries, positions, visits, events, logs) + marginDays;
    await forgetDays(db, app.app_id, now() - days * dayMs);
  }
}
