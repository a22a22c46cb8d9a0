/** Ways between zones as somebody counts them who looks at every visit. */

export interface HandVisit {
  readonly installation_id: string;
  readonly beacon_id: string;
  /** Epoch ms. */
  readonly entered_at: number;
  /** Seconds; null while it is open. */
  readonly dwell: number | null;
}

const minute = 60_000;

/** In which zone each beacon hung, and since when. */
export class PlacesByHand {
  readonly #hung: { readonly beacon: string; readonly zone: string; readonly since: number }[] = [];

  /** `since`: epoch ms. */
  hang(beacon: string, zone: string, since: number): void {
    this.#hung.push({ beacon, zone, since });
  }

  /** By the hour of the clocks in which somebody came; where a beacon hung first counts for the time before as well. */
  zoneAt(beacon: string, at: number, timeZone: string): string | undefined {
    const hung = this.#hung.filter((one) => one.beacon === beacon);
    const isEarlier = (since: number) => hourOf(since, timeZone) <= hourOf(at, timeZone);
    return (hung.findLast(({ since }) => isEarlier(since)) ?? hung[0])?.zone;
  }
}

/** What the clocks of a zone show, as `2026-11-27 09:05:00`. A formatter is made once: that takes as long as a hundred times to use it. */
export function clocksAt(at: number, timeZone: string): string {
  const clocks = formatters.get(timeZone) ?? makeFormatter(timeZone);
  formatters.set(timeZone, clocks);
  return clocks.format(at);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

const makeFormatter = (timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

const hourOf = (at: number, timeZone: string) =>
  at - Number(clocksAt(at, timeZone).slice(14, 16)) * minute - (at % minute);

interface Where {
  readonly day: string;
  readonly venue: string;
  readonly place: string;
}

interface TourByHand {
  readonly visitor: string;
  readonly venue: string;
  /** Places one after the other, none twice in a row. */
  readonly stops: readonly string[];
  /** All of its visits have ended. */
  readonly isOver: boolean;
}

function toursByHand(visits: readonly HandVisit[], where: (visit: HandVisit) => Where): TourByHand[] {
  const tours: TourByHand[] = [];
  const byVisitor = Map.groupBy(visits, (visit) => {
    const { day, venue } = where(visit);
    return `${visit.installation_id} ${day} ${venue}`;
  });
  for (const ofOne of byVisitor.values()) {
    const ordered = ofOne.toSorted((a, b) => a.entered_at - b.entered_at || a.beacon_id.localeCompare(b.beacon_id));
    const end = (one: HandVisit) => (one.dwell === null ? Number.POSITIVE_INFINITY : one.entered_at + one.dwell * 1000);
    let tour: HandVisit[] = [];
    const finish = () => {
      const [first] = tour;
      if (!first) return;
      const places = tour.map((visit) => where(visit).place);
      tours.push({
        visitor: first.installation_id,
        venue: where(first).venue,
        stops: places.filter((place, index) => place !== places[index - 1]),
        isOver: tour.every(({ dwell }) => dwell !== null),
      });
      tour = [];
    };
    for (const visit of ordered) {
      const wasThereUntil = Math.max(...ordered.slice(0, ordered.indexOf(visit)).map(end));
      if (tour.length > 0 && visit.entered_at - wasThereUntil > 60 * minute) finish();
      tour.push(visit);
    }
    finish();
  }
  return tours;
}

/** Each way with its number of tours and of visitors, as texts in their order. */
function counted(tours: readonly TourByHand[], waysOf: (tour: TourByHand) => readonly string[]): string[] {
  const ways = new Map<string, string[]>();
  for (const tour of tours) for (const way of waysOf(tour)) ways.set(way, [...(ways.get(way) ?? []), tour.visitor]);
  return [...ways].map(([way, visitors]) => `${way}: ${visitors.length} tours of ${new Set(visitors).size}`).sort();
}

/** From one place to the next one; in at the first one, and out at the last one of a tour that is over. */
export const movesByHand = (visits: readonly HandVisit[], where: (visit: HandVisit) => Where): string[] =>
  counted(toursByHand(visits, where), ({ stops, isOver }) => {
    const ends = ['', ...stops, ...(isOver ? [''] : [])];
    return ends.slice(1).map((to, index) => `${ends[index]}>${to}`);
  });

/** From the first time at one place to the first time at each later one. */
export const reachesByHand = (visits: readonly HandVisit[], where: (visit: HandVisit) => Where): string[] =>
  counted(toursByHand(visits, where), ({ stops }) => {
    const firsts = [...new Set(stops)];
    return firsts.flatMap((from, index) => firsts.slice(index + 1).map((to) => `${from}>${to}`));
  });

/** The first five places of each tour that is over, of each venue. */
export const pathsByHand = (visits: readonly HandVisit[], where: (visit: HandVisit) => Where): string[] =>
  counted(
    toursByHand(visits, where).filter(({ isOver }) => isOver),
    ({ venue, stops }) => [`${venue} ${stops.slice(0, 5).join('>')}${stops.length > 5 ? '>…' : ''}`],
  ).map((path) => path.slice(path.indexOf(' ') + 1));

/** The most visitors at once at each place on each day, as texts in their order. `endOf`: until when visits of a day are looked at, epoch ms. */
export function peaksByHand(
  visits: readonly HandVisit[],
  where: (visit: HandVisit) => Where,
  endOf: (day: string) => number,
): string[] {
  const byPlace = Map.groupBy(visits, (visit) => {
    const { day, venue, place } = where(visit);
    return `${day} ${venue} ${place}`;
  });
  return [...byPlace.values()]
    .map((there) => {
      const { day, place } = where(there[0] as HandVisit);
      const leftAt = ({ entered_at, dwell }: HandVisit) =>
        Math.max(entered_at + 1, Math.min(endOf(day), dwell === null ? endOf(day) : entered_at + dwell * 1000));
      const most = Math.max(
        ...there.map(({ entered_at: at }) => {
          const here = there.filter((other) => other.entered_at <= at && at < leftAt(other));
          return new Set(here.map(({ installation_id }) => installation_id)).size;
        }),
      );
      return `${day} ${place}: ${most}`;
    })
    .sort();
}
