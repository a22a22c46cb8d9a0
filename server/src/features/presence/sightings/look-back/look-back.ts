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
import { type EndedVisit, findVisitsSince, saveSmoothed } from './store.ts';

/**
 * Visits that are over are timed again by what was heard later (ADR 186). What was told of them stays beside it, and a visit that changes is
 * looked back on again. Whoever looks twice finds the same.
 */

export const lookBackJob = 'visits.look-back';

/** What is heard for so long after a visit counts, ms. */
const waitMs = 60_000;
/** Visits that end within this time are looked at together, ms: the samples before and after each of them are decided again, too. */
const togetherMs = 240_000;

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
      const smoothed = await inSlices(retimeSteps(kept), signal);
      await db.transaction(async (db) => {
        await assertHeld(db);
        const changed = await saveSmoothed(db, appId, { reported: kept.reported, smoothed, now: now() });
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
  /** The same visits as they were read. */
  readonly reported: readonly EndedVisit[];
}

/** What is kept of an installation's visits that nobody has looked back on yet, and of its samples since; undefined: nothing. */
async function readKept(db: Db, key: TrackKey, { trackCache, site, policy }: Keeping): Promise<Kept | undefined> {
  const { appId, installationId } = key;
  // All that writes about an installation locks it.
  if (!(await lockForDecision(db, appId, installationId))) return undefined;
  const { record, unwritten, apart } = await readOne(trackCache, db, key);
  const since = record?.segments[0]?.[0];
  if (record === undefined || since === undefined) return undefined;
  const { reported, from, until } = yetUnseen(await findVisitsSince(db, key, since), since);
  const [first] = reported;
  if (first === undefined) return undefined;
  const begin = record.segments.filter(([start]) => start <= first.entered_at - FORGET_MS).at(-1)?.[0] ?? since;
  const [segments = []] = await findSegments(db, [{ ...key, from: begin }]);
  const parts = [...segments, ...unwritten.samples.filter(({ startedAt }) => startedAt >= begin)];
  const checkpoint = parts.find(({ startedAt }) => startedAt === begin)?.checkpoint;
  if (!checkpoint) return undefined;
  const samples = [...parts, ...apart].flatMap(({ samples }) => readSamples(samples)).sort(compareSamples);
  const places = (ids: readonly string[]) => site.beaconsById(db, appId, ids);
  const known = await siteFrom({ places }, policy)([...new Set(samples.map(({ beaconId }) => beaconId))]);
  return { installationId, checkpoint, samples, site: known, reported, visits: reported.map(timed), from, until };
}

const timed = (row: EndedVisit): TimedVisit => ({
  id: row.object_id,
  beaconId: row.beacon_id,
  enteredAt: row.entered_at,
  leftAt: row.left_at ?? row.entered_at,
});

/**
 * The visits that are over and wholly kept, from the one before the first that nobody has looked back on: its end depends on what follows.
 * `from` and `until`: others are before and after.
 */
function yetUnseen(visits: readonly EndedVisit[], since: number) {
  const whole = visits.findIndex(({ entered_at }) => entered_at >= since);
  const open = visits.findIndex(({ is_open }) => is_open !== 0);
  const end = open < 0 ? visits.length : open;
  const unseen = visits
    .slice(0, end)
    .findIndex(({ entered_at, smoothed_left_at }) => smoothed_left_at === null && entered_at >= since);
  const begin = unseen < 0 ? end : Math.max(whole, unseen - 1);
  const ends = visits.slice(0, begin).map(({ left_at, smoothed_left_at }) => smoothed_left_at ?? left_at ?? since);
  return {
    reported: visits.slice(begin, end),
    from: Math.max(since, ...ends),
    until: visits[end]?.entered_at ?? Number.MAX_SAFE_INTEGER,
  };
}
