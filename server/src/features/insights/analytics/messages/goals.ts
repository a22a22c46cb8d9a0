import type { Goal } from '../../../../access/experiment.ts';
import type { Db } from '../../../../db/db.ts';

/** Whether visitors have done what a message was for. What visits, events and records are is other features' matter. */

export interface GoalOf {
  readonly triggerId: string;
  readonly goal: Goal;
}

interface Window {
  readonly appId: string;
  readonly installationId: string;
  /** Epoch ms; what happened at that time does not count, at `until` it does. */
  readonly from: number;
  readonly until: number;
  /** At one of these; anywhere without them. */
  readonly beaconIds?: readonly string[];
}

export interface MadeRecord {
  /** Ids by which the installation may be named: its objectId or its own, or the user's. */
  readonly installationId: string | undefined;
  readonly userId: string | undefined;
  /** Epoch ms. */
  readonly at: number;
}

export interface GoalReads {
  /** The goals of all messages of the app that have one. */
  readonly list: (db: Db, appId: string) => Promise<readonly GoalOf[]>;
  readonly beaconsOf: (
    db: Db,
    appId: string,
    place: { readonly zoneId?: string | undefined; readonly venueId?: string | undefined },
  ) => Promise<readonly string[]>;
  readonly firstVisit: (db: Db, window: Window) => Promise<number | undefined>;
  readonly firstEvent: (db: Db, window: Window & { readonly event: string }) => Promise<number | undefined>;
  /** Records of a bucket that were made then, some at a time, oldest first. */
  readonly records: (
    db: Db,
    asked: { readonly appId: string; readonly bucket: string; readonly from: number; readonly until: number },
  ) => AsyncIterable<readonly MadeRecord[]>;
  /** The objectIds of the installations of who made each of some records. */
  readonly installationsOf: (
    db: Db,
    appId: string,
    records: readonly MadeRecord[],
  ) => Promise<readonly (readonly string[])[]>;
}

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
    const window: Window = {
      appId: this.#appId,
      installationId,
      from: shownAt,
      until: shownAt + windowMs(goal),
      ...(places ? { beaconIds: places } : {}),
    };
    if (goal.kind === 'event')
      return (await this.#reads.firstEvent(this.#db, { ...window, event: goal.event ?? 'ENTER' })) ?? null;
    return (await this.#reads.firstVisit(this.#db, window)) ?? null;
  }

  async #placesOf({ beaconId, zoneId, venueId }: Goal): Promise<readonly string[] | undefined> {
    if (beaconId !== undefined) return [beaconId];
    if (zoneId === undefined && venueId === undefined) return undefined;
    const key = `${zoneId} ${venueId}`;
    const known = this.#places.get(key) ?? this.#reads.beaconsOf(this.#db, this.#appId, { zoneId, venueId });
    this.#places.set(key, known);
    return known;
  }
}
