import {
  addEvidence,
  type Evidence,
  endings,
  type Following,
  follow,
  noEvidence,
  type Pass,
  type PresenceEvent,
  type PresenceSettings,
  type Retimed,
  type Sample,
  type Seeding,
  type TrackState,
} from '../index.ts';
import { type Corrections, type HistoryReads, noCorrections, type Sensed, type VisitChange } from './decision.ts';
import {
  knownUntil,
  MAX_SAMPLES,
  patienceOf,
  SEGMENT_SAMPLES,
  type Segment,
  SHORT_SEGMENT_MS,
  type TrackRecord,
  WINDOW_MS,
  type WrittenSamples,
} from './record.ts';
import { writeSamples } from './samples.ts';

/** The input about the samples of one installation, and what follows from them. */

export interface Sensing extends Seeding {
  readonly installationId: string;
  readonly record: TrackRecord;
  /** With their clock corrected, in any order. */
  readonly samples: readonly Sample[];
  /** Times of known samples that turned out to be wrong. */
  readonly retimed?: Retimed | undefined;
  readonly now: number;
  readonly siteOf: (beaconIds: readonly string[]) => Promise<KnownSite>;
  readonly kept: HistoryReads;
  /** Since when (ms) the same person carries the installation. */
  readonly heldSince?: number | undefined;
  /** What was reported before this (ms) may be gone, because the app's retention is zero; without it, everything is there. */
  readonly keptSince?: number | undefined;
}

/** What is configured for beacons, and what surveys say of their signals. */
export type KnownSite = Pick<Following, 'settingsOf' | 'mapOf'>;

export const nothing = (record: TrackRecord): Sensed => ({
  record,
  events: [],
  duplicates: 0,
  written: [],
  dropped: [],
  evidence: {},
  passes: [],
  isLate: false,
  ...noCorrections,
});

/** The beacons of samples, and those that are in contact: a position is computed from all. */
export const beaconsOf = (samples: readonly Sample[], track: TrackState) => [
  ...new Set([
    ...samples.map(({ beaconId }) => beaconId),
    ...Object.keys(track.beacons).filter((id) => track.beacons[id]?.inContact),
  ]),
];

/**
 * A new configuration does not change the past: each sample keeps what was configured when it arrived. A late one takes
 * that of the next one of its beacon that was known, since both may be of one contact. In order of time.
 */
export function withSettings(
  samples: readonly Sample[],
  settingsNow: (beaconId: string) => PresenceSettings,
): readonly Sample[] {
  const next = new Map<string, PresenceSettings>();
  return [...samples]
    .reverse()
    .map((sample) => {
      const { beaconId } = sample;
      const settings = sample.settings ?? next.get(beaconId) ?? settingsNow(beaconId);
      next.set(beaconId, settings);
      return { ...sample, settings };
    })
    .reverse();
}

/** How samples are cut into segments, and which of them are kept. */

/** Parts of ordered samples that fit the segments: the first has `room`, and no instant is cut in two. */
export function* partsOf(samples: readonly Sample[], room: number): Generator<readonly Sample[]> {
  let left = room;
  for (let start = 0; start < samples.length; ) {
    let end = Math.min(samples.length, start + Math.max(left, 1));
    while (end < samples.length && samples[end]?.occurredAt === samples[end - 1]?.occurredAt) end++;
    yield samples.slice(start, end);
    start = end;
    left = SEGMENT_SAMPLES;
  }
}

export const withoutDropped = (written: readonly WrittenSamples[], dropped: readonly number[]) =>
  written.filter(({ startedAt }) => !dropped.includes(startedAt));

/** Drops the oldest segments beyond the number or the age of samples to keep. */
export function prune(
  record: TrackRecord,
  newest: number,
  keptSince: number = Number.NEGATIVE_INFINITY,
): { readonly record: TrackRecord; readonly dropped: number[] } {
  const segments = [...record.segments];
  const dropped: number[] = [];
  const oldest = Math.max(newest - WINDOW_MS, keptSince);
  let total = segments.reduce((sum, [, count]) => sum + count, 0);
  while (segments.length > 1 && (total > MAX_SAMPLES || (segments[1]?.[0] ?? 0) < oldest)) {
    const [start, count] = segments.shift() as Segment;
    dropped.push(start);
    total -= count;
  }
  if (dropped.length === 0) return { record, dropped };
  return { record: { ...record, segments, horizon: segments[0]?.[0] ?? null }, dropped };
}

/** Compares samples in order with what was reported before them. */

interface NewlyFound extends TrackRecord {
  readonly events: readonly PresenceEvent[];
  readonly retracted: ReadonlySet<string>;
}

/** What is new after samples in order: ends that were reported early are confirmed, or revoked if the visit went on. */
function compareWithReported(
  { installationId, seedOf, now }: Pick<Sensing, 'installationId' | 'seedOf' | 'now'>,
  before: TrackRecord,
  { events, retracted, ...record }: NewlyFound,
): Pick<Sensed, 'record' | 'events' | keyof Corrections> {
  const reported = new Map(before.ended.map((event) => [event.visitId, event]));
  const removed: PresenceEvent[] = [];
  const visits: VisitChange[] = [];
  const changed: PresenceEvent[] = [];
  const fresh: PresenceEvent[] = [];
  const takeBack = (exit: PresenceEvent) => {
    removed.push(exit);
    const { visitId: id, beaconId, enteredAt = exit.at } = exit;
    visits.push({ id, beaconId, change: 'reopened', enteredAt, exit: null });
  };
  for (const event of events) {
    const early = event.event === 'EXIT' ? reported.get(event.visitId) : undefined;
    if (early === undefined) {
      fresh.push(event);
      continue;
    }
    reported.delete(event.visitId);
    if (early.at === event.at && early.leftAt === event.leftAt) continue;
    const exit = { ...event, id: early.id };
    changed.push(exit);
    const { visitId: id, beaconId, enteredAt = exit.at } = exit;
    visits.push({ id, beaconId, change: 'corrected', enteredAt, exit });
  }
  const patience = patienceOf(record);
  const due = endings({ installationId, seedOf, state: record.track, until: knownUntil(record, now), patience: 0 });
  const late = endings({ installationId, seedOf, state: record.track, until: knownUntil(record, now), patience });
  const stillEnded = due.filter(({ visitId }) => reported.has(visitId));
  const ended: PresenceEvent[] = stillEnded.map(({ visitId }) => reported.get(visitId) as PresenceEvent);
  const isOpen = openVisits(record.track);
  for (const exit of reported.values()) if (isOpen.has(exit.visitId) && !ended.includes(exit)) takeBack(exit);
  for (const exit of late) {
    if (reported.has(exit.visitId)) continue;
    fresh.push(exit);
    ended.push(exit);
  }
  for (const id of retracted) {
    const visit = isTakenUp(before.track, id);
    if (visit === undefined) continue;
    // The phone's own EXIT was reported; the events of this call may have ended the visit again.
    const exit = fresh.find(({ event, visitId }) => event === 'EXIT' && visitId === visit.visitId);
    if (exit === undefined) takeBack(visit);
    else {
      fresh.splice(fresh.indexOf(exit), 1);
      const again = { ...exit, id: visit.id };
      changed.push(again);
      visits.push({
        id: visit.visitId,
        beaconId: visit.beaconId,
        change: 'corrected',
        enteredAt: visit.enteredAt ?? visit.at,
        exit: again,
      });
      renameExit(record.track, exit.id, visit.id);
    }
  }
  return {
    ...noCorrections,
    record: { ...record, ended },
    events: fresh,
    changedEvents: changed,
    removedEvents: removed,
    visits,
  };
}

function openVisits(track: TrackState): ReadonlySet<string> {
  return new Set(Object.values(track.beacons).flatMap(({ visit }) => visit?.id ?? []));
}

/** The phone's own EXIT event that has been revoked. */
function isTakenUp(before: TrackState, exitId: string): PresenceEvent | undefined {
  for (const [beaconId, { left }] of Object.entries(before.beacons)) {
    if (left === null || left.exitId !== exitId) continue;
    const { id: visitId, enteredAt } = left.visit;
    return {
      id: exitId,
      event: 'EXIT',
      installationId: '',
      beaconId,
      visitId,
      at: left.at,
      enteredAt,
      leftAt: left.at,
      cause: 'device',
    };
  }
  return undefined;
}

/** `track` is this call's own. */
function renameExit(track: TrackState, from: string, to: string): void {
  for (const state of Object.values(track.beacons))
    if (state.left?.exitId === from) state.left = { ...state.left, exitId: to };
}

/** Applies samples that are newer than all before, or an EXIT at the instant of the newest one. */
export async function goOn(sensing: Sensing): Promise<Sensed> {
  const { installationId, seedOf, record, samples, now, siteOf, heldSince, keptSince } = sensing;
  const site = await siteOf(beaconsOf(samples, record.track));
  const configured = withSettings(samples, site.settingsOf);
  const segments = [...record.segments];
  const written: WrittenSamples[] = [];
  const events: PresenceEvent[] = [];
  const retracted = new Set<string>();
  const evidence: Record<string, Evidence> = {};
  const passes: Pass[] = [];
  let { track } = record;
  const [begun, count] = segments.at(-1) ?? [0, SEGMENT_SAMPLES];
  const isLong = count >= SEGMENT_SAMPLES || (keptSince !== undefined && begun < now - SHORT_SEGMENT_MS);
  // Samples of one instant stay together.
  let isFull = isLong && (samples[0] as Sample).occurredAt !== track.at;
  for (const part of partsOf(configured, isFull ? SEGMENT_SAMPLES : SEGMENT_SAMPLES - count)) {
    const startedAt = (part[0] as Sample).occurredAt;
    if (isFull) segments.push([startedAt, 0]);
    const [start, before] = segments[segments.length - 1] as Segment;
    written.push({ startedAt: start, checkpoint: isFull ? track : null, samples: writeSamples(part) });
    segments[segments.length - 1] = [start, before + part.length];
    isFull = true;
    const followed = follow({ installationId, seedOf, state: track, samples: part, ...site, heldSince });
    track = followed.state;
    events.push(...followed.events);
    for (const id of followed.retracted) retracted.add(id);
    passes.push(...followed.passes);
    for (const [id, one] of Object.entries(followed.evidence))
      evidence[id] = addEvidence(evidence[id] ?? noEvidence, one);
  }
  const newest = (samples.at(-1) as Sample).occurredAt;
  const lag = Math.max(0, now - newest);
  const next = prune({ ...record, track, segments, lag }, newest, keptSince);
  const reported = compareWithReported({ installationId, seedOf, now }, record, {
    ...next.record,
    events: events.filter(({ id }) => !retracted.has(id)),
    retracted,
  });
  const { dropped } = next;
  return { ...nothing(next.record), ...reported, written: withoutDropped(written, dropped), dropped, evidence, passes };
}
