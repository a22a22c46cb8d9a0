import type { Context } from '../../context.ts';

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
export type Counting = Pick<
  Context,
  'db' | 'traceCounts' | 'findBeaconNames' | 'countProximityStates' | 'countFailures' | 'countTokens'
>;

export async function readLive({ db, traceCounts, findBeaconNames }: Counting, appId: string, venues: Venues) {
  const { visitors, occupied } = await traceCounts.countOpenVisits(db, appId, venues);
  const rows = await traceCounts.listOccupied(db, appId, 12, venues);
  const names = await findBeaconNames(
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
export async function readBeaconVisits(
  { db, traceCounts }: Counting,
  appId: string,
  { ids, venues }: { readonly ids: readonly string[]; readonly venues: Venues },
) {
  const found = await traceCounts.findBeaconVisits(db, appId, ids, venues);
  return found.map(({ lastAt, ...rest }) => ({ ...rest, lastVisitAt: iso(lastAt) }));
}

/** Verdicts with these reasons were never meant for the event. */
const otherwiseMeant = new Set(['disabled', 'event', 'beacon']);

/** What became of the events since a time (epoch ms). */
export async function readFunnel({ db, traceCounts, countProximityStates }: Counting, appId: string, since: number) {
  const events = await traceCounts.countEvents(db, appId, since);
  const verdicts = await traceCounts.countVerdicts(db, appId, since);
  const states = await countProximityStates(db, appId, since);
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

export async function readAttention(
  { db, traceCounts, countTokens, countFailures }: Counting,
  appId: string,
  now: number,
) {
  const lastVisit = await traceCounts.findLastVisit(db, appId);
  return {
    lastVisitAt: lastVisit === undefined ? null : iso(lastVisit),
    tokens: await countTokens(db, appId),
    failures: (await countFailures(db, appId, now - failuresWithinMs)).map(({ sender, reason, n, last_at }) => ({
      sender,
      reason: reason ?? 'The push service gave no reason.',
      count: n,
      lastAt: iso(last_at),
    })),
  };
}
