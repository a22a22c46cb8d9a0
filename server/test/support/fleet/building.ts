import { createRandom, type Random } from '@pharos/engine/simulation';

/**
 * A venue of a simulated fleet: its rooms, beacons and gateways, its hours, its people, and what goes wrong in it. Nothing here knows of
 * the detectors. Hours are counted from the beginning of the simulation; x and y are metres.
 */

export const simulatedDays = 90;

export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly floor: number;
}

/** From which hour on it sends from these places. */
export interface Sending {
  readonly from: number;
  readonly at: readonly Spot[];
}

export interface Sender {
  readonly id: string;
  readonly home: Spot;
  /** In the order of time. */
  readonly sending: readonly Sending[];
  /** The hour of its end, and from when on it is heard only now and then. */
  readonly death: number;
  readonly failing: number;
  readonly battery: Battery;
  /** dBm at one metre, and how often it sends, ms. */
  readonly power: number;
  readonly interval: number;
  readonly isWing: boolean;
  readonly trouble?: 'death' | 'moved' | 'cloned' | 'bleeding' | 'setting';
  /** The hour at which the trouble begins. */
  readonly since: number;
}

export interface Battery {
  readonly tells: 'percent' | 'volts' | 'nothing';
  /** Hours: when it was full, and when it is empty; of the one that replaces it, too. */
  readonly lives: readonly (readonly [full: number, empty: number])[];
  /** What it tells is rounded to so many per cent. */
  readonly step: number;
  /** Charge falls with the power of time. */
  readonly bend: number;
  readonly knee: number;
  readonly kneeVolts: number;
  readonly endVolts: number;
}

export interface Gateway {
  readonly id: string;
  readonly spot: Spot;
  /** Hours from and until. */
  readonly outages: readonly (readonly [number, number])[];
}

export interface Building {
  readonly id: string;
  readonly random: Random;
  readonly rooms: readonly (Spot & { readonly popularity: number; readonly isWing: boolean })[];
  readonly senders: readonly Sender[];
  readonly gateways: readonly Gateway[];
  /** Of visitors with the app in an hour, at most; and of the phones of people who work there. */
  readonly visitors: number;
  readonly staff: number;
  /** Whether somebody walks through it on closed days. */
  readonly isGuarded: boolean;
  /** Who reports what beacons tell of themselves; `mixed`: apps that read it in different ways. */
  readonly told: 'gateways' | 'phones' | 'mixed';
  readonly isOpen: (hour: number) => boolean;
  readonly isWingClosed: (hour: number) => boolean;
  /** Hours from and until it is closed for a week. */
  readonly closedWeek: readonly [number, number];
  readonly localHour: (hour: number) => number;
  /** How signals fade: ten to the minus this with distance; and what a floor takes, dB. */
  readonly fading: number;
  readonly floorLoss: number;
}

export interface Plan {
  readonly beacons: number;
  readonly floors: number;
  /** Metres from one beacon to the next. */
  readonly spacing: number;
  /** Beacons for each gateway; 0: none. */
  readonly perGateway: number;
  readonly hasPhones: boolean;
}

const day = 24;
const week = 7 * day;

function planOf(random: Random, beacons: number): Plan {
  const hearing = random.next();
  const hasPhones = hearing < 0.9;
  return {
    ...{ beacons, floors: random.pick([1, 2, 2, 3]), spacing: random.between(6, 13), hasPhones },
    perGateway: hearing < 0.4 ? 0 : hearing < 0.7 ? random.between(8, 14) : random.between(3, 6),
  };
}

export function buildingOf(seed: string, index: number, beacons: number, holidays: ReadonlySet<number>): Building {
  const random = createRandom(`${seed}/venue/${index}`);
  const plan = planOf(random, beacons);
  const id = `v${index}`;
  const opens = random.pick([7, 8, 9, 10, 11]);
  const closes = opens + random.pick([7, 8, 9, 11, 12]);
  const closedWeekday = random.pick([0, 0, 1, 6, 9, 9]);
  const closedFrom = Math.floor(random.between(4, 12)) * week;
  const zone = Math.floor(random.between(-8, 10));
  const wing = Math.floor(random.between(15, 80)) * day;
  const wingUntil = wing + Math.floor(random.between(2, 9)) * day * (random.next() < 0.4 ? 1 : 0);
  const localHour = (hour: number) => (hour + zone + 24 * 7) % day;
  const localDay = (hour: number) => Math.floor((hour + zone) / day);
  const closedWeek = [closedFrom - zone, closedFrom + week - zone] as const;
  const isOpen = (hour: number) => {
    const local = localHour(hour);
    if (local < opens || local >= closes || holidays.has(localDay(hour))) return false;
    return (localDay(hour) + 7) % 7 !== closedWeekday && !(hour >= closedWeek[0] && hour < closedWeek[1]);
  };
  const spots = spotsOf(random, plan);
  const isOffInClosedWeek = random.next() < 0.2;
  const power = random.pick([-59, -63]);
  const interval = random.pick([100, 350, 500, 1000]);
  const hasGateways = plan.perGateway > 0;
  return {
    ...{ id, random, isOpen, closedWeek, localHour },
    rooms: spots.map((spot) => ({ ...spot, popularity: Math.exp(0.7 * random.normal()) })),
    senders: withTroubles(
      random,
      spots.map((spot, number) => senderOf(random, { id: `${id}-${number}`, spot, power, interval })),
      plan,
    ),
    gateways: gatewaysOf(random, { id, spots, plan, outages: isOffInClosedWeek ? [closedWeek] : [] }),
    visitors: plan.hasPhones ? (beacons / 50) * 10 * Math.exp(0.6 * random.normal()) : 0,
    staff: plan.hasPhones ? Math.floor(random.between(0, 4)) : 0,
    isGuarded: random.next() < 0.5,
    told:
      hasGateways && (!plan.hasPhones || random.next() < 0.7)
        ? 'gateways'
        : random.pick(['phones', 'phones', 'phones', 'mixed'] as const),
    isWingClosed: (hour) => hour >= wing && hour < wingUntil,
    fading: random.between(2.2, 3),
    floorLoss: random.between(14, 24),
  };
}

type Room = Spot & { readonly isWing: boolean };

/** Rows of rooms, not quite on a grid; the last row is a wing. */
function spotsOf(random: Random, { beacons, floors, spacing }: Plan): readonly Room[] {
  const onFloor = Math.ceil(beacons / floors);
  const wide = Math.ceil(Math.sqrt(onFloor) * random.between(0.8, 1.6));
  const off = () => random.between(-spacing, spacing) * 0.3;
  return Array.from({ length: beacons }, (_, number) => {
    const place = number % onFloor;
    const row = Math.floor(place / wide);
    return {
      x: Math.round(10 * ((place % wide) * spacing + off())) / 10,
      y: Math.round(10 * (row * spacing + off())) / 10,
      floor: Math.floor(number / onFloor),
      isWing: row === Math.floor((onFloor - 1) / wide),
    };
  });
}

interface Draft {
  readonly id: string;
  readonly spot: Room;
  readonly power: number;
  readonly interval: number;
}

function senderOf(random: Random, { id, spot, power, interval }: Draft): Sender {
  const life = random.between(180, 720) * day;
  const full = -random.between(0, 0.5) * life;
  return {
    ...{ id, power, interval, isWing: spot.isWing, since: Number.POSITIVE_INFINITY },
    home: { x: spot.x, y: spot.y, floor: spot.floor },
    sending: [{ from: 0, at: [spot] }],
    death: Number.POSITIVE_INFINITY,
    failing: Number.POSITIVE_INFINITY,
    battery: {
      tells: random.pick(['percent', 'percent', 'percent', 'volts', 'nothing'] as const),
      // Those that are not to end here end a good while later.
      lives: [[full, Math.max(full + life, (simulatedDays + 70) * day)]],
      step: random.pick([1, 1, 1, 2, 5, 10]),
      bend: random.between(0.92, 1.12),
      knee: random.between(18, 30),
      kneeVolts: random.between(2.84, 2.9),
      endVolts: random.between(2, 2.2),
    },
  };
}

/** Of 500 beacons so many; the rest does well. */
const troubles = { empty: 110, sudden: 15, replaced: 40, moved: 14, cloned: 12, bleeding: 6, setting: 8 };

function withTroubles(random: Random, senders: readonly Sender[], plan: Plan): readonly Sender[] {
  const left = [...senders];
  const changed = new Map<string, Sender>();
  const take = (of: number, change: (sender: Sender) => Sender) => {
    const share = (of * senders.length) / 500;
    const count = Math.floor(share) + (random.next() < share % 1 ? 1 : 0);
    for (let taken = 0; taken < count && left.length > 0; taken++) {
      const [sender] = left.splice(Math.floor(random.next() * left.length), 1);
      if (sender) changed.set(sender.id, change(sender));
    }
  };
  const hour = (from: number, until: number) => Math.floor(random.between(from, until) * day);
  const endOf = (sender: Sender, death: number): Sender => ({
    ...{ ...sender, trouble: 'death', death, since: death },
    // Some are heard now and then in their last days.
    failing: random.next() < 0.4 ? death - hour(0.2, 3) : death,
  });
  const lifeOf = ({ battery: { lives } }: Sender) =>
    random.between(0.5, 1) * ((lives[0]?.[1] ?? 0) - (lives[0]?.[0] ?? 0));
  const endsAt = (sender: Sender, end: number, ...more: readonly (readonly [number, number])[]): Sender => ({
    ...sender,
    battery: { ...sender.battery, lives: [[end - Math.max(lifeOf(sender), 150 * day), end], ...more] },
  });
  take(troubles.empty, (sender) => {
    const death = hour(30, 88);
    return endOf(endsAt(sender, death), death);
  });
  take(troubles.sudden, (sender) => endOf(sender, hour(30, 88)));
  // Somebody has seen it in time.
  take(troubles.replaced, (sender) => {
    const at = hour(10, 85);
    return endsAt(sender, at + hour(2, 40), [at, at + random.between(200, 700) * day]);
  });
  const away = (sender: Sender) => farFrom(random, sender.home, senders, plan);
  take(troubles.moved, (sender) => {
    const since = hour(32, 84);
    const to = away(sender);
    return to
      ? { ...sender, trouble: 'moved', since, sending: [...sender.sending, { from: since, at: [to] }] }
      : sender;
  });
  take(troubles.cloned, (sender) => {
    const since = hour(32, 84);
    const to = away(sender);
    const at = to && [sender.home, to];
    return at ? { ...sender, trouble: 'cloned', since, sending: [...sender.sending, { from: since, at }] } : sender;
  });
  if (plan.floors > 1)
    take(troubles.bleeding, (sender) => {
      const { home } = sender;
      const other = home.floor === 0 ? 1 : home.floor - 1;
      return {
        ...sender,
        trouble: 'bleeding',
        since: 0,
        sending: [{ from: 0, at: [home, { ...home, floor: other }] }],
      };
    });
  take(troubles.setting, (sender) => {
    const isPower = random.next() < 0.5;
    const [power, interval] = isPower
      ? [sender.power + random.pick([-14, 12]), sender.interval]
      : [sender.power, sender.interval * 8];
    return { ...sender, trouble: 'setting', since: 0, power, interval };
  });
  return senders.map((sender) => changed.get(sender.id) ?? sender);
}

/** Near another beacon, where it was not heard before; undefined in a house that is too small. */
function farFrom(random: Random, home: Spot, senders: readonly Sender[], { spacing }: Plan): Spot | undefined {
  const metres = (spot: Spot) => Math.hypot(spot.x - home.x, spot.y - home.y) + 20 * Math.abs(spot.floor - home.floor);
  const far = senders.filter((other) => metres(other.home) > Math.max(30, 3 * spacing));
  if (far.length === 0) return undefined;
  const { home: to } = random.pick(far);
  return { ...to, x: to.x + random.between(-0.4, 0.4) * spacing, y: to.y + random.between(-0.4, 0.4) * spacing };
}

interface Receiving {
  readonly id: string;
  readonly spots: readonly Spot[];
  readonly plan: Plan;
  readonly outages: Gateway['outages'];
}

function gatewaysOf(random: Random, { id, spots, plan, outages }: Receiving): readonly Gateway[] {
  if (plan.perGateway === 0) return [];
  const outage = (longest: number) => {
    const from = Math.floor(random.between(2, simulatedDays) * day);
    return [from, from + Math.ceil(random.between(1, longest))] as const;
  };
  // Once the network of the house is down.
  const common = [...outages, outage(30)];
  const count = Math.max(plan.floors, Math.round(spots.length / plan.perGateway));
  return Array.from({ length: count }, (_, number) => {
    const near = spots[Math.floor(((number + 0.5) * spots.length) / count)] as Spot;
    return {
      id: `${id}-g${number}`,
      spot: { x: near.x + random.between(-3, 3), y: near.y + random.between(-3, 3), floor: near.floor },
      outages: [...common, ...Array.from({ length: Math.floor(random.between(0, 3)) }, () => outage(48))],
    };
  });
}
