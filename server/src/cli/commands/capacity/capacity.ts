import { type Command, type CommandCall, type OptionSpec, UsageError } from '../../support/command.ts';
import { costs } from './costs.ts';
import { type Capacity, type Demand, planCapacity } from './plan.ts';

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
