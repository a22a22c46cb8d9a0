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

const hourOf = (at: number, timeZone: string) =>
  at - Number(new Date(at).toLocaleTimeString('sv-SE', { timeZone }).slice(3, 5)) * minute - (at % minute);

interface Where {
  readonly day: string;
  readonly venue: string;
  readonly place: string;
}

/** Each way with its number of tours and of visitors, as texts in their order. */
export function movesByHand(visits: readonly HandVisit[], where: (visit: HandVisit) => Where): string[] {
  const moves = new Map<string, string[]>();
  const note = (move: string, visitor: string) => moves.set(move, [...(moves.get(move) ?? []), visitor]);
  const byVisitor = Map.groupBy(visits, (visit) => {
    const { day, venue } = where(visit);
    return `${visit.installation_id} ${day} ${venue}`;
  });
  for (const ofOne of byVisitor.values()) {
    const ordered = ofOne.toSorted((a, b) => a.entered_at - b.entered_at || a.beacon_id.localeCompare(b.beacon_id));
    const visitor = ordered[0]?.installation_id ?? '';
    const end = (one: HandVisit) => (one.dwell === null ? Number.POSITIVE_INFINITY : one.entered_at + one.dwell * 1000);
    let tour: HandVisit[] = [];
    const finish = () => {
      const last = tour.at(-1);
      if (last && tour.every(({ dwell }) => dwell !== null)) note(`${where(last).place}>`, visitor);
      tour = [];
    };
    for (const visit of ordered) {
      const wasThereUntil = Math.max(...ordered.slice(0, ordered.indexOf(visit)).map(end));
      if (tour.length > 0 && visit.entered_at - wasThereUntil > 60 * minute) finish();
      const here = tour.at(-1);
      if (!here) note(`>${where(visit).place}`, visitor);
      else if (where(here).place !== where(visit).place) note(`${where(here).place}>${where(visit).place}`, visitor);
      tour.push(visit);
    }
    finish();
  }
  return [...moves].map(([move, visitors]) => `${move}: ${visitors.length} tours of ${new Set(visitors).size}`).sort();
}
