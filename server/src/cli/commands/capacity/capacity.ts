import { type Command, type CommandCall, type OptionSpec, UsageError } from '../../support/command.ts';
import { costs, plannedShare } from './costs.ts';

interface Demand {
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

interface Capacity {
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

function planCapacity(demand: Demand): Capacity {
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

const options = {
  visitors: { value: 'NUMBER', help: 'people a day, over all venues', required: true },
  beacons: { value: 'NUMBER', help: 'beacons, over all venues', required: true },
  retention: { value: 'DAYS', help: 'how long visits and events are kept (365)' },
  minutes: { value: 'NUMBER', help: 'how long somebody stays (90)' },
  stops: { value: 'NUMBER', help: 'at how many beacons somebody stops (15)' },
  overheard: { value: 'NUMBER', help: 'how many beacons a phone hears at a time (8)' },
  every: { value: 'SECONDS', help: 'how often a phone sends what it hears (10)' },
  hours: { value: 'NUMBER', help: 'opening hours a day (9)' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

function numberOf(call: CommandCall, option: keyof typeof options, fallback?: number): number {
  const text = call.text(option);
  const value = text === undefined ? fallback : Number(text);
  if (value === undefined || !Number.isFinite(value) || value <= 0 || value > 1e12)
    throw new UsageError(`--${option} must be a number greater than 0.`);
  return value;
}

function readDemand(call: CommandCall): Demand {
  const demand = {
    visitorsPerDay: numberOf(call, 'visitors'),
    beacons: numberOf(call, 'beacons'),
    retentionDays: numberOf(call, 'retention', 365),
    minutes: numberOf(call, 'minutes', 90),
    stops: numberOf(call, 'stops', 15),
    overheard: numberOf(call, 'overheard', 8),
    everySeconds: numberOf(call, 'every', 10),
    openHours: numberOf(call, 'hours', 9),
  };
  if (demand.openHours > 24) throw new UsageError('--hours must be at most 24.');
  return demand;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

function countText(count: number): string {
  return count < 10 ? String(Math.round(count * 10) / 10) : Math.round(count).toLocaleString('en');
}

function textOf(planned: Capacity, demand: Demand): string {
  const { peak, disk, fitsOneProcess, nodes, statementsPerSecond, visitsPerDay, sightingsPerDay } = planned;
  const lines: readonly (readonly [string, string])[] = [
    ['a day', `${countText(visitsPerDay)} stops at beacons, ${countText(sightingsPerDay)} sightings`],
    [
      'in the busiest hour',
      `${countText(peak.deliveriesPerSecond)} deliveries, ${countText(peak.sightingsPerSecond)} sightings and ${countText(peak.rowsPerSecond)} written rows a second`,
    ],
    ['one process, embedded database', fitsOneProcess ? 'enough' : 'not enough: use PostgreSQL and several nodes'],
    [
      'with PostgreSQL',
      `${nodes} nodes of two cores, one of which may be away; up to ${countText(statementsPerSecond)} statements a second`,
    ],
    [
      'disk of the database',
      `${bytesText(disk.traces)} for ${countText(demand.retentionDays)} days of visits, and ${bytesText(disk.numbersPerYear)} a year for the numbers that outlive them`,
    ],
    ["PostgreSQL's log", `${bytesText(disk.logPerDay)} a day, to standbys and archive`],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return [
    ...lines.map(([name, text]) => `${name.padEnd(width)}  ${text}`),
    '',
    'Not in it: files, records of buckets, pushes, backups (as large again). A node is planned to 30 % of what was measured.',
  ].join('\n');
}

export const capacityCommand: Command = {
  name: 'capacity',
  summary: 'how many nodes and how much disk so many visitors need',
  details:
    'Computed from what visits and sightings were measured to cost; nothing is read or written. With --json the figures and where\neach comes from are printed too. Try the result with pharos simulate before you buy machines.',
  options,
  async run(call) {
    const demand = readDemand(call);
    const planned = planCapacity(demand);
    return { text: textOf(planned, demand), json: { demand, ...planned, costs } };
  },
};
