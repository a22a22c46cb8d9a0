import { heldOut } from '@pharos/engine';
import type { Goal } from '../../../../access/experiment.ts';
import { fail } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import { type Blur, blurDeviation, type Count, smallGroup } from '../../../blur.ts';
import { dateOf, dayStart, monthOf, unitOf, weekOf } from '../numbers/calendar.ts';
import type { NumbersQuestion } from '../numbers/question.ts';
import { findBlur } from '../numbers/store.ts';
import { metrics, readRollups, type Sums } from './rollup-store.ts';
import type { GroupComparison, GroupNumbers, MessageNumbers } from './schemas.ts';
import { type ActedShare, type Compared, compared, conclusion, shareInterval } from './statistics.ts';
import * as store from './store.ts';

/** The numbers of messages in a period, from the days that were counted. */

interface MessageName {
  readonly kind: 'notification' | 'scenario';
  readonly name: string;
  readonly goal: Goal | undefined;
}

export interface MessageAnswering {
  readonly db: Db;
  readonly appId: string;
  readonly zone: string;
  readonly isProtected: boolean;
  readonly namesOf: (db: Db, appId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, MessageName>>;
}

const nothing = (): Sums => ({ reached: 0, opened_by: 0, acted: 0, shown: 0, received: 0, opened: 0, withdrawn: 0 });

function addTo(sums: Sums, row: Sums): void {
  for (const metric of metrics) sums[metric] += Number(row[metric]);
}

export async function messagesOf(by: MessageAnswering, question: NumbersQuestion, triggerId: string | undefined) {
  const { db, appId, zone, isProtected } = by;
  const { from, until, interval, place } = question;
  const stretch = { appId, from: dayStart(from, zone), until: dayStart(until, zone) };
  const startOf = interval === 'week' ? weekOf : interval === 'month' ? monthOf : (date: string) => date;
  const wholes = new Map<string, Map<string, Sums>>();
  const parts = new Map<string, { start: string; triggerId: string; group: string; sums: Sums }>();
  for await (const row of readRollups(db, stretch, { triggerId, place })) {
    const groups = wholes.get(row.trigger_id) ?? new Map<string, Sums>();
    wholes.set(row.trigger_id, groups);
    const sums = groups.get(row.message_group) ?? nothing();
    groups.set(row.message_group, sums);
    addTo(sums, row);
    if (interval === 'total') continue;
    const start = startOf(dateOf(row.started_at, zone));
    const key = `${start} ${row.trigger_id} ${row.message_group}`;
    const part = parts.get(key) ?? { start, triggerId: row.trigger_id, group: row.message_group, sums: nothing() };
    parts.set(key, part);
    addTo(part.sums, row);
    if (parts.size > maxRows) throw tooMany(interval);
  }
  const blur = isProtected ? await findBlur(db, appId) : undefined;
  const names = await by.namesOf(db, appId, [...wholes.keys()]);
  const hasGoal = (triggerId: string) => names.get(triggerId)?.goal !== undefined;
  const state = await store.findState(db, appId);
  return {
    from,
    until,
    timeZone: zone,
    interval,
    isProtected,
    isComplete:
      !(await store.hasMoreChanged(db, appId, maxWaiting)) &&
      (state === undefined || (state.recounted_to === null && state.time_zone === zone)),
    messages: [...wholes]
      .map(([id, groups]) => messageOf(id, names.get(id), groups, blur))
      .sort((a, b) => sizeOf(b) - sizeOf(a) || (a.triggerId < b.triggerId ? -1 : 1)),
    rows: [...parts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { start, triggerId, group, sums }]) => ({
        start,
        triggerId,
        ...groupNumbers({ triggerId, group, sums, hasGoal: hasGoal(triggerId) }, blur),
      })),
    // Whoever was shown two messages may have seen them at two places: of one place nobody has counted them.
    load: place === undefined ? await loadOf({ ...by, blur }, from, until) : null,
  };
}

/** More than these are counted in more than some seconds. */
const maxWaiting = 1_000;

/** At most this many rows: an answer must not grow with the app. */
const maxRows = 10_000;

const tooMany = (interval: string) =>
  fail(
    'InvalidQuery',
    `These are more than ${maxRows} rows by ${interval}. Ask about a shorter period or one message.`,
  );

const sizeOf = ({ groups }: MessageNumbers) =>
  groups.reduce((sum, { reached }) => sum + (typeof reached === 'number' ? reached : 1), 0);

function messageOf(
  triggerId: string,
  name: MessageName | undefined,
  groups: ReadonlyMap<string, Sums>,
  blur: Blur | undefined,
): MessageNumbers {
  const goal = name?.goal ?? null;
  const shown = [...groups]
    .sort(([a], [b]) => Number(a === heldOut) - Number(b === heldOut) || (a < b ? -1 : 1))
    .map(([group, sums]) => groupNumbers({ triggerId, group, sums, hasGoal: goal !== null }, blur));
  return {
    triggerId,
    kind: name?.kind ?? null,
    name: name?.name ?? null,
    goal,
    groups: shown,
    comparisons: goal === null ? [] : comparisonsOf(shown, deviationOf(blur)),
  };
}

interface GroupSums {
  readonly triggerId: string;
  readonly group: string;
  readonly sums: Sums;
  /** False: the message has no goal, so nobody has counted who reached it. */
  readonly hasGoal: boolean;
}

/** Where small groups are protected, everything follows from the blurred numbers that are told. */
function groupNumbers({ triggerId, group, sums, hasGoal }: GroupSums, blur: Blur | undefined): GroupNumbers {
  const cell = `${triggerId} ${group}`;
  const reached = blur ? blur.blurred(sums.reached, 'reached', cell) : sums.reached;
  const count = (value: number, name: string): Count => {
    if (blur === undefined) return value;
    return reached === smallGroup ? null : blur.blurred(value, name, cell);
  };
  const acted = hasGoal || sums.acted > 0 ? count(Math.min(sums.acted, sums.reached), 'acted') : null;
  const outcome = outcomeOf({ reached, acted }, deviationOf(blur));
  const interval = outcome && shareInterval(outcome);
  return {
    group,
    reached,
    openedBy: count(sums.opened_by, 'openedBy'),
    acted,
    shown: count(sums.shown, 'shown'),
    received: count(sums.received, 'received'),
    opened: count(sums.opened, 'opened'),
    withdrawn: count(sums.withdrawn, 'withdrawn'),
    share: outcome ? fine(outcome.acted / outcome.of) : null,
    shareLow: interval ? fine(interval.low) : null,
    shareHigh: interval ? fine(interval.high) : null,
  };
}

const fine = (share: number) => Math.round(share * 10_000) / 10_000;

/** Noise makes intervals wider: from it alone nothing may be concluded. */
const deviationOf = (blur: Blur | undefined) => (blur ? blurDeviation : 0);

function outcomeOf(
  { reached, acted }: { readonly reached: Count; readonly acted: Count },
  deviation: number,
): ActedShare | undefined {
  if (typeof reached !== 'number' || typeof acted !== 'number' || reached === 0) return undefined;
  // Rounded numbers may exceed each other.
  return { acted: Math.min(acted, reached), of: reached, deviation };
}

/** Those who got something against those who did not; without a group that gets nothing, the variants against the first. */
function comparisonsOf(groups: readonly GroupNumbers[], deviation: number): GroupComparison[] {
  const compare = (one: GroupNumbers, other: GroupNumbers) => comparisonOf(one, other, deviation);
  const held = groups.find(({ group }) => group === heldOut);
  const others = groups.filter(({ group }) => group !== heldOut);
  const against = held ?? others[0];
  if (against === undefined || groups.length < 2) return [];
  const comparisons = others.filter((one) => one !== against).map((one) => compare(one, against));
  const best = others.length > 1 && held ? others.slice(1).map((one) => compare(one, others[0] ?? one)) : [];
  return [...comparisons, ...best];
}

function whoOf(group: string): string {
  if (group === heldOut) return 'who did not get it';
  return group === '' ? 'who got it' : `who got ${group}`;
}

function comparisonOf(one: GroupNumbers, other: GroupNumbers, deviation: number): GroupComparison {
  const [a, b] = [outcomeOf(one, deviation), outcomeOf(other, deviation)];
  const named = { group: one.group, against: other.group };
  const undecided = { difference: null, low: null, high: null, isClear: false };
  if (a === undefined || b === undefined)
    return {
      ...named,
      ...undecided,
      text: 'Too few visitors to compare, or too few of them reached the goal to be told.',
    };
  const result: Compared | undefined = compared(a, b);
  const text = conclusion({ ...a, who: whoOf(one.group) }, { ...b, who: whoOf(other.group) }, result);
  if (result === undefined) return { ...named, ...undecided, text };
  const { difference, low, high, isClear } = result;
  return { ...named, difference: fine(difference), low: fine(low), high: fine(high), isClear, text };
}

/** Ten messages and more share one row. */
const maxMessages = 10;

/** How many messages visitors were shown; only of one whole week or month, since weeks cannot be added up. */
type Loads = MessageAnswering & { readonly blur: Blur | undefined };

async function loadOf({ db, appId, zone, blur }: Loads, from: string, until: string) {
  const unit = unitOf(from, until);
  if (unit !== 'week' && unit !== 'month') return null;
  const row = await store.findLoad(db, appId, unit, dayStart(from, zone));
  const visitors = new Map<number, number>();
  for (const [n, count] of Object.entries(JSON.parse(row?.visitors ?? '{}') as Record<string, number>)) {
    const messages = Math.min(maxMessages, Number(n));
    visitors.set(messages, (visitors.get(messages) ?? 0) + Number(count));
  }
  return [...visitors]
    .sort(([a], [b]) => a - b)
    .map(([messages, count]) => ({
      messages,
      visitors: blur ? blur.blurred(count, 'load', `${unit} ${from} ${messages}`) : count,
    }));
}
