import { siteTimeZone } from '@pharos/engine';
import type { Db } from '../../../../db/db.ts';
import type { Context } from '../../../context.ts';
import { addDays, addMonths, dateOf, dayStart, monthOf, weekOf } from '../numbers/calendar.ts';
import type { PlaceHistory } from '../numbers/places.ts';
import { loadPlaces } from '../numbers/places.ts';
import { GoalFinder, type GoalOf, type GoalReads, windowMs } from './goals.ts';
import { type CountedDay, type CountedPart, metrics, countDay as readDay, type Sums, saveDay } from './rollup-store.ts';
import * as store from './store.ts';

/** What a message did on a day, everywhere and by place; see ADR 95. */

const hourMs = 3_600_000;

/** @param from the beginning of the day, epoch ms */
function dayOf(parts: readonly CountedPart[], places: PlaceHistory, from: number): CountedDay {
  const rows = new Map<string, { readonly message_group: string } & Sums>();
  const byPlace = new Map<string, CountedDay['byPlace'][number]>();
  for (const part of parts) {
    const { message_group, beacon_id } = part;
    addTo(rows, message_group, { message_group }, part);
    if (beacon_id === '') continue;
    const at = places.at(beacon_id, from + Number(part.hour) * hourMs);
    const [venue_id, floor_id, zone_id] = [at?.venue_id ?? '', at?.floor_id ?? '', at?.zone_id ?? ''];
    const place = { message_group, beacon_id, venue_id, floor_id, zone_id };
    addTo(byPlace, JSON.stringify(place), place, part);
  }
  return { rows: [...rows.values()], byPlace: [...byPlace.values()] };
}

function addTo<K>(known: Map<string, K & Sums>, text: string, key: K, part: Sums): void {
  const before = known.get(text);
  const sums = Object.fromEntries(
    metrics.map((metric) => [metric, Number(before?.[metric] ?? 0) + Number(part[metric])]),
  ) as unknown as Sums;
  known.set(text, { ...key, ...sums });
}

/** Rows that are counted, marked or examined in one transaction. */
const most = 500;
/** Ids and clocks of several nodes differ: for this long, what was examined is examined again. */
const overlapMs = 10 * 60_000;
/**
 * Counting how often visitors were shown something takes a whole month's rows: afterwards it rests this many times as long as that
 * took.
 */
const loadRest = 19;
const withdrawnEveryMs = 60 * 60_000;
/** A consent that is taken back so soon after a message is put down to it. */
const blamedMs = 7 * 86_400_000;
const dayMs = 86_400_000;

interface MessageApp {
  readonly timeZone: string;
  readonly eventDays: number;
  /** Visits or events are kept for less than a day, so that a goal once reached stays reached. */
  readonly isForgetful: boolean;
}

export interface MessageCountDeps extends Pick<Context, 'db' | 'now'>, GoalReads {
  /** Who took back the consent to messages, or whose phone is no longer reached, from a time (ms) on. */
  readonly withdrawals: (db: Db, appId: string, since: number) => Promise<readonly store.WithdrawnAt[]>;
  readonly findApp: (appId: string) => Promise<MessageApp | undefined>;
}

interface Counting {
  readonly db: Db;
  readonly state: store.MessageState;
  readonly goals: readonly GoalOf[];
  /** Events before it (ms) may have gone because of their age. */
  readonly eventsSince: number;
  readonly isForgetful: boolean;
}

/**
 * Keeps the numbers of messages right, some seconds behind what happens: days are counted anew from what is noted of each showing, so
 * that nothing is counted twice or missed, whoever stops when; see ADR 46.
 */
export class MessageCounts {
  readonly #deps: MessageCountDeps;
  #isStopped = false;
  #loadsDueAt = 0;

  constructor(deps: MessageCountDeps) {
    this.#deps = deps;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async settle(appId: string): Promise<void> {
    if ((await store.findState(this.#deps.db, appId)) === undefined) {
      if (!(await store.hasShowings(this.#deps.db, appId))) return;
    }
    while (!this.#isStopped && (await this.#step(appId))) await this.#deps.db.caughtUp();
  }

  /** Counts everything anew of which there are showings. */
  async rebuild(appId: string): Promise<void> {
    await this.#withState(appId, ({ db, state }) => beginAnew(db, state));
    await this.settle(appId);
  }

  /** Showings before `at` (ms) are about to be deleted because of their age: they are counted first, and never again. */
  async closeBefore(appId: string, at: number): Promise<boolean> {
    await this.settle(appId);
    if (this.#isStopped) return false;
    if ((await store.findState(this.#deps.db, appId)) === undefined) return true;
    await this.#withState(appId, async ({ db, state }) => {
      if (state.shown_since < at) await store.saveState(db, { ...state, shown_since: at });
    });
    return true;
  }

  async #withState<T>(appId: string, work: (by: Counting) => Promise<T>): Promise<T | undefined> {
    const app = await this.#deps.findApp(appId);
    if (app === undefined) return undefined;
    const { db: database, listMessageGoals, now } = this.#deps;
    return database.transaction(async (db) => {
      const state = await heldState(db, appId, siteTimeZone([app.timeZone]));
      const { isForgetful } = app;
      const eventsSince = isForgetful ? state.shown_since : now() - (app.eventDays - 1) * dayMs;
      return work({ db, state, goals: await listMessageGoals(db, appId), eventsSince, isForgetful });
    });
  }

  /** One transaction of work; false when nothing is left. */
  async #step(appId: string): Promise<boolean> {
    const app = await this.#deps.findApp(appId);
    const zone = siteTimeZone([app?.timeZone]);
    const isMore = await this.#withState(appId, async (by) => {
      const { db, state } = by;
      const goals = JSON.stringify(by.goals);
      if (state.time_zone !== zone || state.goals !== goals) {
        for (const triggerId of changedGoals(state.goals, by.goals))
          await store.forgetActed(db, { appId, triggerId, since: state.shown_since });
        await beginAnew(db, { ...state, time_zone: zone, goals });
        return true;
      }
      if (state.recounted_to !== null) {
        const recounted = await store.markNext(db, appId, state.recounted_to, most * 4);
        await store.saveState(db, { ...state, recounted_to: recounted });
        return true;
      }
      const changed = await store.listChanged(db, appId, most);
      if (changed.length > 0) {
        await this.#count(by, changed);
        return true;
      }
      return this.#countConsents(by);
    });
    if (isMore === true || (await this.#countRecords(appId))) return true;
    await this.#countLoads(appId);
    return false;
  }

  /** Decides again which showing was the first, whether the goal was reached, and counts the days. */
  async #count(by: Counting, changed: readonly store.ShowingRow[]): Promise<void> {
    const { db, state } = by;
    const { app_id: appId, time_zone: zone } = state;
    const goals = new Map(by.goals.map(({ triggerId, goal }) => [triggerId, goal]));
    const finder = new GoalFinder(db, appId, this.#deps);
    const days = new Map<string, { readonly triggerId: string; readonly date: string }>();
    const touch = ({ trigger_id: triggerId, shown_at }: store.ShowingRow) => {
      const date = dateOf(shown_at, zone);
      days.set(`${triggerId} ${date}`, { triggerId, date });
    };
    // A message of a phone that was offline: records since then have been looked at without it.
    let recordsUntil = state.records_until;
    const asked = new Set(changed.map((row) => `${row.installation_id} ${row.trigger_id}`));
    for (const installationId of new Set(changed.map((row) => row.installation_id))) {
      const shown = await store.listShown(db, appId, installationId);
      for (const [triggerId, rows] of Map.groupBy(shown, (row) => row.trigger_id)) {
        if (!asked.has(`${installationId} ${triggerId}`)) continue;
        for (const [place, row] of rows.entries()) {
          const isFirst = place === 0;
          const goal = goals.get(triggerId);
          // Of what is no longer there, nothing new is found out.
          const since = goal?.kind === 'event' ? Math.max(by.eventsSince, state.shown_since) : state.shown_since;
          const isKnown = goal?.kind === 'record' || row.shown_at < since;
          const found = isFirst && goal && !isKnown ? finder.reachedAt(goal, installationId, row.shown_at) : null;
          const actedAt =
            isKnown && isFirst ? row.acted_at : earlier(await found, by.isForgetful && isFirst ? row.acted_at : null);
          if (goal?.kind === 'record' && isFirst && row.is_first === 0 && row.shown_at >= since)
            recordsUntil = Math.min(recordsUntil, row.shown_at);
          touch(row);
          await store.markCounted(db, row, { isFirst, actedAt });
        }
      }
    }
    const places = await loadPlaces(db, appId);
    for (const { triggerId, date } of days.values()) await countDay(by, places, { triggerId, date });
    if (recordsUntil < state.records_until) await store.saveState(db, { ...state, records_until: recordsUntil });
  }

  /**
   * Records that somebody made after a message, some at a time: however many there are, others write in between. What was looked at
   * is noted at the end, and looked at again if that is not reached.
   */
  async #countRecords(appId: string): Promise<boolean> {
    const { db, now } = this.#deps;
    const begun = await this.#withState(appId, async ({ state, goals }) => ({ state, goals }));
    const wanted = begun?.goals.filter(({ goal }) => goal.kind === 'record') ?? [];
    if (begun === undefined || wanted.length === 0 || now() - begun.state.records_until < 1_000) return false;
    const { records_until: lookedAt, goals } = begun.state;
    const from = Math.max(0, lookedAt - overlapMs);
    const until = Math.min(now(), lookedAt + dayMs);
    for (const [bucket, ofBucket] of Map.groupBy(wanted, ({ goal }) => goal.bucket ?? ''))
      for await (const made of this.#deps.recordsMade(db, { appId, bucket, from, until })) {
        await db.transaction((db) => markReached(db, this.#deps, { appId, made, goals: ofBucket }));
        await db.caughtUp();
        if (this.#isStopped) return false;
      }
    await this.#withState(appId, async ({ db, state }) => {
      if (state.records_until === lookedAt && state.goals === goals)
        await store.saveState(db, { ...state, records_until: until });
    });
    return true;
  }

  async #countConsents({ db, state }: Counting): Promise<boolean> {
    const now = this.#deps.now();
    if (now - state.withdrawn_until < withdrawnEveryMs) return false;
    const { app_id: appId } = state;
    for (const { installationId, at } of await this.#deps.withdrawals(db, appId, state.withdrawn_until - overlapMs))
      await store.markWithdrawn(db, { appId, installationId, at, since: at - blamedMs });
    await store.saveState(db, { ...state, withdrawn_until: now });
    return true;
  }

  async #countLoads(appId: string): Promise<void> {
    const { db, now } = this.#deps;
    const state = await store.findState(db, appId);
    const began = performance.now();
    if (state === undefined || began < this.#loadsDueAt) return;
    for (const row of await store.staleLoads(db, appId)) {
      const from = row.started_at;
      // Half of them may have gone: what was counted before stays.
      if (from < state.shown_since) continue;
      const date = dateOf(from, state.time_zone);
      const until = dayStart(row.span === 'week' ? addDays(date, 7) : addMonths(date, 1), state.time_zone);
      const counted = await store.countLoad(db, appId, { from, until });
      const visitors = JSON.stringify(Object.fromEntries(counted.map((one) => [one.n, one.visitors])));
      await store.saveLoad(db, { ...row, visitors, counted_at: now() });
    }
    this.#loadsDueAt = performance.now() + loadRest * (performance.now() - began);
  }
}

const earlier = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b));

interface Reaching {
  readonly appId: string;
  readonly made: ReturnType<GoalReads['recordsMade']> extends AsyncIterable<infer Page> ? Page : never;
  readonly goals: readonly GoalOf[];
}

/** Whoever was shown a message and made one of these records in time has reached its goal, at the first of them. */
async function markReached(db: Db, { installationsNamed }: GoalReads, { appId, made, goals }: Reaching): Promise<void> {
  const timesOf = new Map<string, number[]>();
  for (const [place, ids] of (await installationsNamed(db, appId, made)).entries())
    for (const id of ids) timesOf.set(id, [...(timesOf.get(id) ?? []), made[place]?.at ?? 0]);
  const installationIds = [...timesOf.keys()];
  for (const { triggerId, goal } of goals)
    for (const showing of await store.firstShowings(db, { appId, triggerId, installationIds })) {
      const { shown_at: shownAt, acted_at: actedAt } = showing;
      const inTime = (at: number) => at > shownAt && at <= shownAt + windowMs(goal);
      const at = timesOf.get(showing.installation_id)?.find(inTime);
      if (at !== undefined && (actedAt === null || actedAt > at)) await store.markActed(db, showing, at);
    }
}

/** The messages whose goal is another one now, or gone. */
function changedGoals(before: string, goals: readonly GoalOf[]): string[] {
  const textOf = (all: readonly GoalOf[]) =>
    new Map(all.map(({ triggerId, goal }) => [triggerId, JSON.stringify(goal)]));
  const [earlier, now] = [textOf(JSON.parse(before) as GoalOf[]), textOf(goals)];
  return [...new Set([...earlier.keys(), ...now.keys()])].filter((id) => earlier.get(id) !== now.get(id));
}

async function heldState(db: Db, appId: string, zone: string): Promise<store.MessageState> {
  const known = await store.lockState(db, appId);
  if (known !== undefined) return known;
  await store.createState(db, {
    app_id: appId,
    time_zone: zone,
    goals: '[]',
    shown_since: 0,
    recounted_to: null,
    records_until: 0,
    withdrawn_until: 0,
  });
  const created = await store.lockState(db, appId);
  if (created === undefined) throw new Error(`The state of counting the messages of ${appId} has gone.`);
  return created;
}

/** Begins to count everything anew; days of which rows have been deleted stay as they are. */
async function beginAnew(db: Db, state: store.MessageState): Promise<void> {
  const { app_id: appId, time_zone: zone, shown_since: since } = state;
  const date = dateOf(since, zone);
  const whole = dayStart(date, zone) >= since ? date : addDays(date, 1);
  await store.deleteRollups(db, appId, since === 0 ? 0 : dayStart(whole, zone));
  const earliest = (await store.earliestShowing(db, appId)) ?? 0;
  await store.saveState(db, { ...state, recounted_to: '', records_until: earliest, withdrawn_until: earliest });
}

async function countDay(
  { db, state }: Counting,
  places: PlaceHistory,
  { triggerId, date }: { readonly triggerId: string; readonly date: string },
): Promise<void> {
  const { app_id: appId, time_zone: zone } = state;
  const [from, until] = [dayStart(date, zone), dayStart(addDays(date, 1), zone)];
  if (from < state.shown_since) return;
  const parts = await readDay(db, { appId, triggerId, from, until });
  await saveDay(db, { appId, triggerId, startedAt: from }, dayOf(parts, places, from));
  await store.markLoad(db, appId, 'week', dayStart(weekOf(date), zone));
  await store.markLoad(db, appId, 'month', dayStart(monthOf(date), zone));
}
