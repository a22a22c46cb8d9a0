import { findAll } from '../../../src/features/presence/fleet/check.ts';
import { dayMs, hourMs } from '../../../src/features/presence/fleet/days/day.ts';
import { forecastBattery } from '../../../src/features/presence/fleet/detect/battery.ts';
import type { FindingKind, Fleet } from '../../../src/features/presence/fleet/detect/fleet.ts';
import { chargeAt } from './batteries.ts';
import type { Building, Sender } from './building.ts';
import { type SimulatedVenue, simulatedDays, simulateFleet } from './simulated-fleet.ts';

/** Of so many, so many in time. */
export interface Share {
  of: number;
  told: number;
}

export interface Score {
  /** Within 24 opening hours. */
  readonly deaths: Share;
  /** Thirty days before the end: within 14 days of it, and those whose interval has it. */
  readonly batteries: Share & { covered: number };
  /** Within an opening hour: of all, and of those that were heard in it, as the beacon itself was, for `minHeard` minutes. */
  readonly clones: Share;
  readonly heardClones: Share;
  /** Within two opening days. */
  readonly moves: Share;
  /** Ever. */
  readonly bleeding: Share;
  readonly settings: Share;
  /** Findings of beacons that are well, by kind: of all, and of those in a venue's closed week. */
  readonly wrong: Partial<Record<FindingKind, number>>;
  closedWeek: number;
  /** Findings of beacons with another trouble. */
  otherKind: number;
  readonly weeks: number;
}

/** Until then it is learnt what is usual. */
const firstDay = 28;

/** Judges each venue of a simulated fleet as the service does: all three hours, and hourly where a copy was made. */
export function scoreFleet(seed: string, { size = 500, log = (_line: string) => {}, find = findAll } = {}): Score {
  const score: Score = {
    ...{
      deaths: share(),
      batteries: { ...share(), covered: 0 },
      clones: share(),
      heardClones: share(),
      moves: share(),
    },
    ...{ bleeding: share(), settings: share(), wrong: {}, closedWeek: 0, otherKind: 0 },
    weeks: (simulatedDays - firstDay) / 7,
  };
  for (const venue of simulateFleet(seed, size)) scoreVenue(venue, score, { log, find });
  return score;
}

const share = (): Share => ({ of: 0, told: 0 });

interface Judging {
  readonly log: (line: string) => void;
  readonly find: typeof findAll;
}

function scoreVenue(venue: SimulatedVenue, score: Score, { log, find }: Judging): void {
  const { building } = venue;
  const senders = new Map(building.senders.map((one) => [one.id, one]));
  const firstTold = new Map<string, number>();
  const hourly = hoursAfterCopies(building);
  let before = new Set<string>();
  for (let hour = firstDay * 24; hour <= simulatedDays * 24; hour++) {
    const isDue = building.isOpen(hour - 1) ? hour % 3 === 2 : hour % 8 === 3;
    if (!isDue && hour % 24 !== 23 && !hourly.has(hour)) continue;
    venue.runTo(hour);
    const fleet = venue.fleet();
    const found = find(fleet);
    for (const { kind, beaconId, facts } of found) {
      const key = `${kind} ${beaconId}`;
      const sender = senders.get(beaconId);
      if (sender && isTrue(kind, sender, hour)) firstTold.set(key, firstTold.get(key) ?? hour);
      else if (!before.has(key)) {
        if (sender?.trouble && sender.since <= hour && kind !== 'battery') {
          score.otherKind++;
          log(`other ${key} (${sender.trouble}) on day ${hour / 24} ${JSON.stringify(facts)}`);
          continue;
        }
        score.wrong[kind] = (score.wrong[kind] ?? 0) + 1;
        const isClosed = hour >= building.closedWeek[0] && hour < building.closedWeek[1];
        if (isClosed) score.closedWeek++;
        log(
          `wrong ${key} on day ${(hour / 24).toFixed(1)}${isClosed ? ' CLOSED' : ''} ${JSON.stringify(facts)} ${describe(building)}`,
        );
      }
    }
    before = new Set(found.map(({ kind, beaconId }) => `${kind} ${beaconId}`));
    if (hour % 24 === 23) scoreForecasts(building, fleet, hour, score, log);
  }
  count(venue, firstTold, score, log);
}

const describe = ({ gateways, senders, visitors, told }: Building) =>
  `[${senders.length} beacons, ${gateways.length} gateways, ${visitors.toFixed(0)} visitors, ${told}]`;

function isTrue(kind: FindingKind, sender: Sender, hour: number): boolean {
  const { trouble, since, failing } = sender;
  if (kind === 'silent') return failing <= hour;
  if (kind === 'battery') return endOf(sender, hour) < hour + 60 * 24;
  if (since > hour) return false;
  return trouble === (kind === 'setting' ? 'setting' : kind);
}

const endOf = ({ battery: { lives } }: Sender, hour: number) =>
  (lives.findLast(([from]) => from <= hour) ?? lives[0])?.[1] ?? Number.POSITIVE_INFINITY;

/** The first opening hours of a copy; gateways hear it at night as well. */
function hoursAfterCopies({ senders, isOpen, gateways }: Building): ReadonlySet<number> {
  const hours = new Set<number>();
  for (const { trouble, since } of senders) {
    if (trouble !== 'cloned') continue;
    for (let hour = since, left = 3; left > 0 && hour < simulatedDays * 24; hour++) {
      if (!isOpen(hour) && gateways.length === 0) continue;
      hours.add(hour + 1);
      if (isOpen(hour)) left--;
    }
  }
  return hours;
}

function scoreForecasts(
  building: Building,
  fleet: Fleet,
  hour: number,
  score: Score,
  log: (line: string) => void,
): void {
  for (const sender of building.senders) {
    if (sender.trouble !== 'death' || sender.battery.tells === 'nothing') continue;
    const left = (sender.death - hour) / 24;
    // Those that ended otherwise were not empty.
    if (chargeAt(sender.battery, sender.death) > 1 || left < 29.5 || left >= 30.5) continue;
    score.batteries.of++;
    const forecast = forecastBattery(fleet.days.get(sender.id), fleet.now);
    const death = fleet.now + (sender.death - hour) * hourMs;
    const off = forecast ? (forecast.emptyAt - death) / dayMs : Number.NaN;
    if (Math.abs(off) <= 14) score.batteries.told++;
    else
      log(
        `battery ${sender.id}: ${off.toFixed(0)} days off ${JSON.stringify({ ...sender.battery, lives: 0 })} ${describe(building)}`,
      );
    if (forecast && death >= forecast.earliest && death <= forecast.latest) score.batteries.covered++;
  }
}

const minHeard = 3;

/** Those that are over within an opening hour. */
function firstHours({ isOpen }: Building, since: number): readonly number[] {
  const hours: number[] = [];
  for (let hour = since, open = 0; hour < simulatedDays * 24 && open < 1; hour++) {
    hours.push(hour);
    if (isOpen(hour)) open++;
  }
  return hours;
}

function count(
  venue: SimulatedVenue,
  firstTold: ReadonlyMap<string, number>,
  score: Score,
  log: (line: string) => void,
): void {
  const { building } = venue;
  const openBetween = (from: number, until: number) => {
    let hours = 0;
    for (let hour = from; hour < until; hour++) if (building.isOpen(hour)) hours++;
    return hours;
  };
  const daysBetween = (from: number, until: number) => {
    let days = 0;
    for (let hour = from; hour < until; hour++) if (building.isOpen(hour) && !building.isOpen(hour + 1)) days++;
    return days;
  };
  const told = (into: Share, key: string, isInTime: (first: number) => boolean, since: number, within = share()) => {
    const first = firstTold.get(key);
    const isTold = first !== undefined && isInTime(first);
    for (const one of [into, within]) {
      one.of++;
      if (isTold) one.told++;
    }
    if (!isTold)
      log(
        `missed ${key}: ${first === undefined ? 'never' : `${openBetween(since, first)} opening hours`} from day ${(since / 24).toFixed(1)} ${describe(building)}`,
      );
  };
  // What begins so late that it could not be told in time is not counted.
  const hasTime = (since: number, hours: number) => openBetween(since, simulatedDays * 24) >= hours;
  for (const { id, trouble, since } of building.senders) {
    if (trouble === 'death' && hasTime(since, 24))
      told(score.deaths, `silent ${id}`, (first) => openBetween(since, first) <= 24, since);
    if (trouble === 'cloned' && hasTime(since, 3)) {
      const isHeard = firstHours(building, since).some((hour) => {
        const { own, copy } = venue.heardTwice(id, hour);
        return Math.min(own, copy) >= minHeard;
      });
      const isInTime = (first: number) => openBetween(since, first) <= 1;
      told(score.clones, `cloned ${id}`, isInTime, since, isHeard ? score.heardClones : undefined);
    }
    if (trouble === 'moved' && hasTime(since, 24))
      told(score.moves, `moved ${id}`, (first) => daysBetween(since, first) <= 2, since);
    if (trouble === 'bleeding') told(score.bleeding, `bleeding ${id}`, () => true, since);
    if (trouble === 'setting') told(score.settings, `setting ${id}`, () => true, since);
  }
}
