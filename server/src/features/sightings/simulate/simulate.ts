import type { Ear, Firing } from '@pharos/engine';
import type { AppPolicy } from '../../../access/policy.ts';
import type { Db } from '../../../db/db.ts';
import type { Placed } from '../batch/placing.ts';
import { type Decision, type DecisionContext, decide, type Reads, type ReportedPlace } from '../decide/decide.ts';
import { nothingKept } from '../decide/past-reads.ts';
import type { TrackRecord } from '../decide/track-record.ts';
import { whereaboutsOf } from '../decide/whereabouts.ts';
import { readsOf } from '../intake/take.ts';
import type { SiteReads } from '../site/site-cache.ts';
import type { Whereabouts } from '../traces/positions.ts';

/** A rehearsal: the same calls as for real sightings, on a presence that exists only in memory. */

/** The pretended installation. */
export interface Pretence {
  readonly appId: string;
  readonly policy: AppPolicy;
  /** Start from what is known about a real installation instead of from nothing. */
  readonly continues: boolean;
  readonly hasTarget: boolean;
  /** The language and region of the phone. */
  readonly locale: string | null;
  /** Beacons and messages as they were at some moment; without it, as they are stored. */
  readonly site?: SiteReads;
  /** How the phone is known to hear. */
  readonly ear?: Ear | null;
}

export interface Simulation extends Pretence {
  readonly placed: readonly Placed[];
  /** Let time continue until then after the last sighting, ms. */
  readonly until: number | undefined;
}

/** Far more than any batch can cause; a guard, not a limit that anybody reaches. */
const mostDeadlines = 20_000;

/** Each report arrives when it was made, so that nothing is late because it is sent in one batch. */
export async function simulate(db: Db, simulation: Simulation): Promise<Decision[]> {
  const ordered = [...simulation.placed].sort((a, b) => occurredAt(a) - occurredAt(b));
  const visitors = new Map<string, PretendedInstallation>();
  const decisions: Decision[] = [];
  for (const together of instantsOf(ordered)) {
    const first = together[0] as Placed;
    const visitor =
      visitors.get(first.installationId) ?? new PretendedInstallation(db, simulation, first.installationId);
    visitors.set(first.installationId, visitor);
    decisions.push(...(await visitor.passTime(occurredAt(first))), await visitor.take(together));
  }
  for (const visitor of visitors.values()) {
    if (simulation.until !== undefined) decisions.push(...(await visitor.passTime(simulation.until)));
  }
  return decisions;
}

const occurredAt = ({ item }: Placed) => item.observation.occurredAt;

/** What one installation senses at one instant is one report. */
function instantsOf(ordered: readonly Placed[]): Placed[][] {
  return [...Map.groupBy(ordered, (one) => `${occurredAt(one)} ${one.installationId}`).values()];
}

/** One installation whose presence is in memory. */
export class PretendedInstallation {
  readonly #simulation: Pretence;
  readonly #installationId: string;
  readonly #places = new Map<string, ReportedPlace>();
  readonly #reads: Reads;
  #record: TrackRecord | undefined;
  #deadline: number | null = null;
  #hasBegun = false;
  #fired: readonly Firing[] = [];
  readonly #ended = new Map<string, number>();

  constructor(db: Db, simulation: Pretence, installationId: string) {
    this.#simulation = simulation;
    this.#installationId = installationId;
    const { appId, site, ear } = simulation;
    const stored = readsOf(db, { appId, installationId, userId: null, ...(site ? { site } : {}) });
    const triggers = new Map<string, ReturnType<Reads['triggers']>>();
    this.#reads = {
      record: async () => {
        if (!this.#hasBegun && simulation.continues) this.#record = await stored.record();
        this.#hasBegun = true;
        return this.#record;
      },
      ...(ear === undefined ? {} : { ear: async () => ear }),
      places: async (beaconIds) => {
        const known = beaconIds.flatMap((id) => this.#places.get(id) ?? []);
        const others = beaconIds.filter((id) => !this.#places.has(id));
        return [...known, ...(others.length === 0 ? [] : await stored.places(others))];
      },
      triggers: (beaconId) => {
        const known = triggers.get(beaconId) ?? stored.triggers(beaconId);
        triggers.set(beaconId, known);
        return known;
      },
      firings: async (since) => [...(simulation.continues ? await stored.firings(since) : []), ...this.#fired],
      visitCount: async (beaconId) =>
        (simulation.continues ? await stored.visitCount(beaconId) : 0) + (this.#ended.get(beaconId) ?? 0),
      kept: simulation.continues ? stored.kept : nothingKept,
    };
  }

  /** Where it is believed to be. */
  get whereabouts(): Whereabouts | undefined {
    return this.#record && whereaboutsOf(this.#record).whereabouts;
  }

  /** What is sensed at one instant, which is later than all before. */
  take(together: readonly Placed[]): Promise<Decision> {
    for (const { beacon } of together) this.#places.set(beacon.objectId, beacon);
    const samples = together.map(({ item, beacon }) => ({ ...item.observation, beaconId: beacon.objectId }));
    return this.#decide(samples, occurredAt(together[0] as Placed));
  }

  /** What falls due until then, in order. */
  async passTime(until: number): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (let round = 0; round < mostDeadlines; round++) {
      const at = this.#deadline;
      if (at === null || at > until) break;
      decisions.push(await this.#decide(null, at));
    }
    return decisions;
  }

  async #decide(samples: Parameters<typeof decide>[2], now: number): Promise<Decision> {
    const { policy, hasTarget, locale } = this.#simulation;
    const context: DecisionContext = {
      installationId: this.#installationId,
      policy,
      now,
      hasTarget,
      hasPushTarget: hasTarget,
      locale,
    };
    const decision = await decide(this.#reads, context, samples);
    // Samples are not kept here: everything arrives in order.
    this.#record = { ...decision.record, segments: [] };
    this.#deadline = decision.deadline;
    this.#fired = [...this.#fired, ...decision.fired.map(({ verdict }) => verdict)];
    for (const { event, beaconId } of decision.events)
      if (event === 'EXIT') this.#ended.set(beaconId, (this.#ended.get(beaconId) ?? 0) + 1);
    return { ...decision, isPushed: false };
  }
}
