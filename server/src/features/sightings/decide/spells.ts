import type { Sample } from '@pharos/engine';

/**
 * Which time has been processed, kept for longer than the samples themselves. What a sender repeats after its samples are gone
 * would be weighed without what came before, and give different visits from the first time. Pure.
 */

/** Sensed without a longer pause from then until then (ms), and at which beacons: a bit for each, by `bitOf`. */
export type Spell = readonly [from: number, until: number, beacons: number];
/** By receiver, since a phone and a gateway may each be late; '' is the phone itself. Oldest first. */
export type Spells = Readonly<Record<string, readonly Spell[]>>;

/** How long a sample may be in transit. */
const PAUSE_MS = 30_000;
const MOST_SPELLS = 48;
const MOST_RECEIVERS = 8;

/** Beacons may share a bit: then a late sample of one is taken for known in a spell of the other. */
function bitOf(beaconId: string): number {
  let sum = 0;
  for (let index = 0; index < beaconId.length; index++) sum = (Math.imul(sum, 31) + beaconId.charCodeAt(index)) | 0;
  return 1 << ((sum >>> 0) % 31);
}

/** The spells with samples (in order of time) added. Decisions are known by their keys. */
export function withSpells(spells: Spells, samples: readonly Sample[]): Spells {
  const heard = samples.filter(({ event }) => event === undefined);
  if (heard.length === 0) return spells;
  // A sender may call its receiver `__proto__`.
  const next = new Map(Object.entries(spells));
  for (const [receiver, own] of Map.groupBy(heard, ({ receiver = '' }) => receiver)) {
    const points = own.map(({ occurredAt, beaconId }): Spell => [occurredAt, occurredAt, bitOf(beaconId)]);
    const known = next.get(receiver) ?? [];
    const inOrder = (known.at(-1)?.[0] ?? 0) <= (points[0]?.[0] ?? 0);
    const all = [...known, ...points];
    next.set(receiver, unite(inOrder ? all : all.sort(([a], [b]) => a - b)).slice(-MOST_SPELLS));
  }
  return bounded(next);
}

function unite(spells: readonly Spell[]): Spell[] {
  const united: Spell[] = [];
  for (const [from, until, beacons] of spells) {
    const last = united.at(-1);
    if (last === undefined || from - last[1] > PAUSE_MS) united.push([from, until, beacons]);
    else united[united.length - 1] = [last[0], Math.max(last[1], until), last[2] | beacons];
  }
  return united;
}

/** Those heard of last stay. */
function bounded(spells: ReadonlyMap<string, readonly Spell[]>): Spells {
  if (spells.size <= MOST_RECEIVERS) return Object.fromEntries(spells);
  const newest = ([, own]: readonly [string, readonly Spell[]]) => own.at(-1)?.[1] ?? 0;
  return Object.fromEntries([...spells].sort((a, b) => newest(b) - newest(a)).slice(0, MOST_RECEIVERS));
}

export function isTakenIn(spells: Spells, { event, receiver = '', occurredAt, beaconId }: Sample): boolean {
  if (event !== undefined) return false;
  const bit = bitOf(beaconId);
  const own = Object.hasOwn(spells, receiver) ? spells[receiver] : [];
  return (own ?? []).some(
    ([from, until, beacons]) => from <= occurredAt && occurredAt <= until && (beacons & bit) !== 0,
  );
}
