import { anotherId, FLAP_MS, type PresenceEvent, type TrackState } from '../index.ts';
import type { Corrections, PartedVisit, StoredVisit, VisitChange } from './decision.ts';

/** Compares what was reported before with what the samples say now: the difference, by visits. Pure. */

/**
 * The engine derives an id from when a visit began, and what was reported keeps its id when late samples show another beginning. An id
 * that is derived again may therefore have become the id of another visit. What a calculation starts with goes by marked ids: no
 * derived id equals one.
 */
const MARK = '~';
export const markReported = (id: string): string => MARK + id;
export const unmarked = (id: string): string => (id.startsWith(MARK) ? id.slice(MARK.length) : id);

/** A visit as the samples have it. */
export interface VisitFacts {
  readonly id: string;
  readonly beaconId: string;
  readonly enteredAt: number;
  /** Null: it began before the samples that were looked at. */
  enter: PresenceEvent | null;
  exit: PresenceEvent | null;
  readonly zones: PresenceEvent[];
}

interface Reported extends VisitFacts {
  readonly visit: StoredVisit;
}

export interface PresenceHistory {
  readonly visits: readonly VisitFacts[];
  /** Zone events of passes that did not become visits. */
  readonly loose: readonly PresenceEvent[];
}

/**
 * Visits from events in order of time. `before` is the presence before the first of them, with marked ids; its visits that are
 * under way go on, and those that were over whose EXIT is one of `retracted`.
 */
export function factsOf(
  events: readonly PresenceEvent[],
  before: TrackState | null,
  retracted: ReadonlySet<string> = new Set(),
): PresenceHistory {
  const visits = new Map<string, VisitFacts>();
  for (const [beaconId, { visit: open, left }] of Object.entries(before?.beacons ?? {})) {
    const visit = open ?? (left !== null && retracted.has(left.exitId) ? left.visit : null);
    if (visit === null) continue;
    visits.set(visit.id, { id: visit.id, beaconId, enteredAt: visit.enteredAt, enter: null, exit: null, zones: [] });
  }
  for (const event of events) {
    if (event.event !== 'ENTER') continue;
    const { visitId: id, beaconId, enteredAt = event.at } = event;
    visits.set(id, { id, beaconId, enteredAt, enter: event, exit: null, zones: [] });
  }
  const loose: PresenceEvent[] = [];
  for (const event of events) {
    if (event.event === 'ENTER') continue;
    const visit = visits.get(event.visitId);
    if (visit === undefined) loose.push(event);
    else if (event.event === 'EXIT') visit.exit = event;
    else visit.zones.push(event);
  }
  return { visits: [...visits.values()], loose };
}

export interface Reconciling {
  readonly facts: PresenceHistory;
  readonly visits: readonly StoredVisit[];
  /** The events reported so far: all of the period that the facts cover, and those of `visits`. */
  readonly events: readonly PresenceEvent[];
  /**
   * replace: the facts are everything after `after`, and visits of the record (`since`) that they lack are removed. join: the facts add to
   * what was reported, and visits only grow.
   */
  readonly mode: 'replace' | 'join';
  /** ms, sensing time. */
  readonly after: number;
  /** Older visits (service's clock) are not the record's own. */
  readonly since: number;
}

export interface Reconciled extends Corrections {
  /** Events to be reported, in order of time. */
  readonly events: readonly PresenceEvent[];
  /** The id under which a visit, a pass or an event of the facts is reported, by the one that it has there. */
  readonly nameOf: (id: string) => string;
  /** The id that a reported visit has now: that of another one if it has become a part of it. */
  readonly joinedTo: (id: string) => string;
}

export function reconcile(input: Reconciling): Reconciled {
  const work = new Work(input);
  const beacons = new Set([...input.facts.visits, ...input.visits].map(({ beaconId }) => beaconId));
  for (const beaconId of beacons) work.match(beaconId);
  work.compareZones(input.facts.loose, work.looseReported(), undefined);
  return work.result();
}

/** What makes two zone events the same, whichever visit or pass they belong to. */
const zoneKey = ({ beaconId, event, at }: PresenceEvent) => `${beaconId} ${event} ${at}`;

const endOf = ({ exit }: VisitFacts) => (exit === null ? Number.POSITIVE_INFINITY : (exit.leftAt ?? exit.at));

class Work {
  readonly #input: Reconciling;
  readonly #reported: readonly Reported[];
  readonly #events: PresenceEvent[] = [];
  readonly #changed = new Map<string, PresenceEvent>();
  readonly #removed = new Map<string, PresenceEvent>();
  readonly #visits: VisitChange[] = [];
  readonly #parted: PartedVisit[] = [];
  readonly #reportedAs = new Map<string, string>();
  readonly #joinedTo = new Map<string, string>();
  /** Ids of reported visits and events that stay. */
  readonly #taken: Set<string>;
  /** Zone events that were reported and belong to no reported visit, by `zoneKey`. */
  readonly #loose: Map<string, PresenceEvent>;

  constructor(input: Reconciling) {
    this.#input = input;
    this.#reported = input.visits.map((visit) => {
      const own = input.events.filter(({ visitId }) => visitId === visit.id);
      const exit = visit.isOpen ? null : (own.find(({ event }) => event === 'EXIT') ?? exitOf(visit));
      return {
        id: visit.id,
        beaconId: visit.beaconId,
        enteredAt: visit.enteredAt,
        enter: own.find(({ event }) => event === 'ENTER') ?? null,
        exit,
        zones: own.filter(({ event }) => event !== 'ENTER' && event !== 'EXIT'),
        visit,
      };
    });
    const ids = new Set(this.#reported.map(({ id }) => id));
    this.#taken = new Set([...ids, ...input.events.map(({ id }) => id)]);
    const loose = input.events.filter(
      ({ event, visitId, at }) => event !== 'ENTER' && event !== 'EXIT' && !ids.has(visitId) && at > input.after,
    );
    this.#loose = new Map(loose.map((event) => [zoneKey(event), event]));
  }

  /** What is left of them once the visits have taken theirs. */
  looseReported(): PresenceEvent[] {
    return [...this.#loose.values()];
  }

  /** Zone events that were reported before the visit to which they belong was known. */
  #takeLoose(zones: readonly PresenceEvent[]): PresenceEvent[] {
    return zones.flatMap((event) => {
      const reported = this.#loose.get(zoneKey(event));
      this.#loose.delete(zoneKey(event));
      return reported ?? [];
    });
  }

  result(): Reconciled {
    return {
      events: this.#events.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
      changedEvents: [...this.#changed.values()],
      removedEvents: [...this.#removed.values()].filter(({ id }) => !this.#changed.has(id)),
      visits: this.#visits,
      parted: this.#parted,
      nameOf: (id) => this.#nameOf(id),
      joinedTo: (id) => this.#joinedTo.get(id) ?? id,
    };
  }

  #nameOf(id: string): string {
    const known = this.#reportedAs.get(id);
    if (known !== undefined) return known;
    const reported = unmarked(id);
    if (reported !== id) return this.#joinedTo.get(reported) ?? reported;
    return this.#free(id);
  }

  /** The id, or if it is another one's by now, the next that is nobody's. */
  #free(id: string): string {
    return this.#taken.has(id) ? this.#free(anotherId(id)) : id;
  }

  /** The event as it is to be reported. */
  #fresh(event: PresenceEvent): PresenceEvent {
    const id = this.#free(event.id);
    this.#taken.add(id);
    this.#reportedAs.set(event.id, id);
    return { ...event, id };
  }

  match(beaconId: string): void {
    const reported = this.#reported.filter((one) => one.beaconId === beaconId);
    const found = this.#input.facts.visits
      .filter((one) => one.beaconId === beaconId)
      .sort((a, b) => a.enteredAt - b.enteredAt);
    const parts = new Map<VisitFacts, Reported[]>(found.map((one) => [one, []]));
    const others: Reported[] = [];
    for (const one of reported) (parts.get(this.#whatBecameOf(one, found) as VisitFacts) ?? others).push(one);
    for (const one of others.filter((one) => this.#isOwn(one))) {
      const same = found.find(({ id }) => id === one.id);
      const own = same && parts.get(same);
      if (own?.length === 0) own.push(one);
      else this.#remove(one);
    }
    for (const [one, own] of parts) {
      const first = own.find(({ id }) => id === unmarked(one.id)) ?? own[0];
      const rest = own.filter((other) => other !== first);
      if (first !== undefined) this.#grow(one, first, rest);
    }
    for (const [one, own] of parts) {
      if (own.length > 0) continue;
      const id = this.#tell(one);
      const { enteredAt: since } = one;
      const from = reported.find((other) => other.enteredAt <= since && since <= endOf(other));
      if (from !== undefined) this.#parted.push({ id, from: from.id, since });
    }
  }

  /** The visit that a reported one is now: the one that was under way, or else that with which it has most time in common. */
  #whatBecameOf(reported: Reported, found: readonly VisitFacts[]): VisitFacts | undefined {
    const going = found.find(({ id }) => id === markReported(reported.id));
    if (going !== undefined) return going;
    const gap = this.#input.mode === 'join' ? FLAP_MS : 0;
    let [most, become]: [number, VisitFacts | undefined] = [-gap, undefined];
    for (const one of found) {
      const common = Math.min(endOf(one), endOf(reported)) - Math.max(one.enteredAt, reported.enteredAt);
      if (common > most || (common === most && (become === undefined || one.id === reported.id)))
        [most, become] = [common, one];
    }
    return become;
  }

  /** Whether the facts would hold the visit if it was true. */
  #isOwn({ enteredAt, enter, visit }: Reported): boolean {
    const { mode, after, since } = this.#input;
    return mode === 'replace' && visit.createdAt >= since && (enter?.at ?? enteredAt) > after;
  }

  #tell(visit: VisitFacts): string {
    const id = this.#nameOf(visit.id);
    this.#taken.add(id);
    this.#reportedAs.set(visit.id, id);
    for (const event of [visit.enter, visit.exit])
      if (event !== null) this.#events.push(this.#fresh({ ...event, visitId: id }));
    this.compareZones(visit.zones, this.#takeLoose(visit.zones), id);
    return id;
  }

  /** Its zone events may be true without it. */
  #remove(reported: Reported): void {
    const { enter, exit, zones } = reported;
    this.#taken.delete(reported.id);
    this.#visits.push({ ...visitOf(reported), change: 'removed' });
    for (const event of [enter, exit]) if (event !== null && event.id !== '') this.#removed.set(event.id, event);
    for (const event of zones) this.#loose.set(zoneKey(event), event);
  }

  #grow(found: VisitFacts, first: Reported, others: readonly Reported[]): void {
    this.#reportedAs.set(found.id, first.id);
    const all = [first, ...others];
    const isJoined = this.#input.mode === 'join' || first.visit.createdAt < this.#input.since;
    const enteredAt = isJoined ? Math.min(found.enteredAt, ...all.map((one) => one.enteredAt)) : found.enteredAt;
    const exit = isJoined ? latestExit([found, ...all]) : found.exit;
    this.#compareEnter(found, first, enteredAt);
    const end = this.#compareExit(exit, first, enteredAt);
    for (const other of others) {
      for (const event of [other.enter, other.exit])
        if (event !== null && event.id !== '') this.#removed.set(event.id, event);
      this.#visits.push({ ...visitOf(other), change: 'merged', mergedInto: first.id });
      this.#joinedTo.set(other.id, first.id);
    }
    this.compareZones(found.zones, [...all.flatMap(({ zones }) => zones), ...this.#takeLoose(found.zones)], first.id);
    const isReopened = first.exit !== null && end === null;
    const hasGrown = first.exit !== null && end !== null && endOf(first) !== (end.leftAt ?? end.at);
    const isOther =
      enteredAt !== first.enteredAt ||
      hasGrown ||
      others.length > 0 ||
      first.exit?.cause !== (first.exit && end?.cause);
    if (!isReopened && !isOther) return;
    const change = isReopened ? 'reopened' : 'corrected';
    const { id, beaconId, enteredAt: wasEnteredAt } = first;
    this.#visits.push({ id, beaconId, change, enteredAt, wasEnteredAt, exit: end });
  }

  #compareEnter(found: VisitFacts, first: Reported, enteredAt: number): void {
    if (found.enter === null || first.enter === null) return;
    this.#reportedAs.set(found.enter.id, first.enter.id);
    const isLater = this.#input.mode === 'join' && found.enter.at > first.enter.at;
    const { id, visitId } = first.enter;
    this.#change(first.enter, { ...(isLater ? first.enter : found.enter), id, visitId, enteredAt });
  }

  /** The EXIT under the id under which it is reported. */
  #compareExit(exit: PresenceEvent | null, first: Reported, enteredAt: number): PresenceEvent | null {
    if (exit === null) {
      if (first.exit !== null && first.exit.id !== '') this.#removed.set(first.exit.id, first.exit);
      return null;
    }
    if (first.exit === null) {
      const reported = this.#fresh({ ...exit, visitId: first.id, enteredAt });
      this.#events.push(reported);
      return reported;
    }
    const reported = { ...exit, id: first.exit.id, visitId: first.id, enteredAt };
    this.#reportedAs.set(exit.id, reported.id);
    if (reported.id !== '') this.#change(first.exit, reported);
    return reported;
  }

  #change(from: PresenceEvent, to: PresenceEvent): void {
    const isSame =
      from.at === to.at &&
      from.enteredAt === to.enteredAt &&
      from.leftAt === to.leftAt &&
      from.cause === to.cause &&
      from.visitId === to.visitId;
    if (!isSame) this.#changed.set(to.id, to);
  }

  compareZones(found: readonly PresenceEvent[], reported: readonly PresenceEvent[], visitId: string | undefined): void {
    const known = new Map(reported.map((event) => [zoneKey(event), event]));
    for (const event of found) {
      const same = known.get(zoneKey(event));
      known.delete(zoneKey(event));
      const named = { ...event, visitId: visitId ?? this.#nameOf(event.visitId) };
      if (same === undefined) this.#events.push(this.#fresh(named));
      else {
        this.#reportedAs.set(event.id, same.id);
        this.#change(same, { ...same, visitId: named.visitId });
      }
    }
    for (const event of known.values()) {
      const isGone = this.#input.mode === 'replace' && event.at > this.#input.after;
      // Another visit may have it.
      if (isGone && visitId !== undefined) this.#loose.set(zoneKey(event), event);
      else if (isGone) this.#removed.set(event.id, event);
      else if (visitId !== undefined) this.#change(event, { ...event, visitId });
    }
  }
}

const visitOf = ({ id, beaconId, enteredAt, exit }: Reported) => ({
  id,
  beaconId,
  enteredAt,
  wasEnteredAt: enteredAt,
  exit,
});

/** The end of a visit whose EXIT event is no longer kept. */
function exitOf({ id, beaconId, enteredAt, leftAt }: StoredVisit): PresenceEvent {
  const at = leftAt ?? enteredAt;
  return {
    id: '',
    event: 'EXIT',
    installationId: '',
    beaconId,
    visitId: id,
    at,
    enteredAt,
    leftAt: at,
    cause: 'samples',
  };
}

function latestExit(visits: readonly VisitFacts[]): PresenceEvent | null {
  let latest: PresenceEvent | null = null;
  for (const { exit } of visits) {
    if (exit === null) return null;
    if (latest === null || (exit.leftAt ?? exit.at) > (latest.leftAt ?? latest.at)) latest = exit;
  }
  return latest;
}
