import {
  type BeaconDay,
  type BeaconHour,
  dayMs,
  hourMs,
  type Near,
} from '../../../src/features/presence/fleet/days/day.ts';
import type { Fleet, FleetBeacon } from '../../../src/features/presence/fleet/detect/fleet.ts';

/**
 * A fleet of beacons that visitors pass and gateways hear, for 90 days: with opening hours, a closing day, holidays, a closed week, closed
 * wings, quiet and busy days, gateways that fail, phones that report late; and with beacons that die, move, are copied, are heard through the
 * ceiling or are set up wrongly. It knows nothing of the detectors.
 */

export interface Truth {
  readonly deaths: ReadonlyMap<string, number>;
  /** Deaths that a battery told of: with the time at which it was empty. */
  readonly batteries: ReadonlyMap<string, number>;
  readonly moves: ReadonlyMap<string, number>;
  readonly clones: ReadonlyMap<string, number>;
  readonly bleeding: ReadonlySet<string>;
  readonly misset: ReadonlySet<string>;
}

export interface Simulated {
  readonly fleet: (now: number) => Fleet;
  readonly truth: Truth;
  readonly start: number;
  /** Hours in which the venue of a beacon was open between two times. */
  readonly openHours: (beaconId: string, from: number, until: number) => number;
  /** Simulates up to a time. */
  readonly runTo: (until: number) => void;
}

interface Random {
  next(): number;
  normal(): number;
  between(low: number, high: number): number;
  of<T>(items: readonly T[]): T;
}

/** Mulberry32 (Tommy Ettinger, public domain). */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    between: (low, high) => low + (high - low) * next(),
    of: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number],
  };
}

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly floor: number;
}

interface Body {
  readonly record: FleetBeacon;
  readonly venue: House;
  readonly popularity: number;
  readonly battery: {
    readonly life: number;
    readonly tells: 'percent' | 'volts' | 'nothing';
    readonly step: number;
    readonly cell: Cell;
  };
  readonly isGateway: boolean;
  readonly outages: readonly (readonly [number, number])[];
  readonly power: number;
  readonly interval: number;
  readonly extraDecibels: number;
  readonly isWing: boolean;
  spot: Spot;
  death: number;
  endsEmpty: boolean;
  move: { readonly at: number; readonly to: Spot } | undefined;
  clone: { readonly at: number; readonly spot: Spot } | undefined;
  isBleeding: boolean;
}

interface Cell {
  readonly knee: number;
  readonly kneeVolts: number;
  readonly endVolts: number;
}

interface House {
  readonly id: string;
  readonly bodies: Body[];
  readonly visitors: number;
  readonly opens: number;
  readonly closes: number;
  readonly closedWeekday: number;
  readonly closedWeek: number;
  readonly wingClosed: readonly [number, number];
  readonly hasGateways: boolean;
}

interface Draft {
  readonly phones: BigUint64Array;
  readonly gateways: BigUint64Array;
  readonly on: BigUint64Array;
  readonly near: Map<string, { minutes: number; rssi: number; hour: number; last: bigint }>;
  told: { readonly hour: number; readonly told: NonNullable<BeaconHour['told']> } | undefined;
  made: BeaconDay | undefined;
}

const days = 90;
const hearing = 12;
const gatewayRange = 22;
const sizeOfHouse = 50;

export function simulateFleet(seed: number, { venues = 10 } = {}): Simulated {
  const random = randomOf(seed);
  const start = Date.UTC(2026, 0, 5);
  const holidays = new Set(Array.from({ length: 4 }, () => Math.floor(random.between(5, days))));
  const houses = Array.from({ length: venues }, (_, index) => houseOf(random, index));
  const bodies = houses.flatMap(({ bodies }) => bodies);
  const at = (from: number, to: number) => start + Math.floor(random.between(from, to) * 24) * hourMs + 10 * hourMs * 0;
  const troubled = bodies.filter(({ isGateway }) => !isGateway);
  const take = (count: number, of = troubled) =>
    Array.from({ length: count }, () => of.splice(Math.floor(random.next() * of.length), 1)).flat();
  const share = bodies.length / 500;
  for (const body of take(Math.round(120 * share))) {
    body.death = at(30, 88);
    body.endsEmpty = true;
  }
  for (const body of take(Math.round(15 * share))) body.death = at(30, 88);
  for (const body of take(Math.round(12 * share))) body.move = { at: at(32, 84), to: farSpot(random, body) };
  for (const body of take(Math.round(8 * share))) body.clone = { at: at(32, 84), spot: farSpot(random, body) };
  for (const body of take(Math.round(6 * share))) body.isBleeding = true;

  const drafts = new Map<string, Map<number, Draft>>();
  const draftOf = (id: string, day: number): Draft => {
    const all = drafts.get(id) ?? new Map<number, Draft>();
    drafts.set(id, all);
    let draft = all.get(day);
    if (!draft) {
      const words = () => new BigUint64Array(24);
      draft = { phones: words(), gateways: words(), on: words(), near: new Map(), told: undefined, made: undefined };
      all.set(day, draft);
    }
    draft.made = undefined;
    return draft;
  };
  const isOpen = (house: House, hour: number) => {
    const day = Math.floor(hour / 24);
    const ofDay = hour % 24;
    if (ofDay < house.opens || ofDay >= house.closes || holidays.has(day)) return false;
    return day % 7 !== house.closedWeekday && Math.floor(day / 7) !== house.closedWeek;
  };
  const beacons = bodies.map(({ record }) => record);
  const places = new Map(beacons.map((one) => [one.beaconId, one]));
  const late: { readonly at: number; readonly note: () => void }[] = [];
  const noter = { random, start, draftOf, late };
  let done = 0;

  const runTo = (until: number) => {
    for (; start + (done + 1) * hourMs <= until; done++) {
      const now = start + done * hourMs;
      for (const one of late.splice(0)) {
        if (one.at <= now) one.note();
        else late.push(one);
      }
      for (const body of bodies) {
        if (body.move && now >= body.move.at) body.spot = body.move.to;
      }
      for (const house of houses) {
        if (house.hasGateways) hearByGateways(noter, house, done);
        if (isOpen(house, done)) visit(noter, house, done);
        if (done % 24 === 15) tell(noter, house, done);
      }
    }
  };
  return {
    start,
    runTo,
    truth: truthOf(bodies),
    fleet: (now) => ({ beacons, places, days: madeDays(drafts), now }),
    openHours(beaconId, from, until) {
      const house = houses.find(({ bodies }) => bodies.some(({ record }) => record.beaconId === beaconId)) as House;
      let hours = 0;
      for (let hour = Math.floor((from - start) / hourMs); start + hour * hourMs < until; hour++)
        if (isOpen(house, hour)) hours++;
      return hours;
    },
  };
}

function houseOf(random: Random, index: number): House {
  const opens = random.of([8, 9, 10]);
  const wing = Math.floor(random.between(20, 85));
  const hasGateways = index % 2 === 0;
  const house: House = {
    id: `venue${index}`,
    bodies: [],
    visitors: 14 * Math.exp(0.5 * random.normal()),
    opens,
    closes: opens + random.of([8, 9, 11]),
    closedWeekday: random.of([0, 0, 0, 1, 9]),
    closedWeek: Math.floor(random.between(5, 12)),
    wingClosed: index % 3 === 0 ? [wing, wing + 2] : [-1, -1],
    hasGateways,
  };
  const usual = { power: random.of([-59, -65]), interval: random.of([100, 350, 1000]) };
  for (let number = 0; number < sizeOfHouse; number++) {
    const floor = number < sizeOfHouse / 2 ? 0 : 1;
    const cell = number % (sizeOfHouse / 2);
    const spot = {
      x: 4 + (cell % 5) * 9 + random.between(-2, 2),
      y: 4 + Math.floor(cell / 5) * 9 + random.between(-2, 2),
      floor,
    };
    const isMisset = random.next() < 0.02;
    const isGateway = hasGateways && cell % 5 === 2;
    house.bodies.push({
      record: { beaconId: `${house.id}-${number}`, venueId: house.id, location: spot },
      ...{ venue: house, spot, isGateway, isWing: cell % 5 === 4 },
      popularity: Math.exp(0.6 * random.normal()),
      battery: {
        life: random.between(180, 700),
        tells: random.of(['percent', 'percent', 'percent', 'volts', 'nothing'] as const),
        step: random.of([1, 1, 1, 2, 5, 10]),
        cell: { knee: random.between(18, 30), kneeVolts: random.between(2.84, 2.9), endVolts: random.between(2, 2.2) },
      },
      outages: isGateway ? Array.from({ length: 2 }, () => outageOf(random)) : [],
      power: usual.power + (isMisset ? random.of([-12, 12]) : 0),
      interval: usual.interval * (isMisset && random.next() < 0.5 ? 8 : 1),
      extraDecibels: 0,
      death: Number.POSITIVE_INFINITY,
      ...{ endsEmpty: false, move: undefined, clone: undefined, isBleeding: false },
    });
  }
  return house;
}

function outageOf(random: Random): readonly [number, number] {
  const from = random.between(2, days) * 24;
  return [from, from + random.between(2, 40)];
}

/** Somewhere else on either floor of the house. */
function farSpot(random: Random, { spot }: Body): Spot {
  for (;;) {
    const to = { x: random.between(2, 42), y: random.between(2, 42), floor: random.of([0, 1]) };
    if (Math.hypot(to.x - spot.x, to.y - spot.y) > 28) return to;
  }
}

interface Noter {
  readonly random: Random;
  readonly start: number;
  readonly draftOf: (id: string, day: number) => Draft;
  readonly late: { readonly at: number; readonly note: () => void }[];
}

const metresBetween = (a: Spot, b: Spot) => Math.hypot(a.x - b.x, a.y - b.y) + (a.floor === b.floor ? 0 : 30);
const rssiAt = (random: Random, metres: number) => -59 - 22 * Math.log10(Math.max(1, metres)) + 4 * random.normal();

/** Where a beacon can be heard now: its place, that of its copy, and below it where the ceiling is thin. */
function spotsOf(body: Body, now: number): readonly Spot[] {
  const own = now < body.death ? [body.spot] : [];
  const copy = body.clone && now >= body.clone.at ? [body.clone.spot] : [];
  const through = body.isBleeding && own.length > 0 ? [{ ...body.spot, floor: 1 - body.spot.floor }] : [];
  return [...own, ...copy, ...through];
}

function visit(noter: Noter, house: House, hour: number): void {
  const { random, start } = noter;
  const now = start + hour * hourMs;
  const day = Math.floor(hour / 24);
  const ofDay = (hour % 24) - house.opens;
  const profile = 0.5 + Math.sin((Math.PI * (ofDay + 0.5)) / (house.closes - house.opens));
  const weekend = day % 7 >= 5 ? 1.6 : 1;
  const luck = Math.exp(0.3 * Math.sin(day * 12.9898 + house.visitors * 78.233) * 1.7);
  const count = poisson(random, house.visitors * profile * weekend * luck);
  const isWingClosed = day >= house.wingClosed[0] && day < house.wingClosed[1];
  const places = house.bodies.filter(({ isWing }) => !(isWing && isWingClosed));
  const spots = house.bodies.flatMap((body) => spotsOf(body, now).map((spot) => ({ body, spot })));
  for (let visitor = 0; visitor < count; visitor++) {
    const notes: (() => void)[] = [];
    let minute = Math.floor(random.between(0, 60));
    let place = random.of(places);
    for (let stops = Math.floor(random.between(4, 12)); stops > 0 && minute < 60; stops--) {
      // Rooms are where they were, wherever their beacon is.
      const home = place.record.location as Spot;
      const here = { x: home.x + random.normal(), y: home.y + random.normal(), floor: home.floor };
      const audible = spots.filter(({ spot }) => metresBetween(here, spot) < hearing);
      for (const end = Math.min(60, minute + 1 + Math.floor(random.between(0, 3))); minute < end; minute++) {
        const heard = audible.flatMap(({ body, spot }) => {
          const rssi = rssiAt(random, metresBetween(here, spot));
          return random.next() < (rssi > -78 ? 0.9 : 0.3) ? [{ id: body.record.beaconId, rssi: Math.round(rssi) }] : [];
        });
        notes.push(...notesOf(noter, heard, hour, minute));
      }
      place = chosen(random, places, place);
    }
    if (random.next() < 0.03)
      noter.late.push({ at: now + Math.floor(random.between(2, 40)) * hourMs, note: () => run(notes) });
    else run(notes);
  }
}

const run = (notes: readonly (() => void)[]) => {
  for (const note of notes) note();
};

/** One of three at random, the most popular or nearest. */
function chosen(random: Random, places: readonly Body[], from: Body): Body {
  const scoreOf = (body: Body) => body.popularity / (1 + metresBetween(body.spot, from.spot) / 15);
  let best = random.of(places);
  for (let turn = 0; turn < 2; turn++) {
    const other = random.of(places);
    if (scoreOf(other) > scoreOf(best)) best = other;
  }
  return best;
}

function notesOf(
  { draftOf }: Noter,
  heard: readonly { readonly id: string; readonly rssi: number }[],
  hour: number,
  minute: number,
) {
  const day = Math.floor(hour / 24);
  const loudest = heard.toSorted((a, b) => b.rssi - a.rssi);
  const bit = 1n << BigInt(minute);
  return heard.map(({ id, rssi }) => () => {
    const draft = draftOf(id, day);
    const ofDay = hour % 24;
    draft.phones[ofDay] = (draft.phones[ofDay] as bigint) | bit;
    const other = loudest.find((one) => one.id !== id)?.id;
    if (other !== undefined) addNear(draft, other, { minutes: 1, rssi, hour: ofDay, bits: bit });
  });
}

interface Addition {
  readonly minutes: number;
  readonly rssi: number;
  readonly hour: number;
  readonly bits: bigint;
}

function addNear({ near }: Draft, place: string, { minutes, rssi, hour, bits }: Addition): void {
  const known = near.get(place);
  if (!known) near.set(place, { minutes, rssi, hour, last: bits });
  else {
    known.minutes += minutes;
    known.rssi += rssi;
    if (hour > known.hour) known.last = bits;
    else if (hour === known.hour) known.last |= bits;
    known.hour = Math.max(known.hour, hour);
  }
}

function hearByGateways({ random, start, draftOf }: Noter, house: House, hour: number): void {
  const now = start + hour * hourMs;
  const [day, ofDay] = [Math.floor(hour / 24), hour % 24];
  for (const gateway of house.bodies.filter(({ isGateway }) => isGateway)) {
    if (gateway.outages.some(([from, until]) => hour >= from && hour < until)) continue;
    const own = draftOf(gateway.record.beaconId, day);
    own.on[ofDay] = (1n << 60n) - 1n;
    for (const body of house.bodies)
      for (const spot of spotsOf(body, now)) {
        const metres = metresBetween(gateway.record.location as Spot, spot);
        if (metres > gatewayRange) continue;
        const bits = someMinutes(random, metres < 14 ? 0.97 : 0.5);
        const draft = draftOf(body.record.beaconId, day);
        draft.gateways[ofDay] = (draft.gateways[ofDay] as bigint) | bits;
        const minutes = bits.toString(2).replaceAll('0', '').length;
        const rssi = Math.round(rssiAt(random, metres)) * minutes;
        if (minutes > 0) addNear(draft, gateway.record.beaconId, { minutes, rssi, hour: ofDay, bits });
      }
  }
}

function someMinutes(random: Random, chance: number): bigint {
  let bits = 0n;
  for (let minute = 0; minute < 60; minute++) if (random.next() < chance) bits |= 1n << BigInt(minute);
  return bits;
}

/** A plateau and two knees, which are elsewhere in each cell. */
function voltsAt(charge: number, { knee, kneeVolts, endVolts }: Cell): number {
  if (charge > 92) return 2.98 + (charge - 92) * 0.008;
  if (charge > knee) return kneeVolts + ((charge - knee) / (92 - knee)) * (2.98 - kneeVolts);
  if (charge > 6) return 2.65 + ((charge - 6) / (knee - 6)) * (kneeVolts - 2.65);
  return endVolts + (charge / 6) * (2.65 - endVolts);
}

function tell({ random, start, draftOf }: Noter, house: House, hour: number): void {
  const now = start + hour * hourMs;
  const [day, ofDay] = [Math.floor(hour / 24), hour % 24];
  for (const body of house.bodies) {
    const { battery, record } = body;
    const draft = draftOf(record.beaconId, day);
    if (now >= body.death || (draft.phones[ofDay] === 0n && draft.gateways[ofDay] === 0n)) continue;
    const empty = body.endsEmpty ? body.death : start + (days + battery.life) * dayMs;
    const charge = Math.min(100, (100 * (empty - now)) / (battery.life * dayMs));
    // Indoors: about two degrees, and what the converter measures.
    const cold = 0.5 * Math.sin(day / 9) + random.normal();
    const told = {
      at: 0,
      ...(battery.tells === 'percent' ? { battery: inSteps(charge + cold, battery.step) } : {}),
      ...(battery.tells === 'volts'
        ? { voltage: Math.round(1000 * (voltsAt(charge, battery.cell) + cold * 0.004)) / 1000 }
        : {}),
      ...(house.hasGateways ? { txPower: body.power, interval: body.interval } : {}),
    };
    draft.told = { hour: ofDay, told };
  }
}

const inSteps = (charge: number, step: number) => Math.min(100, Math.max(0, Math.round(charge / step) * step));

function poisson(random: Random, mean: number): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * random.normal()));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random.next(); product > limit; product *= random.next()) count++;
  return count;
}

function truthOf(bodies: readonly Body[]): Truth {
  const times = (of: (body: Body) => number | undefined) =>
    new Map(
      bodies.flatMap((body) => {
        const time = of(body);
        return time === undefined ? [] : [[body.record.beaconId, time] as const];
      }),
    );
  const usual = (body: Body, of: (body: Body) => number) => of(body) === median(body.venue.bodies.map(of));
  return {
    deaths: times(({ death }) => (death < Number.POSITIVE_INFINITY ? death : undefined)),
    batteries: times(({ endsEmpty, death, battery }) => (endsEmpty && battery.tells !== 'nothing' ? death : undefined)),
    moves: times(({ move }) => move?.at),
    clones: times(({ clone }) => clone?.at),
    bleeding: new Set(bodies.filter(({ isBleeding }) => isBleeding).map(({ record }) => record.beaconId)),
    misset: new Set(
      bodies
        .filter(
          (body) => body.venue.hasGateways && !(usual(body, (one) => one.power) && usual(body, (one) => one.interval)),
        )
        .map(({ record }) => record.beaconId),
    ),
  };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

function madeDays(drafts: ReadonlyMap<string, ReadonlyMap<number, Draft>>): Fleet['days'] {
  const start = Date.UTC(2026, 0, 5);
  return new Map(
    [...drafts].map(([id, all]) => [id, new Map([...all].map(([day, draft]) => [start + day * dayMs, made(draft)]))]),
  );
}

function made(draft: Draft): BeaconDay {
  if (draft.made) return draft.made;
  const hours: Record<string, BeaconHour> = {};
  for (let hour = 0; hour < 24; hour++) {
    const [phones, gateways, on] = [draft.phones[hour], draft.gateways[hour], draft.on[hour]] as bigint[];
    const told = draft.told?.hour === hour ? draft.told.told : undefined;
    if (!phones && !gateways && !on && !told) continue;
    hours[hour] = {
      ...(phones ? { phones: phones.toString(16) } : {}),
      ...(gateways ? { gateways: gateways.toString(16) } : {}),
      ...(on ? { on: on.toString(16) } : {}),
      ...(told ? { told } : {}),
    };
  }
  const near: Record<string, Near> = {};
  const most = [...draft.near].sort(([, a], [, b]) => b.minutes - a.minutes).slice(0, 12);
  for (const [place, one] of most) near[place] = { ...one, last: one.last.toString(16) };
  draft.made = { hours, near };
  return draft.made;
}
