import type { Sample } from '../presence/types.ts';
import type { Firing } from '../rules/rule-types.ts';
import { decide } from './decide.ts';
import type { Decision, DecisionContext, Reads } from './decision.ts';
import type { TrackRecord } from './record.ts';

/** One installation whose presence is in memory: of a phone that decides by itself, or of a rehearsal. */

/** Plain JSON. */
export interface Memory {
  /** Null: nothing is known yet. */
  readonly record: TrackRecord | null;
  /** When time alone brings something about, ms. */
  readonly deadline: number | null;
  /** What it was shown, and the other phones of the person. */
  readonly fired: readonly Firing[];
  /** Visits that are over, by beacon. */
  readonly ended: Readonly<Record<string, number>>;
}

export const nothingKnown: Memory = { record: null, deadline: null, fired: [], ended: {} };

/** Of epoch milliseconds: nothing else in a record is so large. */
const MIN_TIME = 1e11;

/** The presence by a clock that is so many milliseconds ahead of the one by which it was remembered. What was shown stays. */
export function byClockAhead({ record, deadline, ...rest }: Memory, ahead: number): Memory {
  const moved = (_: string, value: unknown) => (typeof value === 'number' && value > MIN_TIME ? value + ahead : value);
  return {
    ...rest,
    ...(JSON.parse(JSON.stringify({ record, deadline }), moved) as Pick<Memory, 'record' | 'deadline'>),
  };
}

/** Nothing counts for longer, and no cap for more. */
const FIRED_MS = 32 * 86_400_000;
const MAX_FIRED = 1_000;
/** Far more than any batch can cause; a guard, not a limit that anybody reaches. */
const MAX_DEADLINES = 20_000;

/** Where beacons and messages come from, and what is known of the past beside the memory. */
export type Site = Pick<Reads, 'places' | 'triggers' | 'receiverOffset'> &
  Partial<Pick<Reads, 'firings' | 'visitCount' | 'kept'>>;

const nothingKept: Reads['kept'] = { segments: async () => [], visits: async () => [], events: async () => [] };

export class InMemory {
  readonly #site: Site;
  readonly #context: Omit<DecisionContext, 'now'>;
  #memory: Memory;

  constructor(site: Site, context: Omit<DecisionContext, 'now'>, memory = nothingKnown) {
    this.#site = site;
    this.#context = context;
    this.#memory = memory;
  }

  get memory(): Memory {
    return this.#memory;
  }

  /** What is sensed until `now`, later than all before. */
  take(samples: readonly Sample[], now: number): Promise<Decision> {
    return this.#decide(samples, now);
  }

  /** What has fallen due by now, and may be too late to be shown. */
  lapse(now: number): Promise<Decision> {
    return this.#decide(null, now);
  }

  /** What falls due until then, each when it does. */
  async passTime(until: number): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (let round = 0; round < MAX_DEADLINES; round++) {
      const at = this.#memory.deadline;
      if (at === null || at > until) break;
      decisions.push(await this.#decide(null, at));
    }
    return decisions;
  }

  async #decide(samples: readonly Sample[] | null, now: number): Promise<Decision> {
    const { record, fired, ended } = this.#memory;
    const site = this.#site;
    const reads: Reads = {
      ...site,
      record: async () => record ?? undefined,
      firings: async (since) => [...((await site.firings?.(since)) ?? []), ...fired],
      visitCount: async (id) => ((await site.visitCount?.(id)) ?? 0) + (ended[id] ?? 0),
      kept: site.kept ?? nothingKept,
    };
    const decision = await decide(reads, { ...this.#context, now }, samples);
    const over = { ...ended };
    for (const { event, beaconId } of decision.events) if (event === 'EXIT') over[beaconId] = (over[beaconId] ?? 0) + 1;
    const shown = decision.fired.map(({ verdict: { triggerId, visitId, at } }) => ({ triggerId, visitId, at }));
    this.#memory = {
      // Samples are not kept here: everything arrives in order.
      record: { ...decision.record, segments: [] },
      deadline: decision.deadline,
      fired: [...fired, ...shown].filter(({ at }) => at > now - FIRED_MS).slice(-MAX_FIRED),
      ended: over,
    };
    return decision;
  }
}
