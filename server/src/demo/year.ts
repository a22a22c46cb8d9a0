import { createRandom, type Random } from '@pharos/engine/simulation';
import { openDay } from './calendar.ts';
import { type Guest, guestOf } from './guests.ts';
import { appealOf, type Hall, halls } from './halls.ts';

/** The visitors of each day of the year and their routes. The same seed and moment give the same year. */

export interface TourStop {
  readonly hall: Hall;
  readonly enteredAt: number;
  readonly leftAt: number;
}

export interface Tour {
  readonly guest: number;
  readonly stops: readonly TourStop[];
}

export interface Year {
  readonly guests: readonly Guest[];
  /** Newest first; the tours of a day in the order of their beginnings. */
  readonly days: readonly { readonly date: string; readonly tours: readonly Tour[] }[];
  /** How often the guest had been at the hall before this day's tour. */
  visitsBefore(tour: Tour, hall: Hall): number;
}

const daysOfYear = 365;
const returning = 0.24;
/** One guest in this many is a friend of the museum, who comes again. */
const friends = 7;
/** Walking time between two halls, in seconds. */
const walk = [15, 60] as const;

/** Most arrive in the late morning and the early afternoon. */
function arrival(random: Random, opensAt: number, closesAt: number): number {
  const share = (random.next() + random.next() + random.next()) / 3;
  return Math.round(opensAt + share * (closesAt - opensAt - 90 * 60_000));
}

interface Outing {
  readonly arrivesAt: number;
  readonly closesAt: number;
  readonly daysAgo: number;
}

/** Log-normal around the hall's median: most stay briefly, a few stay long. */
const dwell = (random: Random, hall: Hall) =>
  Math.round(1000 * Math.min(7200, Math.max(6, hall.stay * Math.exp(0.65 * random.normal()))));

function stopsOf(random: Random, { arrivesAt, closesAt, daysAgo }: Outing): TourStop[] {
  const pace = random.between(0.6, 1.4);
  const interest = random.between(0.4, 1);
  const seen = halls.filter((hall, index) => {
    const appeal = appealOf(hall, daysAgo);
    return random.next() < (index === 0 ? appeal : appeal * interest);
  });
  // One in seven returns to the hall they liked best.
  const again = seen.length > 4 && random.next() < 0.15 ? [random.pick(seen.slice(1, -1))] : [];
  const stops: TourStop[] = [];
  let at = arrivesAt;
  for (const hall of [...seen, ...again]) {
    const leftAt = at + Math.round(dwell(random, hall) * pace);
    if (leftAt > closesAt) break;
    stops.push({ hall, enteredAt: at, leftAt });
    at = leftAt + Math.round(1000 * random.between(...walk));
  }
  return stops;
}

/** `now` is when the demo was created; nothing lies after it. */
export function planYear(seed: string, now: number): Year {
  const guests: Guest[] = [];
  const toursOf = new Map<number, Tour[]>();
  const days: { date: string; tours: Tour[] }[] = [];
  for (let daysAgo = daysOfYear; daysAgo >= 0; daysAgo--) {
    const day = openDay(now, daysAgo);
    if (!day) continue;
    const random = createRandom(`${seed}/day/${day.date}`);
    const count = Math.max(1, Math.round(day.expected * Math.exp(0.25 * random.normal())));
    const tours: Tour[] = [];
    const arrivals = Array.from({ length: count }, () => arrival(random, day.opensAt, day.closesAt));
    for (const arrivesAt of arrivals.sort((a, b) => a - b)) {
      const stops = stopsOf(random, { arrivesAt, closesAt: day.closesAt, daysAgo });
      // The tours still in progress today are left to the live visitors.
      const last = stops.at(-1);
      if (!last || last.leftAt > now - 300_000) continue;
      const friend = friends * Math.floor((random.next() * guests.length) / friends);
      const isBack =
        random.next() < returning && friend < guests.length && !tours.some(({ guest }) => guest === friend);
      const guest = isBack ? friend : guests.length;
      if (!isBack) guests.push(guestOf(seed, guest, { firstAt: arrivesAt, now }));
      const tour = { guest, stops };
      tours.push(tour);
      toursOf.set(guest, [...(toursOf.get(guest) ?? []), tour]);
    }
    days.unshift({ date: day.date, tours });
  }
  return {
    guests,
    days,
    visitsBefore(tour, hall) {
      const before = (toursOf.get(tour.guest) ?? []).slice(0, toursOf.get(tour.guest)?.indexOf(tour));
      return before.reduce((sum, { stops }) => sum + stops.filter((stop) => stop.hall === hall).length, 0);
    },
  };
}
