import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/db.ts';
import type { Announce } from '../../happening.ts';
import type { AppPolicy } from '../../http/policy.ts';
import { decide, Past, type Turn } from './decide.ts';
import * as store from './presence-store.ts';
import { type Enqueue, recordDecision } from './record.ts';
import { readsOf } from './service.ts';
import { findBeaconsById } from './site-store.ts';

/** What time alone brings about: EXIT by silence, the end of a trigger's wait, the end of a visit nobody ended. */

export interface TickerDeps {
  readonly db: Db;
  readonly now: Clock;
  readonly enqueue: Enqueue;
  readonly announce: Announce;
  /** Undefined when the app is gone. */
  readonly findPolicy: (appId: string) => Promise<AppPolicy | undefined>;
}

export interface Ticker {
  /** Does all that is due now; answers for how many installations something was done. */
  tick(): Promise<number>;
  start(run: (what: string, work: () => Promise<unknown>) => void): void;
  stop(): void;
}

/** One look at an index: silence is told half a second late on average. */
const everyMs = 1_000;
const batchSize = 200;
/** Installations that are dealt with at once; on the embedded database they share a commit. */
const atOnce = 16;

export function createTicker(deps: TickerDeps): Ticker {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;

  async function tick(): Promise<number> {
    const now = deps.now();
    const policies = new Map<string, Promise<AppPolicy | undefined>>();
    const policyOf = (appId: string) => {
      const known = policies.get(appId) ?? deps.findPolicy(appId);
      policies.set(appId, known);
      return known;
    };
    const failures: unknown[] = [];
    let done = 0;
    // Whoever could not be dealt with (another node has it, or it failed) is left to the next tick.
    const seen = new Set<string>();
    for (;;) {
      const due = await store.findDueInstallations(deps.db, now, batchSize + seen.size);
      const fresh = due.filter(({ app_id, installation_id }) => {
        const key = `${app_id} ${installation_id}`;
        return !seen.has(key) && seen.add(key);
      });
      if (fresh.length === 0) break;
      for (let start = 0; start < fresh.length; start += atOnce) {
        const part = fresh.slice(start, start + atOnce);
        const results = await Promise.allSettled(
          part.map(async (one) => advanceOne(deps, one, { now, policy: await policyOf(one.app_id) })),
        );
        for (const result of results) {
          if (result.status === 'rejected') failures.push(result.reason);
          else if (result.value) done++;
        }
      }
    }
    // One that cannot be dealt with must not stand before the others.
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} installations are left as they are`);
    return done;
  }

  return {
    tick,
    start(run) {
      timer = setInterval(() => {
        if (isRunning) return;
        isRunning = true;
        run('ending visits', () =>
          tick().finally(() => {
            isRunning = false;
          }),
        );
      }, everyMs);
      timer.unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}

interface Moment {
  readonly now: number;
  readonly policy: AppPolicy | undefined;
}

async function advanceOne(deps: TickerDeps, due: store.DueInstallation, { now, policy }: Moment): Promise<boolean> {
  const { app_id: appId, installation_id: installationId } = due;
  return deps.db.transaction(async (db) => {
    // Another node that has it already does the same; nobody waits for the other.
    const lock = await store.tryLockInstallation(db, appId, installationId);
    if (!lock || !policy) {
      const isGone = !policy || !(await store.installationExists(db, appId, installationId));
      if (isGone) await store.deletePresences(db, appId, installationId);
      return false;
    }
    const presences = await store.findDuePresences(db, { appId, installationId, now });
    const beacons = new Map(
      (await findBeaconsById(db, appId, [...presences.keys()])).map((beacon) => [beacon.objectId, beacon]),
    );
    const reads = { ...readsOf(db, appId, installationId), presence: async (id: string) => presences.get(id) };
    const turn: Turn = { installationId, policy, now, hasTarget: lock.hasPushTarget };
    const context = { reads, past: new Past(reads) };
    for (const beaconId of presences.keys()) {
      const decision = await decide(context, turn, beacons.get(beaconId) ?? { objectId: beaconId }, null);
      const recording = { appId, turn, hasPushTarget: lock.hasPushTarget, announce: deps.announce };
      await recordDecision(db, decision, recording, deps.enqueue);
    }
    return presences.size > 0;
  });
}
