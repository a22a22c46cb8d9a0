import type { Trigger } from '@pharos/engine';
import { permissionsOf } from '../../../access/consent.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import type { Clock } from '../../../base/clock.ts';
import { WorkSlices } from '../../../base/work-slices.ts';
import type { Database, Db } from '../../../db/db.ts';
import { GiveUp, type JobHandler, LeaseLost, RetryLater } from '../../../jobs/job.ts';
import { findBeaconsById } from '../site/site-store.ts';
import { appRules, historyMs } from '../site/trigger-policy.ts';
import { countVerdicts, judgePast, newCounted, type VerdictCounts } from './judge-past.ts';
import * as store from './store.ts';

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

export interface JudgedVisitor {
  readonly objectId: string;
  /** What its visitor has decided, as it is stored. */
  readonly consents: string | null;
}

export interface ReplayDeps {
  /** Installations in order of their ids; they are another feature's. */
  readonly installations: {
    readonly next: (db: Db, appId: string, after: string, limit: number) => Promise<readonly JudgedVisitor[]>;
    readonly count: (db: Db, appId: string) => Promise<number>;
  };
  readonly db: Database;
  readonly now: Clock;
  readonly findPolicy: (appId: string) => Promise<AppPolicy | undefined>;
}

/** How many installations are judged between two checks whether somebody has cancelled it. */
const pageSize = 50;
/** The job fails after this many tries, including those that a stop has ended. */
const mostTries = 5;

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
        if (error instanceof RetryLater || error instanceof LeaseLost || attempts < mostTries) throw error;
        await store.endReplay(deps.db, { appId, objectId, state: 'failed', now: deps.now() });
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
  const { db, now, findPolicy, installations: people } = deps;
  const row = await store.findReplay(db, appId, objectId);
  const policy = await findPolicy(appId);
  if (!row || !policy || (row.state !== 'waiting' && row.state !== 'running')) return false;
  const asked = JSON.parse(row.asked) as ReplayQuestion;
  const result = JSON.parse(row.result) as Result;
  const installations = row.state === 'waiting' ? await people.count(db, appId) : row.installations;
  const page = await people.next(db, appId, row.done_to, pageSize);
  if (page.length > 0) await judgeInstallations(db, { appId, policy, asked, result }, page);
  const isDone = page.length < pageSize;
  const next: store.ReplayRow = {
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
    return (await store.saveProgress(db, next)) && !isDone;
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
  const events = await store.eventsOf(db, stretch);
  if (events.size === 0) return;
  const common = appRules(policy);
  const policies = [common.policy, ...triggers.map((trigger) => trigger.policy)];
  const earlier = policies.some((one) => Boolean(one?.nthVisit))
    ? await store.visitsBefore(db, stretch, beaconIds)
    : new Map<string, number>();
  const shown = await store.shownTo(db, { ...stretch, from: from - historyMs(policies) }, draft.id);
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
