import type { Random } from '@pharos/engine/simulation';
import {
  type BeaconDay,
  type BeaconHour,
  hourOf,
  type Minutes,
  type Near,
} from '../../../src/features/presence/fleet/days/day.ts';
import { toldBy } from './batteries.ts';
import type { Building, Sender, Spot } from './building.ts';

/**
 * What is heard in one hour of a simulated venue: people walk from room to room, and their phones and the gateways hear what is near, with
 * the errors of radio. Sums of the hour come out, as the service stores them, not single messages.
 */

/** The minutes of an hour, two words of 30 bits. */
interface Bits {
  low: number;
  high: number;
}

interface HeardNear extends Bits {
  minutes: number;
  rssi: number;
}

interface HeardHour {
  readonly phones: Bits;
  readonly gateways: Bits;
  readonly on: Bits;
  readonly near: Map<string, HeardNear>;
}

type Hour = Map<string, HeardHour>;

/** What one report adds to a beacon. */
export interface Addition {
  readonly beaconId: string;
  readonly known: BeaconDay;
}

/** Somebody with a phone. */
interface Walker {
  room: number;
  /** The minute, from the beginning of the hour, at which the next stop begins; and stops that are left. */
  minute: number;
  stops: number;
  /** How much better than others the phone hears, dB; and in which share of the minutes it listens. */
  readonly offset: number;
  readonly listens: number;
  readonly isLate: boolean;
}

interface Audible {
  readonly sender: Sender;
  /** By its copy, which is elsewhere. */
  readonly isCopy: boolean;
  /** dBm, on average. */
  readonly rssi: number;
}

const weakest = -90;
const minuteCount = 60;

export class Radio {
  readonly #building: Building;
  /** By sender and place: how it is heard in each room, and at each gateway. */
  readonly #links = new Map<string, Float64Array>();
  readonly #receivers: readonly Spot[];
  #walkers: Walker[] = [];
  /** By copied beacon and hour: in how many minutes, summed over who reports at once, the beacon itself and its copy were heard. */
  readonly copies = new Map<string, { own: number; copy: number }>();

  constructor(building: Building) {
    this.#building = building;
    this.#receivers = [...building.rooms, ...building.gateways.map(({ spot }) => spot)];
  }

  /** What is reported at once of an hour, and what is reported hours later. */
  hear(hour: number, at: number): { readonly now: readonly Addition[]; readonly late: readonly Addition[] } {
    const { senders, random, told } = this.#building;
    const [now, late]: [Hour, Hour] = [new Map(), new Map()];
    const audible = this.#audible(hour);
    this.#hearByGateways(hour, audible, now);
    this.#hearByPhones(hour, audible, { now, late });
    const ofDay = hourOf(at);
    return {
      now: [...now].map(([beaconId, heard]) => {
        const sender = senders.find(({ id }) => id === beaconId);
        const values = sender && toldBy(sender, { random, told, hour, isHeardBy: isHeardBy(heard) });
        return { beaconId, known: dayFrom(heard, ofDay, values) };
      }),
      late: [...late].map(([beaconId, heard]) => ({ beaconId, known: dayFrom(heard, ofDay, undefined) })),
    };
  }

  /** For each receiver what it may hear in this hour. */
  #audible(hour: number): readonly (readonly Audible[])[] {
    const lists: Audible[][] = this.#receivers.map(() => []);
    for (const sender of this.#building.senders) {
      if (hour >= sender.death) continue;
      const { at } = sender.sending.findLast(({ from }) => from <= hour) ?? { at: [] };
      for (const [number, spot] of at.entries()) {
        const isCopy = number > 0 && sender.trouble === 'cloned';
        const links = this.#linksOf(sender, spot);
        for (const [index, list] of lists.entries()) {
          const rssi = links[index] as number;
          if (rssi > weakest - 9) list.push({ sender, isCopy, rssi });
        }
      }
    }
    return lists;
  }

  #linksOf(sender: Sender, spot: Spot): Float64Array {
    const key = `${sender.id} ${spot.x} ${spot.y} ${spot.floor}`;
    let links = this.#links.get(key);
    if (!links) {
      const { random, fading, floorLoss } = this.#building;
      links = Float64Array.from(this.#receivers, (receiver) => {
        const floors = Math.abs(receiver.floor - spot.floor);
        const metres = Math.hypot(receiver.x - spot.x, receiver.y - spot.y, 3.5 * floors, 1);
        // Walls and furniture on the way: they stay.
        return sender.power - 10 * fading * Math.log10(metres) - floorLoss * floors + 3.5 * random.normal();
      });
      this.#links.set(key, links);
    }
    return links;
  }

  #hearByGateways(hour: number, audible: readonly (readonly Audible[])[], now: Hour): void {
    const { gateways, rooms, random } = this.#building;
    for (const [index, { id, outages }] of gateways.entries()) {
      if (outages.some(([from, until]) => hour >= from && hour < until)) continue;
      // Reports get lost.
      const on = someMinutes(random, 0.98);
      add(heardOf(now, id).on, on);
      for (const { sender, isCopy, rssi } of audible[rooms.length + index] ?? []) {
        const chance = heardAt(rssi) * (hour >= sender.failing ? 0.2 : 1);
        const minutes = within(someMinutes(random, chance), on);
        if (minutes.low === 0 && minutes.high === 0) continue;
        const heard = heardOf(now, sender.id);
        add(heard.gateways, minutes);
        this.#noteCopy(sender, isCopy, hour, countOf(minutes));
        addNear(heard, id, minutes, Math.round(Math.max(weakest - 3, rssi) + 2 * random.normal()));
      }
    }
  }

  #hearByPhones(hour: number, audible: readonly (readonly Audible[])[], hours: { now: Hour; late: Hour }): void {
    const { building } = { building: this.#building };
    const { random, rooms } = building;
    this.#walkers.push(...comers(building, hour));
    const isClosing = !building.isOpen(hour + 1);
    for (const walker of this.#walkers) {
      const into = walker.isLate ? hours.late : hours.now;
      while (walker.stops > 0 && walker.minute < minuteCount) {
        const stay = 4 * random.normal() + walker.offset;
        const end = Math.min(minuteCount, walker.minute + stayOf(random));
        for (; walker.minute < end; walker.minute++)
          if (random.next() < walker.listens) {
            const heard = hearMinute(random, { hour, ...walker, stay }, audible[walker.room] ?? [], into);
            if (!walker.isLate) for (const { sender, isCopy } of heard) this.#noteCopy(sender, isCopy, hour, 1);
          }
        walker.stops--;
        walker.room = nextRoom(building, walker.room, hour);
      }
      walker.minute -= minuteCount;
    }
    this.#walkers = isClosing ? [] : this.#walkers.filter(({ stops }) => stops > 0);
    if (rooms.length === 0) this.#walkers = [];
  }

  #noteCopy({ id, trouble, since }: Sender, isCopy: boolean, hour: number, minutes: number): void {
    if (trouble !== 'cloned' || hour < since) return;
    const key = `${id} ${hour}`;
    const known = this.copies.get(key) ?? { own: 0, copy: 0 };
    known[isCopy ? 'copy' : 'own'] += minutes;
    this.copies.set(key, known);
  }
}

const stayOf = (random: Random) => 1 + Math.floor(-2.5 * Math.log(1 - random.next()));
const heardAt = (rssi: number) => 1 / (1 + Math.exp(-(rssi - weakest) / 2));

/** Who comes in this hour: visitors, people who work there, and on closed days perhaps one who looks after it. */
function comers(building: Building, hour: number): Walker[] {
  const { random, visitors, staff, isOpen, localHour, isGuarded } = building;
  const phone = (stops: number, listens: number): Walker => ({
    ...{
      room: nextRoom(building, undefined, hour),
      minute: Math.floor(random.between(0, minuteCount)),
      stops,
      listens,
    },
    offset: 4 * random.normal(),
    isLate: random.next() < 0.04,
  });
  if (!isOpen(hour)) {
    const isRound = visitors > 0 && isGuarded && localHour(hour) === 10 && random.next() < 0.5;
    const hasStaff = isOpen(hour + 1) || isOpen(hour - 1);
    return [
      ...(isRound ? [phone(Math.ceil(random.between(5, 25)), 0.9)] : []),
      ...Array.from({ length: hasStaff ? staff : 0 }, () => phone(Math.ceil(random.between(1, 6)), 0.5)),
    ];
  }
  const day = Math.floor(hour / 24);
  const crowd = 0.4 + Math.sin((Math.PI * (localHour(hour) - 7)) / 14) ** 2;
  // Weekends are busier, and each day is different.
  const luck = (day % 7 >= 5 ? 1.6 : 1) * Math.exp(0.35 * Math.sin(day * 12.9898 + visitors * 78.233) * 1.7);
  return [
    ...Array.from({ length: poisson(random, visitors * crowd * luck) }, () =>
      // Some apps listen now and then only, and some never report.
      phone(Math.ceil(random.between(3, 20)), random.next() < 0.04 ? 0 : random.pick([0.95, 0.95, 0.9, 0.35])),
    ),
    ...Array.from({ length: staff }, () => phone(Math.ceil(random.between(0, 8)), 0.5)),
  ];
}

/** One of three at random, the most popular or nearest. */
function nextRoom(building: Building, from: number | undefined, hour: number): number {
  const { random, rooms } = building;
  const isClosed = building.isWingClosed(hour);
  let best = -1;
  let bestScore = -1;
  for (let turn = 0; turn < 3 || best < 0; turn++) {
    const index = Math.floor(random.next() * rooms.length);
    const room = rooms[index] as Building['rooms'][number];
    if (isClosed && room.isWing && turn < 50) continue;
    const last = from === undefined ? undefined : rooms[from];
    const metres = last ? Math.hypot(room.x - last.x, room.y - last.y) + 30 * Math.abs(room.floor - last.floor) : 0;
    const score = room.popularity / (1 + metres / 12);
    if (score > bestScore) [best, bestScore] = [index, score];
  }
  return best;
}

interface Listening {
  readonly hour: number;
  readonly minute: number;
  /** How much better it hears here and now, dB. */
  readonly stay: number;
}

/** What one phone hears in one minute: each beacon near the loudest other one. Answers from where. */
function hearMinute(
  random: Random,
  { hour, minute, stay }: Listening,
  audible: readonly Audible[],
  into: Hour,
): readonly Audible[] {
  const heard: { id: string; rssi: number }[] = [];
  const all: Audible[] = [];
  for (const one of audible) {
    const { sender, rssi } = one;
    const level = rssi + stay + 3 * (random.next() + random.next() + random.next() - 1.5) * 1.2;
    if (level < weakest - 8 || random.next() > heardAt(level) * (hour >= sender.failing ? 0.2 : 1)) continue;
    all.push(one);
    const same = heard.find(({ id }) => id === sender.id);
    if (same) same.rssi = Math.max(same.rssi, level);
    else heard.push({ id: sender.id, rssi: level });
  }
  heard.sort((a, b) => b.rssi - a.rssi);
  const bit = minute < 30 ? { low: 1 << minute, high: 0 } : { low: 0, high: 1 << (minute - 30) };
  for (const [rank, { id, rssi }] of heard.entries()) {
    const one = heardOf(into, id);
    add(one.phones, bit);
    const other = heard[rank === 0 ? 1 : 0];
    if (other) addNear(one, other.id, bit, Math.round(rssi));
  }
  return all;
}

function heardOf(hour: Hour, id: string): HeardHour {
  let heard = hour.get(id);
  if (!heard) {
    const bits = () => ({ low: 0, high: 0 });
    heard = { phones: bits(), gateways: bits(), on: bits(), near: new Map() };
    hour.set(id, heard);
  }
  return heard;
}

function add(bits: Bits, more: Bits): void {
  bits.low |= more.low;
  bits.high |= more.high;
}

const within = (a: Bits, b: Bits): Bits => ({ low: a.low & b.low, high: a.high & b.high });

/** Each minute counts once, as in the service. */
function addNear({ near }: HeardHour, place: string, bits: Bits, rssi: number): void {
  let known = near.get(place);
  if (!known) {
    known = { low: 0, high: 0, minutes: 0, rssi: 0 };
    near.set(place, known);
  }
  const fresh = countOf({ low: bits.low & ~known.low, high: bits.high & ~known.high });
  add(known, bits);
  known.minutes += fresh;
  known.rssi += fresh * rssi;
}

function countOf({ low, high }: Bits): number {
  let count = 0;
  for (let word = low; word !== 0; word &= word - 1) count++;
  for (let word = high; word !== 0; word &= word - 1) count++;
  return count;
}

/** Each minute with this chance, in 32nds. */
function someMinutes(random: Random, chance: number): Bits {
  const word = () => {
    let bits = 0;
    const parts = Math.round(chance * 32);
    if (parts >= 32) return 0x3fffffff;
    for (let bit = 0; bit < 5; bit++) {
      const draw = random.next() * 2 ** 30;
      bits = (parts >> bit) & 1 ? bits | draw : bits & draw;
    }
    return bits & 0x3fffffff;
  };
  return { low: word(), high: word() };
}

const hexOf = ({ low, high }: Bits): Minutes => ((BigInt(high >>> 0) << 30n) | BigInt(low >>> 0)).toString(16);
const isSome = ({ low, high }: Bits): boolean => (low | high) !== 0;
const isHeardBy = ({ phones, gateways }: HeardHour) => ({ phones: isSome(phones), gateways: isSome(gateways) });

function dayFrom({ phones, gateways, on, near }: HeardHour, hour: number, told: BeaconHour['telemetry']): BeaconDay {
  const places: Record<string, Near> = {};
  for (const [place, one] of near) places[place] = { minutes: one.minutes, rssi: one.rssi, hour, last: hexOf(one) };
  return {
    hours: {
      [hour]: {
        ...(isSome(phones) ? { phones: hexOf(phones) } : {}),
        ...(isSome(gateways) ? { gateways: hexOf(gateways) } : {}),
        ...(isSome(on) ? { on: hexOf(on) } : {}),
        ...(told ? { telemetry: told } : {}),
      },
    },
    near: places,
  };
}

function poisson(random: Random, mean: number): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * random.normal()));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random.next(); product > limit; product *= random.next()) count++;
  return count;
}
