import { costs, plannedShare } from './costs.ts';

export interface Demand {
  /** People a day, over all venues. */
  readonly visitorsPerDay: number;
  readonly beacons: number;
  readonly retentionDays: number;
  /** Minutes that somebody stays. */
  readonly minutes: number;
  /** Stops at beacons during a stay. */
  readonly stops: number;
  /** Beacons that a phone overhears at a time. */
  readonly overheard: number;
  /** Seconds between two deliveries of a phone. */
  readonly everySeconds: number;
  readonly openHours: number;
}

export interface Capacity {
  readonly visitsPerDay: number;
  readonly sightingsPerDay: number;
  /** In the busiest hour, which has twice the average. */
  readonly peak: {
    readonly deliveriesPerSecond: number;
    readonly sightingsPerSecond: number;
    readonly rowsPerSecond: number;
  };
  /** Whether one process with the embedded database is enough. */
  readonly fitsOneProcess: boolean;
  /** With PostgreSQL: one more than are needed, so that one may be away. */
  readonly nodes: number;
  readonly statementsPerSecond: number;
  /** Bytes. */
  readonly disk: { readonly traces: number; readonly numbersPerYear: number; readonly logPerDay: number };
}

const peakOverMean = 2;

export function planCapacity(demand: Demand): Capacity {
  const { visitorsPerDay, beacons, retentionDays, minutes, stops, overheard, everySeconds, openHours } = demand;
  const deliveriesPerDay = visitorsPerDay * ((minutes * 60) / everySeconds);
  const sightingsPerDay = deliveriesPerDay * overheard;
  const visitsPerDay = visitorsPerDay * stops;
  const atPeak = (perDay: number) => (perDay / (openHours * 3_600)) * peakOverMean;
  const deliveriesPerSecond = atPeak(deliveriesPerDay);
  // A visit has an ENTER, an EXIT and its verdicts: about six rows.
  const rowsPerSecond = atPeak(sightingsPerDay) * costs.rowsPerSighting.value + atPeak(visitsPerDay) * 6;
  const busy = Math.ceil(deliveriesPerSecond / (costs.deliveriesPerSecond.postgres.value * plannedShare));
  const nodes = Math.max(1, busy) + 1;
  return {
    visitsPerDay,
    sightingsPerDay,
    peak: { deliveriesPerSecond, sightingsPerSecond: atPeak(sightingsPerDay), rowsPerSecond },
    fitsOneProcess: deliveriesPerSecond <= costs.deliveriesPerSecond.sqlite.value * plannedShare,
    nodes,
    statementsPerSecond: deliveriesPerSecond * costs.statementsPerDelivery.value + nodes * costs.idleStatements.value,
    disk: {
      traces: visitsPerDay * retentionDays * costs.bytesPerVisit.value,
      // Hours without visits have no rows.
      numbersPerYear: Math.min(beacons * openHours, visitsPerDay) * 365 * costs.bytesPerBeaconHour.value,
      logPerDay: sightingsPerDay * costs.logPerSighting.value + visitsPerDay * costs.logPerVisit.value,
    },
  };
}
