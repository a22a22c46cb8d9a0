import { setTimeout as delay } from 'node:timers/promises';
import { permissionsOf } from '../../../access/consent.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import type { Db } from '../../../db/db.ts';
import type { PollerSource } from '../../../db/nodes/poller.ts';
import type { Context } from '../../context.ts';
import { decideOne } from './decide/decide.ts';
import { readsOf } from './decide/past.ts';
import { installationExists, lockPersons, tryLockInstallation } from './lock/lock.ts';
import { readOne, type TrackCache } from './lock/track-cache.ts';
import * as store from './lock/track-store.ts';
import { isRecorded } from './pipeline.ts';
import { endPresence, type RecordTools, recordDecisions } from './record/record.ts';

/** What happens merely because time passes: EXIT by silence, the end of a trigger's wait, the end of a visit nobody ended. */

export interface TickerDeps
  extends Pick<Context, 'now'>,
    Pick<
      RecordTools,
      'announce' | 'countVisits' | 'logs' | 'noteShowings' | 'requestLookBacks' | 'requestPushes' | 'seedsFor'
    > {
  readonly db: Db;
  /** What rings; a test passes its own. */
  readonly timer?: Timer;
  readonly trackCache: TrackCache;
  /** Whether this node rings for an app, where several share the work; without it, for all. */
  readonly owns?: (appId: string) => boolean;
  /** Undefined when the app is gone. */
  readonly findPolicy: (appId: string) => Promise<AppPolicy | undefined>;
}

/** One alarm; setting it again replaces the one before. */
interface Timer {
  set(ms: number, ring: () => void): void;
  clear(): void;
}

function realTimer(): Timer {
  let handle: NodeJS.Timeout | undefined;
  return {
    set(ms, ring) {
      clearTimeout(handle);
      handle = setTimeout(ring, ms);
      handle.unref();
    },
    clear: () => clearTimeout(handle),
  };
}

type RunInBackground = (what: string, work: () => Promise<unknown>) => void;

export interface Ticker {
  /**
   * Does all that is due now, except installations that another process holds for a second; returns for how many
   * installations something was done.
   */
  tick(): Promise<number>;
  /** From now on it rings when something is due. */
  start(run: RunInBackground): void;
  /** Something falls due then (ms): makes it ring earlier where that is before what it knows of. */
  expect(deadline: number): void;
  /** Checks at once: this node rings for other apps from now on. */
  wake(): void;
  /** What finds deadlines that other nodes have written. */
  readonly source: PollerSource;
  stop(): void;
}

/** How many deadlines are looked at to find one that this node rings for. */
const lookAhead = 64;
/** The longest sleep: another node whose deadlines it does not know may be gone. */
const maxSleepMs = 10_000;
/** The shortest sleep: what falls due together shares a commit. */
const minSleepMs = 20;
/** Who could not be dealt with (another node has it, or it failed) is tried again after this. */
const retryMs = 1_000;
/** How often a requested tick retries, with the shortest sleep in between. */
const maxTries = 50;
const batchSize = 200;
/** Installations that are dealt with at once; on the embedded database they share a commit. */
const atOnce = 16;

export function createTicker(deps: TickerDeps): Ticker {
  const round = createRound(deps);
  const timer = deps.timer ?? realTimer();
  let run: RunInBackground | undefined;
  let isRunning = false;
  /** Rounds go one after the other. */
  let last: Promise<unknown> = Promise.resolve();
  /** When the timer fires next (ms); during a run, the earliest time asked for since. */
  let next = Number.POSITIVE_INFINITY;
  let examined: number | undefined;

  function sleepUntil(at: number): void {
    next = at;
    const sleep = Math.min(maxSleepMs, Math.max(minSleepMs, at - deps.now()));
    if (run) timer.set(sleep, ring);
  }

  function inTurn(owns: Owns | undefined): Promise<Round> {
    const mine = last.then(
      () => round(owns),
      () => round(owns),
    );
    last = mine;
    return mine;
  }

  /** The next deadline (ms) of an app that this node rings for. */
  async function nextOwn(after: number): Promise<number> {
    const { db, owns } = deps;
    const rows = await store.findNextDeadlines(db, after, owns ? lookAhead : 1);
    const own = owns ? rows.find(({ app_id }) => owns(app_id)) : rows[0];
    if (own) return own.next_deadline;
    return rows.length === lookAhead ? (rows.at(-1)?.next_deadline ?? after) : Number.POSITIVE_INFINITY;
  }

  function ring(): void {
    if (isRunning) return;
    isRunning = true;
    next = Number.POSITIVE_INFINITY;
    run?.('ending visits', async () => {
      let following = deps.now() + retryMs;
      try {
        const { isComplete, until } = await inTurn(deps.owns);
        const due = await nextOwn(until);
        following = isComplete ? due : Math.min(due, following);
      } finally {
        isRunning = false;
        sleepUntil(Math.min(following, next));
      }
    });
  }

  /** The earliest deadline of all; whether it is one of this node's is found out once. */
  function hear(at: number | null): void {
    if (at === null || at >= next || at === examined || isRunning) return;
    examined = at;
    run?.('looking for the next visit to end', async () => {
      const own = await nextOwn(at - 1);
      if (own < next && !isRunning) sleepUntil(own);
    });
  }

  /** Installations held by another process are tried again, as when it rings. */
  async function tick(): Promise<number> {
    let done = 0;
    for (let tries = 1; ; tries++) {
      const round = await inTurn(undefined);
      done += round.done;
      if (round.isComplete || tries === maxTries) return done;
      await delay(minSleepMs);
    }
  }

  return {
    tick,
    start(how) {
      run = how;
      // What fell due while nobody was there comes first.
      sleepUntil(deps.now());
    },
    expect(deadline) {
      if (deadline >= next) return;
      if (isRunning) next = deadline;
      else sleepUntil(deadline);
    },
    wake: () => {
      if (!isRunning) sleepUntil(deps.now());
      else next = deps.now();
    },
    source: {
      ask: () => (run && deps.owns && !isRunning ? { value: store.firstDeadline, hear } : undefined),
    },
    stop() {
      run = undefined;
      timer.clear();
    },
  };
}

interface Round {
  readonly done: number;
  /** Nothing that is due was left out. */
  readonly isComplete: boolean;
  /** Up to when; what falls due later is not handled yet. */
  readonly until: number;
}

type Owns = (appId: string) => boolean;

/** Deals with all that is due (of the apps that this node rings for), each installation at most once. */
function createRound(deps: TickerDeps): (owns: Owns | undefined) => Promise<Round> {
  return async (owns) => {
    const now = deps.now();
    const policies = new Map<string, Promise<AppPolicy | undefined>>();
    const policyOf = (appId: string) => {
      const known = policies.get(appId) ?? deps.findPolicy(appId);
      policies.set(appId, known);
      return known;
    };
    const failures: unknown[] = [];
    let done = 0;
    const seen = new Set<string>();
    for (;;) {
      const due = await store.findDueInstallations(deps.db, now, batchSize + seen.size);
      const fresh = due.filter(({ app_id, installation_id }) => {
        const key = `${app_id} ${installation_id}`;
        return !seen.has(key) && seen.add(key);
      });
      // What is still due and was seen already, nobody could deal with.
      if (fresh.length === 0) {
        const isComplete = !due.some(({ app_id }) => owns?.(app_id) ?? true);
        return finish(failures, { done, isComplete, until: now });
      }
      const own = owns ? fresh.filter(({ app_id }) => owns(app_id)) : fresh;
      for (let start = 0; start < own.length; start += atOnce) {
        const part = own.slice(start, start + atOnce);
        const results = await Promise.allSettled(
          part.map(async (one) => advanceOne(deps, one, { now, policy: await policyOf(one.app_id) })),
        );
        for (const result of results) {
          if (result.status === 'rejected') failures.push(result.reason);
          else if (result.value) done++;
        }
      }
    }
  };
}

/** One that cannot be dealt with must not block the others, but is reported. */
function finish(failures: readonly unknown[], round: Round): Round {
  if (failures.length === 0) return round;
  throw new AggregateError(failures, `${failures.length} installations are left as they are`);
}

interface Moment {
  readonly now: number;
  readonly policy: AppPolicy | undefined;
}

async function advanceOne(deps: TickerDeps, due: store.DueInstallation, { now, policy }: Moment): Promise<boolean> {
  const { app_id: appId, installation_id: installationId } = due;
  return deps.db.transaction(async (db) => {
    // Another node that has it already does the same; nobody waits for the other.
    const lock = await tryLockInstallation(db, appId, installationId);
    if (!lock || !policy) {
      const isGone = !policy || !(await installationExists(db, appId, installationId));
      if (isGone) await store.deleteTrack(db, { appId, installationId });
      return false;
    }
    const { userId } = lock;
    // Another phone of the person is being dealt with: what it is shown counts.
    if (userId !== null && (await lockPersons(db, [{ appId, userId }], false)).length === 0) return false;
    const track = await readOne(deps.trackCache, db, { appId, installationId });
    const { record } = track;
    if (!record) return false;
    const permissions = permissionsOf(lock.consents, policy);
    if (!permissions.analytics && (!permissions.messages || isRecorded(record))) {
      await endPresence(db, { appId, installationId, now });
      return true;
    }
    const { hasPushTarget, locale } = lock;
    const seedOf = await deps.seedsFor?.(db, { appId, installationId, times: [], now });
    const decided = await decideOne(deps.trackCache, {
      appId,
      context: { installationId, seedOf, policy, now, hasTarget: hasPushTarget, hasPushTarget, permissions, locale },
      track,
      // What the cache has apart from the stored track is sensing that comes late.
      samples: [],
      reads: readsOf(db, { appId, installationId, userId }),
      why: 'tick',
    });
    // What falls due next is read from the index when the round is over.
    const { requestPushes, announce, logs, countVisits, noteShowings, requestLookBacks } = deps;
    const tools = {
      requestPushes,
      expect: () => undefined,
      announce,
      logs,
      ...(countVisits ? { countVisits } : {}),
      ...(noteShowings ? { noteShowings } : {}),
      ...(requestLookBacks ? { requestLookBacks } : {}),
    };
    await recordDecisions(db, [decided], tools);
    return true;
  });
}
