import { randomBytes } from 'node:crypto';
import { siteTimeZone } from '@pharos/engine';
import type { Db } from '../../../db/db.ts';
import type { DbTable } from '../../../db/table.ts';
import { Pace, sweepRest } from '../../../jobs/pace.ts';
import type { Services } from '../../services.ts';
import { addUpPlaces } from './add-up.ts';
import { addToGone } from './let-go.ts';
import type { MessageCounts } from './messages/counts.ts';
import { noteVisitors } from './messages/showings.ts';
import { messageShowings, messageStates } from './messages/tables.ts';
import { addDays, dateOf, dayStart, hourStart } from './numbers/calendar.ts';
import * as gone from './numbers/gone.ts';
import { type BeaconPlace, forgetPlaces, loadPlaces, movedBeacons, notePlaces } from './numbers/places.ts';
import * as store from './numbers/store.ts';
import { noteFirsts, type Place, Places, type Recount, recount, withOtherFirsts } from './recount.ts';
import { markMonth, preparedWaitMs } from './ways/add-up.ts';
import { countNext, dayWaitMs, markDay } from './ways/count.ts';
import * as ways from './ways/store.ts';

/** Soon enough for a page that somebody looks at, and many visits are counted together. */
const pauseMs = 2_000;
/**
 * Counting an hour anew costs as much as the hour has visits, however many of them have changed. So it rests for this many times
 * as long as it took, and takes more changes at once: of a busy app the numbers are a little later, and its visitors are served.
 */
const restFactor = 19;
const maxRestMs = 60_000;
/**
 * How many changes are counted in one transaction. Most concern the same hour, which is counted once for all; many more would make other
 * writes wait.
 */
const maxChanges = 2_000;
/** Visits that are let go in one transaction. */
const maxLetGo = 200;

export interface RollupDeps
  extends Pick<
    Services,
    'db' | 'inBackground' | 'now' | 'visitChanges' | 'appsWith' | 'listApps' | 'policyOf' | 'findAppAccess'
  > {
  /** Where the beacons of an app are now. */
  readonly listPlaces: (db: Db, appId: string) => Promise<readonly BeaconPlace[]>;
  /** Of visits, or where they can be: an app with no row in any of them has nothing to count. */
  readonly placeTables: readonly DbTable[];
  /** Counted along with visits. */
  readonly messageCounts: MessageCounts;
}

/**
 * Keeps the numbers of hours and days right, some seconds behind the visits. Hours are counted anew from the visits whenever
 * one of them changes, so that nothing is counted twice or missed, whoever stops when; see ADR 33.
 */
export class Rollups {
  readonly #deps: RollupDeps;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #later = new Map<string, NodeJS.Timeout>();
  #isStopped = false;
  #restMs = 0;

  constructor(deps: RollupDeps) {
    this.#deps = deps;
  }

  /** Visits of the app were written: they are counted soon. */
  note(appId: string): void {
    this.#waiting.add(appId);
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        const apps = [...this.#waiting];
        this.#waiting.clear();
        for (const app of apps) this.#deps.inBackground('counting visits', () => this.#settleAndRest(app));
      },
      Math.max(pauseMs, this.#restMs),
    );
    this.#timer.unref();
  }

  async #settleAndRest(appId: string): Promise<void> {
    const began = performance.now();
    try {
      await this.settleDue(appId);
      const { db, now } = this.#deps;
      if (await ways.hasDue(db, appId, now() + preparedWaitMs)) this.#noteLater(appId);
    } finally {
      const rest = restFactor * (performance.now() - began);
      this.#restMs = Math.min(maxRestMs, Math.max(rest, this.#restMs / 2));
    }
  }

  /** The ways of a day are counted when visitors have walked on. */
  #noteLater(appId: string): void {
    if (this.#isStopped || this.#later.has(appId)) return;
    const timer = setTimeout(() => {
      this.#later.delete(appId);
      this.note(appId);
    }, dayWaitMs);
    timer.unref();
    this.#later.set(appId, timer);
  }

  stop(): void {
    this.#isStopped = true;
    this.#deps.messageCounts.stop();
    clearTimeout(this.#timer);
    for (const timer of this.#later.values()) clearTimeout(timer);
  }

  /** Counts what is left of all apps: after an update, a restart, or where another node has stopped. */
  async settleAll(): Promise<void> {
    const { db, visitChanges, listApps, policyOf, placeTables, messageCounts, now } = this.#deps;
    const states = new Map((await store.listStates(db)).map((state) => [state.app_id, state]));
    const changed = new Set([
      ...(await visitChanges.appsWithVisitChanges(db)),
      ...(await ways.appsWithDue(db, now() + preparedWaitMs)),
    ]);
    const withMessages = await this.#appsWith([messageStates, messageShowings]);
    const withPlaces = await this.#appsWith(placeTables);
    const pace = new Pace({ rest: sweepRest });
    for (const app of await listApps(db)) {
      if (this.#isStopped) return;
      const { app_id: appId } = app;
      const state = states.get(appId);
      const isCounted = state?.counted_until === null && state.placed_until === null;
      const isSettled = isCounted && state.time_zone === siteTimeZone([policyOf(app).timeZone]);
      const isEmpty = state === undefined && !withPlaces.has(appId) && !withMessages.has(appId);
      if ((!isSettled && !isEmpty) || changed.has(appId)) await this.settle(appId);
      else if (withMessages.has(appId)) await messageCounts.settle(appId);
      else continue;
      await pace.rest();
    }
  }

  async #appsWith(tables: readonly DbTable[]): Promise<ReadonlySet<string>> {
    return new Set((await Promise.all(tables.map((table) => this.#deps.appsWith(table)))).flat());
  }

  /** The time zone of an app that there still is. */
  async #zoneOf(appId: string): Promise<string | undefined> {
    const app = await this.#deps.findAppAccess(this.#deps.db, appId);
    return app && siteTimeZone([app.policy.timeZone]);
  }

  settle(appId: string): Promise<void> {
    return this.#settle(appId, 'all');
  }

  /** Counts what is due by now. Days wait some time, and months longer, because they may change again. */
  settleDue(appId: string): Promise<void> {
    return this.#settle(appId, 'due');
  }

  async #settle(appId: string, which: 'all' | 'due'): Promise<void> {
    const zone = await this.#zoneOf(appId);
    if (zone === undefined) return;
    await this.#notePlaces(appId, zone);
    while (!this.#isStopped && (await this.#step(appId, zone))) await this.#deps.db.caughtUp();
    const until = which === 'all' ? Number.MAX_SAFE_INTEGER : this.#deps.now();
    while (!this.#isStopped && (await countNext(this.#deps, appId, until))) await this.#deps.db.caughtUp();
    await this.#deps.messageCounts.settle(appId);
  }

  /** Beacons may have been hung up elsewhere, or zones have been drawn around them. */
  async #notePlaces(appId: string, zone: string): Promise<void> {
    const { db, now, listPlaces } = this.#deps;
    const places = await listPlaces(db, appId);
    const hour = hourStart(now(), zone);
    if (movedBeacons(await loadPlaces(db, appId), places).length === 0) return;
    await db.transaction(async (db) => {
      const state = await heldState(db, appId, zone);
      const noted = await notePlaces(db, { appId, now: places, hour });
      if (noted === undefined) return;
      // What is known of a beacon for the first time counts for its past too; what has changed counts from this hour on.
      const from = noted.isFirst ? 0 : dayStart(dateOf(hour, zone), zone);
      await store.changeState(db, { ...state, placed_until: Math.min(from, state.placed_until ?? from) });
    });
  }

  /** Counts everything anew of which there are visits. Numbers stay readable. */
  async rebuild(appId: string, { forgetsPlaces = false } = {}): Promise<void> {
    await this.#withState(appId, async (db, state) => {
      if (forgetsPlaces) await forgetPlaces(db, appId);
      await store.changeState(db, { ...state, counted_until: firstWholeDay(state), placed_until: 0 });
    });
    await this.settle(appId);
    await this.#deps.messageCounts.rebuild(appId);
  }

  /**
   * Visits before `at` (ms) are about to be deleted because of their age: they are counted first, and never again. False when
   * the service stops before that is done.
   */
  async closeBefore(appId: string, at: number): Promise<boolean> {
    await this.settle(appId);
    if (this.#isStopped) return false;
    await this.#withState(appId, async (db, state) => {
      if (state.raw_since < at) await store.changeState(db, { ...state, raw_since: at });
      await gone.deleteGone(db, appId, state.raw_since);
    });
    return this.#deps.messageCounts.closeBefore(appId, at);
  }

  /**
   * Deletes visits that ended before a time (ms). In the same transaction they are added to what was counted of those that went
   * before, with which their hour begins when it is counted anew. Answers of how many.
   */
  async letGo(appId: string, before: number): Promise<number> {
    const { visitChanges: visits, db } = this.#deps;
    for (let total = 0; ; ) {
      const deleted = await this.#withState(appId, async (db, state) => {
        const ended = await visits.visitsEnded(db, { appId, before, limit: maxLetGo });
        await addToGone(db, state, ended);
        const ids = ended.map(({ object_id }) => object_id);
        await visits.deleteVisits(db, appId, ids);
        return ended.length;
      });
      total += deleted ?? 0;
      if (deleted !== maxLetGo || this.#isStopped) return total;
      await db.caughtUp();
    }
  }

  async #withState<T>(appId: string, work: (db: Db, state: store.StateRow) => Promise<T>): Promise<T | undefined> {
    const zone = await this.#zoneOf(appId);
    if (zone === undefined) return undefined;
    return this.#deps.db.transaction(async (db) => work(db, await heldState(db, appId, zone)));
  }

  /** One transaction of work; false when nothing is left. */
  async #step(appId: string, zone: string): Promise<boolean> {
    const { visitChanges: visits } = this.#deps;
    return this.#deps.db.transaction(async (db) => {
      const held = await heldState(db, appId, zone);
      const state = held.time_zone === zone ? held : { ...held, time_zone: zone };
      if (state !== held) {
        state.counted_until = firstWholeDay(state);
        // Its days begin at other moments.
        await ways.deleteSince(db, appId, state.counted_until);
      }
      const by: Recount = { db, state, visits, places: await loadPlaces(db, appId) };
      const mark = (at: number) => markDay(db, state, at, this.#deps.now());
      const markItsMonth = (at: number) => markMonth(db, state, at, this.#deps.now());
      if (state.counted_until !== null) {
        await store.changeState(db, { ...state, counted_until: await countNextDay(by, state.counted_until, mark) });
        return true;
      }
      if (state.placed_until !== null) {
        await store.changeState(db, {
          ...state,
          placed_until: await placeNextDay(by, state.placed_until, mark, markItsMonth),
        });
        return true;
      }
      const changed = await visits.listVisitChanges(db, appId, maxChanges);
      if (changed.length === 0) return false;
      const places = new Places(zone);
      for (const change of changed) places.add(change);
      const visitors = [...new Set(changed.map(({ installation_id }) => installation_id))];
      await noteFirsts(by, await withOtherFirsts(by, changed), places);
      await recount(by, places.all());
      for (const at of daysOf(places.all(), state)) await mark(at);
      await noteVisitors(db, appId, visitors);
      await visits.deleteVisitChanges(
        db,
        appId,
        changed.map(({ object_id }) => object_id),
      );
      return changed.length === maxChanges;
    });
  }
}

async function heldState(
  db: Db,
  appId: string,
  zone: string,
): Promise<store.StateRow & { counted_until: number | null }> {
  const known = await store.lockState(db, appId);
  if (known !== undefined) return { ...known };
  const salt = randomBytes(16).toString('base64url');
  await store.createState(db, {
    app_id: appId,
    salt,
    time_zone: zone,
    raw_since: 0,
    counted_until: 0,
    placed_until: null,
  });
  const created = await store.lockState(db, appId);
  if (created === undefined) throw new Error(`The state of counting the visits of ${appId} has gone.`);
  return { ...created };
}

/** The beginning of the first day of which no visit has gone because of its age. */
function firstWholeDay({ raw_since: since, time_zone: zone }: store.StateRow): number {
  const date = dateOf(since, zone);
  const start = dayStart(date, zone);
  return start >= since ? start : dayStart(addDays(date, 1), zone);
}

/** Notes that the ways of the day of a time (ms) are to be counted. */
type Mark = (at: number) => Promise<void>;

/** One time of each day that is to be counted. */
function daysOf(places: readonly Place[], { time_zone: zone }: store.StateRow): Iterable<number> {
  return new Map(places.map(({ hour }) => [dateOf(hour, zone), hour])).values();
}

/** Adds up the places of the first day at `from` (ms) or later that has numbers; answers when the next one begins, or null. */
async function placeNextDay(
  { db, state, places }: Recount,
  from: number,
  markDay: Mark,
  markMonth: Mark,
): Promise<number | null> {
  const { app_id: appId, time_zone: zone } = state;
  const next = await store.nextRollup(db, appId, from, ['hour']);
  if (next === undefined) return null;
  const date = dateOf(next, zone);
  const day = { from: dayStart(date, zone), until: dayStart(addDays(date, 1), zone) };
  await addUpPlaces({ db, state, places }, day);
  if (day.from >= firstWholeDay(state)) await markDay(day.from);
  else await markMonth(day.from);
  return day.until;
}

/** Counts the first day at `from` (ms) or later on which anything is; answers when the next one begins, or null. */
async function countNextDay(by: Recount, from: number, mark: Mark): Promise<number | null> {
  const { db, state, visits } = by;
  const { app_id: appId, time_zone: zone } = state;
  const next = [
    await visits.nextVisitBegan(db, appId, from),
    await store.nextRollup(db, appId, from),
    await gone.nextGone(db, appId, from),
  ];
  const first = Math.min(...next.map((at) => at ?? Number.POSITIVE_INFINITY));
  if (first === Number.POSITIVE_INFINITY) return null;
  const date = dateOf(first, zone);
  const day = { appId, from: Math.max(from, dayStart(date, zone)), until: dayStart(addDays(date, 1), zone) };
  await store.deleteRollups(db, day);
  const places = new Places(zone);
  const begun = await visits.visitsBegun(db, day);
  for (const visit of begun) places.add(visit);
  for (const { beacon_id, started_at } of await gone.goneOf(db, day)) places.add({ beacon_id, entered_at: started_at });
  await noteFirsts(
    by,
    begun.map(({ installation_id }) => installation_id),
    places,
  );
  await recount(by, places.all(), { ...day, visits: begun });
  await mark(day.from);
  return day.until;
}
