import type { Db } from '../../../db/db.ts';

/**
 * Counts for the first page of an app: only SQL. All of it runs beside the other requests, under the deadline of long
 * queries, and reads no more than a range of ids or one index entry per beacon.
 */

const hourMs = 3_600_000;
const failuresWithinMs = 24 * hourMs;

const iso = (time: number) => new Date(time).toISOString();

/** Only of beacons of these venues; of all without it. */
export type Venues = readonly string[] | undefined;

/** Sums over the tables of other features, which they count themselves. Times are epoch milliseconds. */
export interface Counts {
  openVisits(db: Db, appId: string, venues?: Venues): Promise<{ readonly visitors: number; readonly occupied: number }>;
  /** The beacons with the most visitors now. */
  occupied(
    db: Db,
    appId: string,
    limit: number,
    venues?: Venues,
  ): Promise<readonly { readonly beacon_id: string; readonly visitors: number; readonly since: number }[]>;
  lastVisit(db: Db, appId: string): Promise<number | undefined>;
  beaconVisits(
    db: Db,
    appId: string,
    ids: readonly string[],
    venues?: Venues,
  ): Promise<readonly { readonly beaconId: string; readonly visitors: number; readonly lastAt: number }[]>;
  beaconNames(db: Db, appId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  events(db: Db, appId: string, since: number): Promise<number>;
  /** The commonest first. */
  verdicts(
    db: Db,
    appId: string,
    since: number,
  ): Promise<readonly { readonly outcome: string; readonly reason: string; readonly n: number }[]>;
  /** What became of the messages that events have set off. */
  proximityStates(
    db: Db,
    appId: string,
    since: number,
  ): Promise<
    readonly { readonly state: string; readonly n: number; readonly received: number; readonly opened: number }[]
  >;
  failures(
    db: Db,
    appId: string,
    since: number,
  ): Promise<
    readonly {
      readonly sender: string | null;
      readonly reason: string | null;
      readonly n: number;
      readonly last_at: number;
    }[]
  >;
  tokens(
    db: Db,
    appId: string,
  ): Promise<{
    readonly installations: number;
    readonly dead: readonly { readonly reason: string; readonly count: number }[];
  }>;
}

/** Whose page it is. */
export interface OverviewScope {
  readonly db: Db;
  readonly counts: Counts;
  readonly appId: string;
}

export async function readLive({ db, counts, appId }: OverviewScope, venues: Venues) {
  const { visitors, occupied } = await counts.openVisits(db, appId, venues);
  const rows = await counts.occupied(db, appId, 12, venues);
  const names = await counts.beaconNames(
    db,
    appId,
    rows.map(({ beacon_id }) => beacon_id),
  );
  return {
    visitors,
    occupied,
    beacons: rows.map(({ beacon_id: beaconId, visitors, since }) => ({
      beaconId,
      name: names.get(beaconId) ?? null,
      visitors,
      since: iso(since),
    })),
  };
}

/** Whether visitors are noticed at some beacons, and when they last were. */
export async function readBeaconVisits({ db, counts, appId }: OverviewScope, ids: readonly string[], venues: Venues) {
  const found = await counts.beaconVisits(db, appId, ids, venues);
  return found.map(({ lastAt, ...rest }) => ({ ...rest, lastVisitAt: iso(lastAt) }));
}

/** Verdicts with these reasons were never meant for the event. */
const otherwiseMeant = new Set(['disabled', 'event', 'beacon']);

/** What became of the events since a time (epoch ms). */
export async function readFunnel({ db, counts, appId }: OverviewScope, since: number) {
  const events = await counts.events(db, appId, since);
  const verdicts = await counts.verdicts(db, appId, since);
  const states = await counts.proximityStates(db, appId, since);
  const meant = verdicts.filter(({ reason }) => !otherwiseMeant.has(reason));
  const ofOutcome = (outcome: string) => sum(meant.filter((one) => one.outcome === outcome).map(({ n }) => n));
  const inState = (state: string) => states.find((one) => one.state === state)?.n ?? 0;
  return {
    since: iso(since),
    events,
    eligible: sum(meant.map(({ n }) => n)),
    shown: ofOutcome('fired'),
    waiting: ofOutcome('pending'),
    stopped: meant.filter(({ outcome }) => outcome === 'stopped').map(({ reason, n }) => ({ reason, count: n })),
    deliveries: {
      queued: inState('queued'),
      sent: inState('sent'),
      failed: inState('failed'),
      expired: inState('expired'),
      noTarget: inState('noTarget'),
      cancelled: inState('cancelled'),
      received: sum(states.map(({ received }) => received)),
      opened: sum(states.map(({ opened }) => opened)),
    },
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** What needs a person's attention. */
export async function readAttention({ db, counts, appId }: OverviewScope, now: number) {
  const lastVisit = await counts.lastVisit(db, appId);
  return {
    lastVisitAt: lastVisit === undefined ? null : iso(lastVisit),
    tokens: await counts.tokens(db, appId),
    failures: (await counts.failures(db, appId, now - failuresWithinMs)).map(({ sender, reason, n, last_at }) => ({
      sender,
      reason: reason ?? 'The push service gave no reason.',
      count: n,
      lastAt: iso(last_at),
    })),
  };
}
