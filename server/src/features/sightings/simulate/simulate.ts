import type { AppPolicy } from '../../../access/policy.ts';
import type { Db } from '../../../db/db.ts';
import { type Firing, nextDeadline } from '../../../proximity/index.ts';
import { type Decision, decide, Past, type Place, type Reads, type Turn } from '../decide/decide.ts';
import type { Stored } from '../decide/presence-store.ts';
import type { Placed } from '../intake/intake.ts';
import { readsOf } from '../intake/take.ts';

/** A rehearsal: the same calls as for real sightings, on presences that exist only in memory. */

export interface Simulation {
  readonly appId: string;
  readonly policy: AppPolicy;
  readonly placed: readonly Placed[];
  /** Begin with what is known of a real installation instead of with nobody. */
  readonly continues: boolean;
  readonly hasTarget: boolean;
  /** Let time go on until then after the last sighting, ms. */
  readonly until: number | undefined;
}

/** Far more than any batch can bring about; a guard, not a limit that somebody meets. */
const mostDeadlines = 20_000;

/** Each report arrives when it was made, so that nothing is late by being told in one batch. */
export async function simulate(db: Db, simulation: Simulation): Promise<Decision[]> {
  const ordered = [...simulation.placed].sort((a, b) => occurredAt(a) - occurredAt(b));
  const visitors = new Map<string, Visitor>();
  const decisions: Decision[] = [];
  for (const one of ordered) {
    const visitor = visitors.get(one.installationId) ?? new Visitor(db, simulation, one.installationId);
    visitors.set(one.installationId, visitor);
    decisions.push(...(await visitor.passTime(occurredAt(one))), await visitor.take(one));
  }
  for (const visitor of visitors.values()) {
    if (simulation.until !== undefined) decisions.push(...(await visitor.passTime(simulation.until)));
  }
  return decisions;
}

const occurredAt = ({ item }: Placed) => item.observation.occurredAt;

class Visitor {
  readonly #simulation: Simulation;
  readonly #installationId: string;
  readonly #presences = new Map<string, Stored>();
  readonly #places = new Map<string, Place>();
  readonly #reads: Reads;
  readonly #past: Past;

  constructor(db: Db, simulation: Simulation, installationId: string) {
    this.#simulation = simulation;
    this.#installationId = installationId;
    const stored = readsOf(db, simulation.appId, installationId);
    const triggers = new Map<string, ReturnType<Reads['triggers']>>();
    const nothing = async (): Promise<readonly Firing[]> => [];
    this.#reads = {
      presence: async (beaconId) =>
        this.#presences.get(beaconId) ?? (simulation.continues ? await stored.presence(beaconId) : undefined),
      triggers: (beaconId) => {
        const known = triggers.get(beaconId) ?? stored.triggers(beaconId);
        triggers.set(beaconId, known);
        return known;
      },
      firings: simulation.continues ? stored.firings : nothing,
    };
    this.#past = new Past(this.#reads);
  }

  take({ item, beacon }: Placed): Promise<Decision> {
    this.#places.set(beacon.objectId, beacon);
    return this.#decide(beacon, [item.observation], item.observation.occurredAt);
  }

  /** What falls due until then, in order. */
  async passTime(until: number): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (let round = 0; round < mostDeadlines; round++) {
      const due = this.#firstDue(until);
      if (!due) break;
      decisions.push(await this.#decide(due.place, null, due.at));
    }
    return decisions;
  }

  #firstDue(until: number): { readonly place: Place; readonly at: number } | undefined {
    let first: { place: Place; at: number } | undefined;
    for (const [beaconId, { state }] of this.#presences) {
      const at = nextDeadline(state);
      const place = this.#places.get(beaconId);
      if (at !== null && place && at <= until && at < (first?.at ?? Number.POSITIVE_INFINITY)) first = { place, at };
    }
    return first;
  }

  async #decide(place: Place, observations: Parameters<typeof decide>[3], now: number): Promise<Decision> {
    const { policy, hasTarget } = this.#simulation;
    const turn: Turn = { installationId: this.#installationId, policy, now, hasTarget };
    const decision = await decide({ reads: this.#reads, past: this.#past }, turn, place, observations);
    this.#presences.set(place.objectId, { state: decision.outcome.state, visitCount: decision.visitCount });
    return decision;
  }
}
