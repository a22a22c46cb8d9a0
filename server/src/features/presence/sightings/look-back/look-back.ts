import { compareSamples, FORGET_MS, type TimedVisit } from '@pharos/engine';
import { isForgetful, type KeptVisits, readSamples, retimeSteps, siteFrom } from '@pharos/engine/decide';
import type { AppPolicy } from '../../../../access/policy.ts';
import type { Db } from '../../../../db/db.ts';
import type { JobHandler } from '../../../../jobs/job.ts';
import { inSlices } from '../../../../jobs/slices.ts';
import type { Context } from '../../../context.ts';
import { lockForDecision } from '../lock/lock.ts';
import { readOne, type TrackCache } from '../lock/track-cache.ts';
import { findSegments } from '../lock/track-store.ts';
import type { SiteReads } from '../site/site.ts';
import type { TrackKey } from '../traces/reported.ts';
import { noteVisitChanges } from '../traces/visits.ts';
import { findVisitsSince, saveSmoothed, type TimedRow } from './store.ts';

/**
 * Where visits begin and end they are timed again by what was heard around it (ADR 186). What was told of them stays beside it, and a visit
 * that changes is looked back on again. Whoever looks twice finds the same.
 */

export const lookBackJob = 'visits.look-back';

/** What is heard for so long afterwards counts, ms. */
const waitMs = 60_000;
/**
 * Visits that begin or end within this time of each other are looked at together, ms. More would outlast the samples where many beacons are
 * heard.
 */
const togetherMs = 15_000;
/** So long before the first time that may be found, ms, positions are looked back on for its sake. */
const lapMs = 30_000;

/** Asks for looks back, in the transaction that `db` is. */
export const requestLookBacks =
  ({ now, enqueue }: Pick<Context, 'now' | 'enqueue'>) =>
  async (db: Db, keys: readonly TrackKey[]): Promise<void> => {
    const runAt = Math.ceil((now() + waitMs) / togetherMs) * togetherMs;
    for (const { appId, installationId } of keys) {
      const jobId = `look-${installationId}-${runAt}`;
      await enqueue(db, {
        appId,
        kind: lookBackJob,
        payload: { installationId },
        subject: installationId,
        jobId,
        runAt,
      });
    }
  };

export interface LookBackDeps extends Pick<Context, 'db' | 'now' | 'findPolicy'> {
  readonly trackCache: TrackCache;
  readonly site: SiteReads;
  /** Told after the commit that visits of an app have changed. */
  readonly countVisits: (appId: string) => void;
}

export function lookBackHandler(deps: LookBackDeps): JobHandler {
  return {
    concurrency: 2,
    perApp: 1,
    maxAttempts: 5,
    baseDelayMs: 10_000,
    maxDelayMs: 600_000,
    async run({ appId, payload }, { signal, assertHeld }) {
      const { db, now, countVisits } = deps;
      const { installationId } = payload as { readonly installationId: string };
      const key = { appId, installationId };
      const policy = await deps.findPolicy(appId);
      if (!policy?.oneZone || isForgetful(policy)) return;
      const kept = await db.transaction((db) => readKept(db, key, { ...deps, policy }));
      if (kept === undefined) return;
      const retimed = await inSlices(retimeSteps(kept), signal);
      await db.transaction(async (db) => {
        await assertHeld(db);
        const changed = await saveSmoothed(db, appId, { ...kept, retimed, now: now() });
        const noted = changed.map((row) => ({ ...key, beaconId: row.beacon_id, enteredAt: row.entered_at }));
        await db.runTogether(noteVisitChanges(db.dialect, noted, now()));
        db.afterCommit(() => countVisits(appId));
      });
    },
  };
}

interface Keeping extends Pick<LookBackDeps, 'trackCache' | 'site'> {
  readonly policy: AppPolicy;
}

interface Kept extends KeptVisits {
  /** The visits as they were stored. */
  readonly reported: readonly TimedRow[];
  /** Visits that begin or end at this time (ms) or later are looked back on. */
  readonly from: number;
}

/** An installation's visits of which somebody has to look back on the beginning or the end, and its samples; undefined: none. */
async function readKept(db: Db, key: TrackKey, { trackCache, site, policy }: Keeping): Promise<Kept | undefined> {
  const { appId, installationId } = key;
  // All that writes about an installation locks it.
  if (!(await lockForDecision(db, appId, installationId))) return undefined;
  const { record, unwritten, apart } = await readOne(trackCache, db, key);
  const since = record?.segments[0]?.[0];
  if (record === undefined || since === undefined) return undefined;
  const reported = await findVisitsSince(db, key, since);
  const from = firstDue(reported, record.horizon === null ? since : since + FORGET_MS);
  if (from === undefined) return undefined;
  const begin = record.segments.filter(([start]) => start <= from - FORGET_MS - lapMs).at(-1)?.[0] ?? since;
  const [segments = []] = await findSegments(db, [{ ...key, from: begin }]);
  const parts = [...segments, ...unwritten.samples.filter(({ startedAt }) => startedAt >= begin)];
  const checkpoint = parts.find(({ startedAt }) => startedAt === begin)?.checkpoint;
  if (!checkpoint) return undefined;
  const samples = [...parts, ...apart].flatMap(({ samples }) => readSamples(samples)).sort(compareSamples);
  const places = (ids: readonly string[]) => site.beaconsById(db, appId, ids);
  const known = await siteFrom({ places }, policy)([...new Set(samples.map(({ beaconId }) => beaconId))]);
  return { installationId, checkpoint, samples, site: known, reported, visits: reported.map(timed), from };
}

const timed = (row: TimedRow): TimedVisit => ({
  id: row.object_id,
  beaconId: row.beacon_id,
  enteredAt: row.entered_at,
  leftAt: row.left_at ?? Number.MAX_SAFE_INTEGER,
});

/** The first beginning or end since `earliest` that nobody has looked back on, or the end before it, on which it depends. */
function firstDue(rows: readonly TimedRow[], earliest: number): number | undefined {
  const due = rows.flatMap(dueTimes).find((at) => at >= earliest);
  if (due === undefined) return undefined;
  const since = Math.max(earliest, due - 2 * FORGET_MS);
  return Math.min(due, ...rows.flatMap(({ left_at: at }) => (at !== null && at >= since ? [at] : [])));
}

/** The beginning and end of a visit, unless both have been looked back on as they are now. */
function dueTimes({ entered_at, left_at, smoothed_entered_at, smoothed_left_at }: TimedRow): readonly number[] {
  if (left_at === null) return smoothed_entered_at === null ? [entered_at] : [];
  return smoothed_left_at === null ? [entered_at, left_at] : [];
}
