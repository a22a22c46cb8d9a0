import type { Goal } from '../../../../access/experiment.ts';
import type { Db } from '../../../../db/db.ts';
import type { Services } from '../../../services.ts';

/** Whether visitors have done what a message was for. */

export interface GoalOf {
  readonly triggerId: string;
  readonly goal: Goal;
}

/** What visits, events and records are is other features' matter. */
export type GoalReads = Pick<
  Services,
  'listMessageGoals' | 'beaconsIn' | 'firstVisitIn' | 'firstEventIn' | 'recordsMade' | 'installationsNamed'
>;

const hourMs = 3_600_000;
export const windowMs = ({ withinHours }: Goal) => withinHours * hourMs;

/** Looks for goals in one transaction, in which the beacons of a place are read once. */
export class GoalFinder {
  readonly #db: Db;
  readonly #appId: string;
  readonly #reads: GoalReads;
  readonly #places = new Map<string, Promise<readonly string[]>>();

  constructor(db: Db, appId: string, reads: GoalReads) {
    this.#db = db;
    this.#appId = appId;
    this.#reads = reads;
  }

  /** When the goal of a message that was first shown at `shownAt` was reached; null: not in time. Records are looked for elsewhere. */
  async reachedAt(goal: Goal, installationId: string, shownAt: number): Promise<number | null> {
    const places = await this.#placesOf(goal);
    if (places?.length === 0) return null;
    const window: Parameters<GoalReads['firstVisitIn']>[1] = {
      appId: this.#appId,
      installationId,
      from: shownAt,
      until: shownAt + windowMs(goal),
      ...(places ? { beaconIds: places } : {}),
    };
    if (goal.kind === 'event')
      return (await this.#reads.firstEventIn(this.#db, { ...window, event: goal.event ?? 'ENTER' })) ?? null;
    return (await this.#reads.firstVisitIn(this.#db, window)) ?? null;
  }

  async #placesOf({ beaconId, zoneId, venueId }: Goal): Promise<readonly string[] | undefined> {
    if (beaconId !== undefined) return [beaconId];
    if (zoneId === undefined && venueId === undefined) return undefined;
    const key = `${zoneId} ${venueId}`;
    const known = this.#places.get(key) ?? this.#reads.beaconsIn(this.#db, this.#appId, { zoneId, venueId });
    this.#places.set(key, known);
    return known;
  }
}
