import {
  type Firing,
  judgeEvents,
  localTime,
  newTrack,
  type PresenceEvent,
  type Rules,
  siteTimeZone,
  type Trigger,
  timePrefix,
  type Verdict,
} from '@pharos/engine';
import { appRules, historyMs } from '@pharos/engine/decide';
import { permissionsOf } from '../../../../access/consent.ts';
import type { AppPolicy } from '../../../../access/policy.ts';
import { listSql, sql } from '../../../../base/sql.ts';
import { WorkSlices } from '../../../../base/work-slices.ts';
import type { Db } from '../../../../db/db.ts';
import { rowsOf } from '../../../../db/statements/row-statements.ts';
import { GiveUp, type JobHandler, LeaseLost, RetryLater } from '../../../../jobs/job.ts';
import type { Context } from '../../../context.ts';
import { findBeaconsById } from '../site/site.ts';
import { type ReportedEventRow, toEvent } from '../traces/reported.ts';
import type { ReplayRow } from '../traces/tables.ts';
import { ruleReplays } from '../traces/tables.ts';

const ruleReplayRows = rowsOf<typeof ruleReplays, ReplayRow>(ruleReplays);
export const insertReplay = ruleReplayRows.insert;
export const findReplay = ruleReplayRows.find('app_id', 'object_id');

export async function countUnfinished(db: Db, appId: string): Promise<number> {
  const row = await db.one<{ n: number }>(
    sql`select count(*) as n from rule_replays where app_id = ${appId} and state in ('waiting', 'running')`,
  );
  return Number(row?.n ?? 0);
}

/** False when it was cancelled or has ended meanwhile. */
export async function saveProgress(db: Db, row: ReplayRow): Promise<boolean> {
  const changed = await db.run(sql`update rule_replays set state = ${row.state}, done_to = ${row.done_to},
    judged = ${row.judged}, installations = ${row.installations}, result = ${row.result}, updated_at = ${row.updated_at}
    where app_id = ${row.app_id} and object_id = ${row.object_id} and state in ('waiting', 'running')`);
  return changed > 0;
}

export async function endReplay(
  db: Db,
  {
    appId,
    objectId,
    state,
    now,
  }: {
    readonly appId: string;
    readonly objectId: string;
    readonly state: 'cancelled' | 'failed';
    readonly now: number;
  },
): Promise<void> {
  await db.run(sql`update rule_replays set state = ${state}, updated_at = ${now}
    where app_id = ${appId} and object_id = ${objectId} and state in ('waiting', 'running')`);
}

export interface SampleStretch {
  readonly appId: string;
  readonly ids: readonly string[];
  /** Epoch ms; the second is not included. */
  readonly from: number;
  readonly until: number;
}

/** Ids begin with the time at which an event was first reported; corrections move it by less than the kept samples reach. */
const correctedMs = 2 * 86_400_000;

const correctedRange = ({ from, until }: Pick<SampleStretch, 'from' | 'until'>) => ({
  from: timePrefix(from - correctedMs),
  until: timePrefix(until + correctedMs),
});

/** What happened to some installations, by installation and in order of time. */
export async function eventsOf(
  db: Db,
  { appId, ids, from, until }: SampleStretch,
): Promise<Map<string, PresenceEvent[]>> {
  const range = correctedRange({ from, until });
  const rows = await db.all<ReportedEventRow & { readonly installation_id: string }>(
    sql`select * from events where app_id = ${appId} and installation_id in (${listSql(ids)})
      and object_id >= ${range.from} and object_id < ${range.until} and occurred_at >= ${from} and occurred_at < ${until}
      order by occurred_at, object_id`,
    { tenant: appId },
  );
  const found = new Map<string, PresenceEvent[]>();
  for (const row of rows) {
    const events = found.get(row.installation_id) ?? [];
    found.set(row.installation_id, events);
    events.push(toEvent(row, row.installation_id));
  }
  return found;
}

/** What was shown to them then, except for one trigger. */
export async function shownTo(
  db: Db,
  { appId, ids, from, until }: SampleStretch,
  except: string,
): Promise<Map<string, Firing[]>> {
  const range = correctedRange({ from, until });
  const rows = await db.all<{ installation_id: string; trigger_id: string; visit_id: string; decided_at: number }>(
    sql`select installation_id, trigger_id, visit_id, decided_at from verdicts
      where app_id = ${appId} and installation_id in (${listSql(ids)}) and object_id >= ${range.from}
        and object_id < ${range.until} and outcome = 'fired' and trigger_id <> ${except}`,
    { tenant: appId },
  );
  const found = new Map<string, Firing[]>();
  for (const { installation_id, trigger_id, visit_id, decided_at } of rows) {
    const firings = found.get(installation_id) ?? [];
    found.set(installation_id, firings);
    firings.push({ triggerId: trigger_id, visitId: visit_id, at: decided_at });
  }
  return found;
}

/** How often they had been at these beacons before, by installation and beacon. */
export async function visitsBefore(
  db: Db,
  { appId, ids, from }: SampleStretch,
  beaconIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.all<{ installation_id: string; beacon_id: string; n: number }>(
    sql`select installation_id, beacon_id, count(*) as n from visits
      where app_id = ${appId} and installation_id in (${listSql(ids)}) and entered_at < ${from}
      group by installation_id, beacon_id`,
    { tenant: appId },
  );
  const wanted = new Set(beaconIds);
  return new Map(
    rows
      .filter(({ beacon_id }) => wanted.has(beacon_id))
      .map(({ installation_id, beacon_id, n }) => [`${installation_id} ${beacon_id}`, Number(n)]),
  );
}

/** One trigger, judged at everything that happened to one installation, as if each report had come at once. */

export interface PastOfInstallation {
  /** In order of time. */
  readonly events: readonly PresenceEvent[];
  readonly trigger: Trigger;
  /** What applies at a beacon besides the trigger. */
  readonly rulesAt: (beaconId: string) => Omit<Rules, 'triggers' | 'hasTarget' | 'timeToLive'>;
  /** What other messages were shown then: they count for caps and pauses of the app. */
  readonly shown: readonly Firing[];
  /** Visits at a beacon that were over before the first event. */
  readonly earlierVisits: (beaconId: string) => number;
  /** Until when everything is known, ms. */
  readonly until: number;
}

/** Final verdicts in order of time. */
export function judgePast({ events, trigger, rulesAt, shown, earlierVisits, until }: PastOfInstallation): Verdict[] {
  const beaconIds = new Set(trigger.beaconIds);
  const exits = new Map(events.filter(({ event }) => event === 'EXIT').map((event) => [event.visitId, event]));
  const { verdicts } = judgeEvents({
    events,
    waits: [],
    state: presentUntil(events, exits, until),
    exitOf: (visitId) => exits.get(visitId),
    isProvisional: () => false,
    knownUntil: until,
    now: until,
    rulesOf: (beaconId): Rules => ({
      ...rulesAt(beaconId),
      triggers: beaconIds.has(beaconId) ? [trigger] : [],
      hasTarget: true,
      // Each report came when it was made.
      timeToLive: Number.POSITIVE_INFINITY,
    }),
    fired: shown,
    earlierVisits,
  });
  return verdicts
    .map(({ verdict }) => verdict)
    .filter(({ outcome, event }) => outcome !== 'pending' && event === trigger.event);
}

/** A visitor who has not left stays until the end of what is known. */
function presentUntil(events: readonly PresenceEvent[], exits: ReadonlyMap<string, PresenceEvent>, until: number) {
  const track = newTrack();
  for (const { visitId, beaconId, event } of events) {
    if (event !== 'ENTER' || exits.has(visitId)) continue;
    const visit = { id: visitId, source: 'device' };
    track.beacons[beaconId] = { visit, inContact: true, heardAt: until, zone: null } as never;
  }
  return track;
}

export interface VerdictCounts {
  sent: number;
  visitors: number;
  /** How often each gate said no. */
  readonly reasons: Record<string, number>;
  /** Messages by day of the app's calendar. */
  readonly days: Record<string, number>;
}

export const newCounted = (): VerdictCounts => ({ sent: 0, visitors: 0, reasons: {}, days: {} });

/** Verdicts of one installation. That the trigger is about something else is no reason anybody would ask about. */
export function countVerdicts(counted: VerdictCounts, verdicts: readonly Verdict[], timeZone: string): void {
  const zone = siteTimeZone([timeZone]);
  let sent = 0;
  for (const { outcome, reason, at } of verdicts) {
    if (outcome === 'fired') {
      sent++;
      const { date } = localTime(at, zone);
      counted.days[date] = (counted.days[date] ?? 0) + 1;
    } else if (reason !== 'event' && reason !== 'beacon') counted.reasons[reason] = (counted.reasons[reason] ?? 0) + 1;
  }
  counted.sent += sent;
  if (sent > 0) counted.visitors++;
}

/** Tries drafts on what was recorded, alongside everything else. Only numbers are stored, and nothing is sent. */

export const replayJob = 'rules.replay';

/** What is compared, as it is stored. */
export interface ReplayQuestion {
  /** Epoch ms; the second is not included. */
  readonly from: number;
  readonly until: number;
  readonly draft: Trigger;
  /** The message as it was when this was requested, or another draft; null: there is none. */
  readonly against: Trigger | null;
}

export interface Result {
  readonly draft: VerdictCounts;
  readonly against: VerdictCounts;
  /** Events that were looked at. */
  events: number;
}

export const newResult = (): Result => ({ draft: newCounted(), against: newCounted(), events: 0 });

export type ReplayDeps = Pick<Context, 'db' | 'now' | 'findPolicy' | 'installationsAfter' | 'countInstallations'>;
type JudgedVisitor = Awaited<ReturnType<Context['installationsAfter']>>[number];

/** How many installations are judged between two checks whether somebody has cancelled it. */
const pageSize = 50;
/** The job fails after this many tries, including those that a stop has ended. */
const maxTries = 5;

export function replayHandler(deps: ReplayDeps): JobHandler {
  return {
    concurrency: 1,
    perApp: 1,
    // A stop is no failed try.
    maxAttempts: Number.MAX_SAFE_INTEGER,
    baseDelayMs: 1_000,
    maxDelayMs: 30_000,
    async run({ appId, payload, attempts }, { signal, assertHeld }) {
      const { objectId } = payload as { readonly objectId: string };
      try {
        while (await judgePage(deps, { appId, objectId, assertHeld })) {
          if (signal.aborted) throw new RetryLater('the service stops', 1);
          await deps.db.caughtUp();
        }
      } catch (error) {
        if (error instanceof RetryLater || error instanceof LeaseLost || attempts < maxTries) throw error;
        await endReplay(deps.db, { appId, objectId, state: 'failed', now: deps.now() });
        throw new GiveUp(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

interface Held {
  readonly appId: string;
  readonly objectId: string;
  readonly assertHeld: (db: Db) => Promise<void>;
}

/** Judges some installations; false when there is no more to do. */
async function judgePage(deps: ReplayDeps, { appId, objectId, assertHeld }: Held): Promise<boolean> {
  const { db, now, findPolicy, installationsAfter, countInstallations } = deps;
  const row = await findReplay(db, appId, objectId);
  const policy = await findPolicy(appId);
  if (!row || !policy || (row.state !== 'waiting' && row.state !== 'running')) return false;
  const asked = JSON.parse(row.asked) as ReplayQuestion;
  const result = JSON.parse(row.result) as Result;
  const installations = row.state === 'waiting' ? await countInstallations(db, appId) : row.installations;
  const page = await installationsAfter(db, appId, row.done_to, pageSize);
  if (page.length > 0) await judgeInstallations(db, { appId, policy, asked, result }, page);
  const isDone = page.length < pageSize;
  const next: ReplayRow = {
    ...row,
    state: isDone ? 'done' : 'running',
    done_to: page.at(-1)?.objectId ?? row.done_to,
    judged: row.judged + page.length,
    installations: Math.max(installations, row.judged + page.length),
    result: JSON.stringify(result),
    updated_at: now(),
  };
  return db.transaction(async (db) => {
    await assertHeld(db);
    return (await saveProgress(db, next)) && !isDone;
  });
}

interface Judging {
  readonly appId: string;
  readonly policy: AppPolicy;
  readonly asked: ReplayQuestion;
  readonly result: Result;
}

async function judgeInstallations(
  db: Db,
  { appId, policy, asked, result }: Judging,
  page: readonly JudgedVisitor[],
): Promise<void> {
  const { from, until, draft, against } = asked;
  const triggers = [draft, ...(against ? [against] : [])];
  const beaconIds = [...new Set(triggers.flatMap((trigger) => trigger.beaconIds))];
  const stretch = { appId, ids: page.map(({ objectId }) => objectId), from, until };
  const events = await eventsOf(db, stretch);
  if (events.size === 0) return;
  const common = appRules(policy);
  const policies = [common.policy, ...triggers.map((trigger) => trigger.policy)];
  const earlier = policies.some((one) => Boolean(one?.nthVisit))
    ? await visitsBefore(db, stretch, beaconIds)
    : new Map<string, number>();
  const shown = await shownTo(db, { ...stretch, from: from - historyMs(policies) }, draft.id);
  const beacons = new Map((await findBeaconsById(db, appId, beaconIds)).map((beacon) => [beacon.objectId, beacon]));
  const asks = new Set(beaconIds);
  const slices = new WorkSlices();
  for (const { objectId: id, consents } of page) {
    await slices.rest();
    const happened = (events.get(id) ?? []).filter(({ beaconId }) => asks.has(beaconId));
    result.events += happened.length;
    if (happened.length === 0) continue;
    const hasConsent = permissionsOf(consents, policy).messages;
    const judged = (trigger: Trigger) =>
      judgePast({
        events: happened,
        trigger,
        rulesAt: (beaconId) => {
          const { timeZone, hours } = beacons.get(beaconId) ?? {};
          return {
            ...common,
            hasConsent,
            ...(timeZone === undefined ? {} : { beaconTimeZone: timeZone }),
            ...(hours === undefined ? {} : { hours }),
          };
        },
        shown: shown.get(id) ?? [],
        earlierVisits: (beaconId) => earlier.get(`${id} ${beaconId}`) ?? 0,
        until,
      });
    countVerdicts(result.draft, judged(draft), policy.timeZone);
    if (against) countVerdicts(result.against, judged(against), policy.timeZone);
  }
}
