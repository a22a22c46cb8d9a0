import {
  addEvidence,
  compareSamples,
  copyTrack,
  type Evidence,
  endings,
  follow,
  newTrack,
  noEvidence,
  type PresenceEvent,
  type PresenceSettings,
  type Sample,
  type TrackState,
} from '../../../proximity/index.ts';
import {
  type Corrections,
  factsOf,
  noCorrections,
  type PresenceHistory,
  type Reconciled,
  reconcile,
  type VisitChange,
  type VisitFacts,
} from './reconcile.ts';
import { withSettings } from './sample-settings.ts';
import { readSamples, writeSamples } from './sample-text.ts';
import { isTakenIn, withSpells } from './spells.ts';
import {
  knownUntil,
  MOST_SAMPLES,
  patienceOf,
  SEGMENT_SAMPLES,
  type Segment,
  type TrackRecord,
  WINDOW_MS,
  withSpan,
} from './track-record.ts';
import type { StoredSegment, StoredVisit, VisitScope } from './track-store.ts';

/**
 * From what was delivered to what has to be told. Presence is a function of when things were sensed: samples that are newer
 * than all before are applied as they come, others are put where they belong among the kept samples and the time from there
 * on is calculated again. What differs from what was told is corrected.
 */

/** What is asked of the database where something comes late. */
export interface HistoryReads {
  segments(from: number): Promise<readonly StoredSegment[]>;
  visits(scope: VisitScope): Promise<readonly StoredVisit[]>;
  events(scope: { readonly after: number; readonly visitIds: readonly string[] }): Promise<readonly PresenceEvent[]>;
}

export interface Sensing {
  readonly installationId: string;
  readonly record: TrackRecord;
  /** With their clock corrected, in any order. */
  readonly samples: readonly Sample[];
  readonly now: number;
  /** The settings of the beacons of a set of samples. */
  readonly settingsOf: (beaconIds: readonly string[]) => Promise<(beaconId: string) => PresenceSettings>;
  readonly kept: HistoryReads;
  /** Since when (ms) the same person carries the installation. */
  readonly heldSince?: number | undefined;
}

/** A segment's samples as they are to be written. */
export interface WrittenSamples {
  readonly startedAt: number;
  readonly checkpoint: TrackState | null;
  readonly samples: string;
}

export interface Sensed extends Corrections {
  readonly record: TrackRecord;
  /** To be told, in order of time. */
  readonly events: readonly PresenceEvent[];
  /** How many of the samples were known. */
  readonly duplicates: number;
  readonly written: readonly WrittenSamples[];
  readonly dropped: readonly number[];
  /** What new samples in order say about the radio of beacons; what comes late has been heard of already. */
  readonly evidence: Readonly<Record<string, Evidence>>;
  /** Something of it belongs before what was known: what is told may have been told before. */
  readonly isLate: boolean;
}

export async function sense(sensing: Sensing): Promise<Sensed> {
  const samples = [...sensing.samples].sort(compareSamples);
  const { track } = sensing.record;
  const { spells } = sensing.record;
  const record = { ...rememberSpan(sensing.record, samples), spells: withSpells(spells, samples) };
  const horizon = record.horizon ?? (record.segments.length === 0 ? track.at : null);
  const first = horizon === null ? 0 : samples.findIndex(({ occurredAt }) => occurredAt >= horizon);
  const early = first < 0 ? samples : samples.slice(0, first);
  const old = early.filter((sample) => !isTakenIn(spells, sample));
  const repeated = early.length - old.length;
  const kept = first < 0 ? [] : samples.slice(first);
  const joined = old.length === 0 ? undefined : await join({ ...sensing, samples: old });
  if (kept.length === 0) return { ...nothing(record), duplicates: repeated, ...joined, isLate: true };
  const isNewer = track.at === null || (kept[0] as Sample).occurredAt > track.at;
  const next = { ...sensing, record, samples: kept };
  const done = isNewer ? await goOn(next) : await goBack(next);
  const duplicates = done.duplicates + repeated;
  return joined === undefined ? { ...done, duplicates } : { ...done, ...both(joined, done), duplicates };
}

const nothing = (record: TrackRecord): Sensed => ({
  record,
  events: [],
  duplicates: 0,
  written: [],
  dropped: [],
  evidence: {},
  isLate: false,
  ...noCorrections,
});

const both = (a: Reconciled, b: Sensed) => ({
  events: [...a.events, ...b.events],
  changedEvents: [...a.changedEvents, ...b.changedEvents],
  removedEvents: [...a.removedEvents, ...b.removedEvents],
  visits: [...a.visits, ...b.visits],
  isLate: true,
});

function rememberSpan(record: TrackRecord, samples: readonly Sample[]): TrackRecord {
  const heard = samples.filter(({ event }) => event === undefined);
  if (heard.length === 0) return record;
  const span = (heard.at(-1) as Sample).occurredAt - (heard[0] as Sample).occurredAt;
  return { ...record, spans: withSpan(record.spans, span) };
}

/** Parts of ordered samples that fit the segments: the first has `room`, and no instant is cut in two. */
function* partsOf(samples: readonly Sample[], room: number): Generator<readonly Sample[]> {
  let left = room;
  for (let start = 0; start < samples.length; ) {
    let end = Math.min(samples.length, start + Math.max(left, 1));
    while (end < samples.length && samples[end]?.occurredAt === samples[end - 1]?.occurredAt) end++;
    yield samples.slice(start, end);
    start = end;
    left = SEGMENT_SAMPLES;
  }
}

/** Applies samples that are newer than all before. */
async function goOn({ installationId, record, samples, now, settingsOf, heldSince }: Sensing): Promise<Sensed> {
  const settings = await settingsOf(beaconsOf(samples));
  const configured = withSettings(samples, settings);
  const segments = [...record.segments];
  const written: WrittenSamples[] = [];
  const events: PresenceEvent[] = [];
  const retracted = new Set<string>();
  const evidence: Record<string, Evidence> = {};
  let { track } = record;
  const [, count] = segments.at(-1) ?? [0, SEGMENT_SAMPLES];
  let isFull = count >= SEGMENT_SAMPLES;
  for (const part of partsOf(configured, isFull ? SEGMENT_SAMPLES : SEGMENT_SAMPLES - count)) {
    const startedAt = (part[0] as Sample).occurredAt;
    if (isFull) segments.push([startedAt, 0]);
    const [start, before] = segments[segments.length - 1] as Segment;
    written.push({ startedAt: start, checkpoint: isFull ? track : null, samples: writeSamples(part) });
    segments[segments.length - 1] = [start, before + part.length];
    isFull = true;
    const followed = follow({ installationId, state: track, samples: part, settingsOf: settings, heldSince });
    track = followed.state;
    events.push(...followed.events);
    for (const id of followed.retracted) retracted.add(id);
    for (const [id, one] of Object.entries(followed.evidence))
      evidence[id] = addEvidence(evidence[id] ?? noEvidence, one);
  }
  const newest = (samples.at(-1) as Sample).occurredAt;
  const lag = Math.max(0, now - newest);
  const next = prune({ ...record, track, segments, lag }, newest);
  const told = compareWithTold({ installationId, now }, record, {
    ...next.record,
    events: events.filter(({ id }) => !retracted.has(id)),
    retracted,
  });
  const { dropped } = next;
  return { ...nothing(next.record), ...told, written: withoutDropped(written, dropped), dropped, evidence };
}

const beaconsOf = (samples: readonly Sample[]) => [...new Set(samples.map(({ beaconId }) => beaconId))];

const withoutDropped = (written: readonly WrittenSamples[], dropped: readonly number[]) =>
  written.filter(({ startedAt }) => !dropped.includes(startedAt));

/** Drops the oldest segments where there are too many samples, or where they are too old. */
function prune(record: TrackRecord, newest: number): { readonly record: TrackRecord; readonly dropped: number[] } {
  const segments = [...record.segments];
  const dropped: number[] = [];
  let total = segments.reduce((sum, [, count]) => sum + count, 0);
  while (segments.length > 1 && (total > MOST_SAMPLES || (segments[1]?.[0] ?? 0) < newest - WINDOW_MS)) {
    const [start, count] = segments.shift() as Segment;
    dropped.push(start);
    total -= count;
  }
  if (dropped.length === 0) return { record, dropped };
  return { record: { ...record, segments, horizon: segments[0]?.[0] ?? null }, dropped };
}

interface NewlyFound extends TrackRecord {
  readonly events: readonly PresenceEvent[];
  readonly retracted: ReadonlySet<string>;
}

/** What is new after samples in order: ends that were told early are confirmed, or taken back where the visit went on. */
function compareWithTold(
  { installationId, now }: { readonly installationId: string; readonly now: number },
  before: TrackRecord,
  { events, retracted, ...record }: NewlyFound,
): Pick<Sensed, 'record' | 'events' | keyof Corrections> {
  const told = new Map(before.ended.map((event) => [event.visitId, event]));
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
    const early = event.event === 'EXIT' ? told.get(event.visitId) : undefined;
    if (early === undefined) {
      fresh.push(event);
      continue;
    }
    told.delete(event.visitId);
    if (early.at === event.at && early.leftAt === event.leftAt) continue;
    const exit = { ...event, id: early.id };
    changed.push(exit);
    const { visitId: id, beaconId, enteredAt = exit.at } = exit;
    visits.push({ id, beaconId, change: 'corrected', enteredAt, exit });
  }
  const patience = patienceOf(record);
  const due = endings({ installationId, state: record.track, until: knownUntil(record, now), patience: 0 });
  const late = endings({ installationId, state: record.track, until: knownUntil(record, now), patience });
  const stillEnded = due.filter(({ visitId }) => told.has(visitId));
  const ended: PresenceEvent[] = stillEnded.map(({ visitId }) => told.get(visitId) as PresenceEvent);
  const isOpen = openVisits(record.track);
  for (const exit of told.values()) if (isOpen.has(exit.visitId) && !ended.includes(exit)) takeBack(exit);
  for (const exit of late) {
    if (told.has(exit.visitId)) continue;
    fresh.push(exit);
    ended.push(exit);
  }
  for (const id of retracted) {
    const visit = isTakenUp(before.track, id);
    if (visit === undefined) continue;
    // The phone's own EXIT was told; the events of this call may have ended the visit again.
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
  return { record: { ...record, ended }, events: fresh, changedEvents: changed, removedEvents: removed, visits };
}

function openVisits(track: TrackState): ReadonlySet<string> {
  return new Set(Object.values(track.beacons).flatMap(({ visit }) => visit?.id ?? []));
}

/** The EXIT event of a phone's own that has been taken back. */
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

/** Puts late samples where they belong and calculates the time from there on again. */
async function goBack(sensing: Sensing): Promise<Sensed> {
  const { installationId, record, samples, now, kept } = sensing;
  const firstAt = (samples[0] as Sample).occurredAt;
  const from = record.segments.findLast(([start]) => start <= firstAt)?.[0] ?? record.segments[0]?.[0] ?? firstAt;
  const stored = await kept.segments(from);
  const known = stored.flatMap((segment) => readSamples(segment.samples));
  const { merged, duplicates } = mergeSamples(known, samples);
  if (duplicates === samples.length) return { ...nothing(sensing.record), duplicates };
  const checkpoint = stored[0]?.checkpoint ?? newTrack();
  const settings = await sensing.settingsOf(beaconsOf(merged));
  // Whoever is in contact keeps the settings under which the contact began.
  const settingsNow = (beaconId: string) => {
    const state = record.track.beacons[beaconId];
    return state !== undefined && (state.inContact || state.visit !== null) ? state.settings : settings(beaconId);
  };
  const again = replay(installationId, {
    checkpoint,
    samples: withSettings(merged, settingsNow),
    settingsOf: settingsNow,
    heldSince: sensing.heldSince,
  });
  const newest = (merged.at(-1) as Sample).occurredAt;
  const isNewest = (samples.at(-1) as Sample).occurredAt >= newest && newest > (record.track.at ?? newest - 1);
  const lag = isNewest ? Math.max(0, now - newest) : record.lag;
  const told = new Set(record.ended.map(({ visitId }) => visitId));
  const reached = { ...record, track: again.track, lag };
  const ends = endsNow(installationId, reached, now);
  const after = checkpoint.at ?? (merged[0] as Sample).occurredAt - 1;
  const facts = factsOf([...again.events, ...ends.certain], checkpoint, again.retracted);
  // Who had begun to leave at the checkpoint left before it.
  const ids = Object.values(checkpoint.beacons).flatMap(({ visit, left }) => visit?.id ?? left?.visit.id ?? []);
  const visits = await kept.visits({ from: after, until: Number.MAX_SAFE_INTEGER, ids });
  const events = await kept.events({ after, visitIds: visits.map(({ id }) => id) });
  // A visit that was told to be over stays so until a sample shows otherwise.
  const isTold = (visitId: string) => told.has(visitId) || visits.some(({ id, isOpen }) => id === visitId && !isOpen);
  for (const exit of ends.early) {
    const visit = facts.visits.find(({ id }) => id === exit.visitId);
    if (visit !== undefined && (isTold(exit.visitId) || meetsClosed(visit.enteredAt, exit, visits))) visit.exit = exit;
  }
  const found = reconcile({ facts, visits, events, mode: 'replace', after, since: record.since });
  const name = (id: string) => found.toldAs.get(id) ?? id;
  const ended = facts.visits.flatMap(({ exit }) =>
    exit !== null && (ends.certain.includes(exit) || ends.early.includes(exit))
      ? [{ ...exit, id: name(exit.id), visitId: name(exit.visitId) }]
      : [],
  );
  const segments: Segment[] = again.parts.map(({ startedAt, samples }) => [startedAt, samples.length]);
  const older = record.segments.filter(([start]) => start < from);
  const rest = prune(
    { ...reached, track: rename(again.track, name), segments: [...older, ...segments], ended },
    newest,
  );
  const written = again.parts.map(({ startedAt, checkpoint, samples }) => ({
    startedAt,
    checkpoint: rename(checkpoint, name),
    samples: writeSamples(samples),
  }));
  const { events: fresh, changedEvents, removedEvents, visits: changes } = found;
  return {
    record: { ...rest.record, waits: renameWaits(record, name) },
    events: fresh,
    changedEvents,
    removedEvents,
    visits: changes,
    duplicates,
    written: withoutDropped(written, rest.dropped),
    dropped: [...new Set([...stored.map(({ startedAt }) => startedAt), ...rest.dropped])],
    evidence: {},
    isLate: true,
  };
}

function meetsClosed(enteredAt: number, exit: PresenceEvent, visits: readonly StoredVisit[]): boolean {
  return visits.some(
    ({ beaconId, isOpen, enteredAt: start, leftAt }) =>
      beaconId === exit.beaconId &&
      !isOpen &&
      start <= (exit.leftAt ?? exit.at) &&
      (leftAt ?? start) >= enteredAt &&
      leftAt === exit.leftAt,
  );
}

/** Ends that follow if nothing more is sensed: those that are told by now, and those that may still wait for a delivery. */
function endsNow(installationId: string, record: TrackRecord, now: number) {
  const until = knownUntil(record, now);
  const all = endings({ installationId, state: record.track, until, patience: 0 });
  const certain = endings({ installationId, state: record.track, until, patience: patienceOf(record) });
  const ids = new Set(certain.map(({ id }) => id));
  return { certain, early: all.filter(({ id }) => !ids.has(id)) };
}

interface Part {
  readonly startedAt: number;
  readonly checkpoint: TrackState;
  readonly samples: readonly Sample[];
}

function replay(
  installationId: string,
  {
    checkpoint,
    samples,
    settingsOf,
    heldSince,
  }: {
    readonly checkpoint: TrackState;
    readonly samples: readonly Sample[];
    readonly settingsOf: (beaconId: string) => PresenceSettings;
    readonly heldSince: number | undefined;
  },
) {
  const parts: Part[] = [];
  let events: PresenceEvent[] = [];
  const retracted = new Set<string>();
  let track = checkpoint;
  for (const part of partsOf(samples, SEGMENT_SAMPLES)) {
    parts.push({ startedAt: (part[0] as Sample).occurredAt, checkpoint: track, samples: part });
    const followed = follow({ installationId, state: track, samples: part, settingsOf, heldSince });
    track = followed.state;
    for (const id of followed.retracted) retracted.add(id);
    if (followed.retracted.length > 0) events = events.filter(({ id }) => !retracted.has(id));
    events.push(...followed.events);
  }
  return { parts, events, retracted, track };
}

/** What makes two samples the same, however they were delivered. */
const keyOf = ({ occurredAt, beaconId, event, rssi, receiver, distance, txPower }: Sample) =>
  `${occurredAt} ${beaconId} ${event ?? ''} ${rssi ?? ''} ${distance ?? ''} ${txPower ?? ''} ${receiver ?? ''}`;

/** Both in order. Of samples that are alike, as many stay as the fuller of the two has. */
function mergeSamples(known: readonly Sample[], samples: readonly Sample[]) {
  const counts = new Map<string, number>();
  for (const sample of known) {
    const key = keyOf(sample);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const fresh = samples.filter((sample) => {
    const key = keyOf(sample);
    const left = counts.get(key) ?? 0;
    if (left > 0) counts.set(key, left - 1);
    return left === 0;
  });
  return { merged: [...known, ...fresh].sort(compareSamples), duplicates: samples.length - fresh.length };
}

/** The state with the ids under which its visits were told. */
function rename(track: TrackState, name: (id: string) => string): TrackState {
  const copy = copyTrack(track);
  for (const state of Object.values(copy.beacons)) {
    if (state.passId !== null) state.passId = name(state.passId);
    if (state.visit !== null) state.visit = { ...state.visit, id: name(state.visit.id) };
    if (state.left !== null) {
      const { visit, exitId, at } = state.left;
      state.left = { visit: { ...visit, id: name(visit.id) }, exitId: name(exitId), at };
    }
  }
  return copy;
}

const renameWaits = ({ waits }: TrackRecord, name: (id: string) => string) =>
  waits.map((wait) => ({ ...wait, event: { ...wait.event, visitId: name(wait.event.visitId) } }));

/** Samples from before what is kept: visits of their own, which may touch visits that were told and make them grow. */
async function join({ installationId, record, samples, settingsOf, kept }: Sensing): Promise<Reconciled> {
  const settings = await settingsOf(beaconsOf(samples));
  const { state, events } = follow({ installationId, state: null, samples, settingsOf: settings });
  const ends = endings({ installationId, state, until: Number.MAX_SAFE_INTEGER, patience: 0 });
  const facts = factsOf([...events, ...ends], null);
  const first = (samples[0] as Sample).occurredAt;
  const last = (samples.at(-1) as Sample).occurredAt;
  const visits = await kept.visits({ from: first - WINDOW_MS, until: last + WINDOW_MS, ids: [] });
  const told = await kept.events({ after: first - 1, visitIds: visits.map(({ id }) => id) });
  return reconcile({
    facts: { visits: [...facts.visits, ...exitsOf(installationId, { samples, visits, told, facts })], loose: [] },
    visits,
    events: told,
    mode: 'join',
    after: first,
    since: record.since,
  });
}

interface Joining {
  readonly samples: readonly Sample[];
  readonly visits: readonly StoredVisit[];
  readonly told: readonly PresenceEvent[];
  readonly facts: PresenceHistory;
}

/** Stored visits whose end was only guessed, and that an EXIT of the phone ends now. */
function exitsOf(installationId: string, { samples, visits, told, facts }: Joining): VisitFacts[] {
  const ended = new Set(facts.visits.map(({ exit }) => `${exit?.beaconId} ${exit?.at}`));
  return samples.flatMap(({ event, beaconId, occurredAt: at }): VisitFacts[] => {
    if (event !== 'EXIT' || ended.has(`${beaconId} ${at}`)) return [];
    const visit = visits.findLast((one) => one.beaconId === beaconId && one.enteredAt <= at);
    const guess = told.find(({ visitId, inferred }) => visitId === visit?.id && inferred === true);
    if (visit === undefined || guess === undefined || guess.at < at) return [];
    const { id, enteredAt } = visit;
    const exit: PresenceEvent = {
      id: guess.id,
      event: 'EXIT',
      installationId,
      beaconId,
      visitId: id,
      at,
      enteredAt,
      leftAt: at,
      cause: 'device',
    };
    return [{ id, beaconId, enteredAt, enter: null, exit, zones: [] }];
  });
}

/** What time alone brings about: visits whose silence has been long enough by now. */
export function passTime(installationId: string, record: TrackRecord, now: number): Sensed {
  const until = knownUntil(record, now);
  const told = new Set(record.ended.map(({ visitId }) => visitId));
  const events = endings({ installationId, state: record.track, until, patience: patienceOf(record) }).filter(
    ({ visitId }) => !told.has(visitId),
  );
  return { ...nothing({ ...record, ended: [...record.ended, ...events] }), events };
}
