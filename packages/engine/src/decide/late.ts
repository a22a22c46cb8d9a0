import {
  compareSamples,
  copyTrack,
  endings,
  follow,
  MAX_VISIT_MS,
  newTrack,
  type PresenceEvent,
  type Retimed,
  type Sample,
  type TrackState,
} from '../index.ts';
import type { Sensed, StoredVisit } from './decision.ts';
import {
  beaconsOf,
  type KnownSite,
  nothing,
  partsOf,
  prune,
  type Sensing,
  withoutDropped,
  withSettings,
} from './in-order.ts';
import {
  factsOf,
  markReported,
  type PresenceHistory,
  type Reconciled,
  reconcile,
  unmarked,
  type VisitFacts,
} from './reconcile.ts';
import { knownUntil, patienceOf, SEGMENT_SAMPLES, type Segment, type TrackRecord, WINDOW_MS } from './record.ts';
import { readSamples, writeSamples } from './samples.ts';

/** Inserts late samples where they belong and recalculates from there on. */
export async function goBack(sensing: Sensing): Promise<Sensed> {
  const { record, samples, now, kept, keptSince, retimed } = sensing;
  const earliest = retimed === undefined ? [] : [retimed.since + Math.min(0, retimed.by)];
  const firstAt = Math.min(...samples.slice(0, 1).map(({ occurredAt }) => occurredAt), ...earliest);
  const from = record.segments.filter(([start]) => start <= firstAt).at(-1)?.[0] ?? record.segments[0]?.[0] ?? firstAt;
  const stored = await kept.segments(from);
  const asKnown = stored.flatMap((segment) => readSamples(segment.samples));
  const known = withTimes(asKnown, retimed);
  const { merged, duplicates } = mergeSamples(known, samples);
  if (merged.length === 0 || (duplicates === samples.length && retimed === undefined))
    return { ...nothing(sensing.record), duplicates };
  const checkpoint = rename(stored[0]?.checkpoint ?? newTrack(record.receiverOffset), markReported);
  const { settingsOf, mapOf } = await sensing.siteOf(beaconsOf(merged, checkpoint));
  // An existing contact keeps the settings under which it began.
  const settingsNow = (beaconId: string) => {
    const state = record.track.beacons[beaconId];
    return state !== undefined && (state.inContact || state.visit !== null) ? state.settings : settingsOf(beaconId);
  };
  const again = replay(sensing, {
    checkpoint,
    samples: withSettings(merged, settingsNow),
    settingsOf: settingsNow,
    mapOf,
    heldSince: sensing.heldSince,
  });
  const newest = (merged.at(-1) as Sample).occurredAt;
  const isNewest =
    retimed !== undefined ||
    ((samples.at(-1) as Sample).occurredAt >= newest && newest > (record.track.at ?? newest - 1));
  const lag = isNewest ? Math.max(0, now - newest) : record.lag;
  const reported = new Set(record.ended.map(({ visitId }) => visitId));
  const reached = { ...record, track: again.track, lag };
  const ends = endsNow(sensing, reached, now);
  const begins = [merged[0], asKnown[0]].flatMap((sample) => sample?.occurredAt ?? []);
  const after = checkpoint.at ?? Math.min(...begins) - 1;
  const facts = factsOf([...again.events, ...ends.certain], checkpoint, again.retracted);
  // An exit that had begun at the checkpoint happened before it.
  const ids = Object.values(checkpoint.beacons).flatMap(({ visit, left }) => visit?.id ?? left?.visit.id ?? []);
  const visits = await kept.visits({ from: after, until: Number.MAX_SAFE_INTEGER, ids: ids.map(unmarked) });
  const events = await kept.events({ after, visitIds: visits.map(({ id }) => id) });
  // A visit that was reported as over stays so until a sample shows otherwise.
  const isReported = (visitId: string) =>
    reported.has(visitId) || visits.some(({ id, isOpen }) => id === visitId && !isOpen);
  for (const exit of ends.early) {
    const visit = facts.visits.find(({ id }) => id === exit.visitId);
    if (visit !== undefined && (isReported(unmarked(exit.visitId)) || meetsClosed(visit.enteredAt, exit, visits)))
      visit.exit = exit;
  }
  const found = reconcile({ facts, visits, events, mode: 'replace', after, since: record.since });
  const name = found.nameOf;
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
    keptSince,
  );
  const written = again.parts.map(({ startedAt, checkpoint, samples }) => ({
    startedAt,
    checkpoint: rename(checkpoint, name),
    samples: writeSamples(samples),
  }));
  const { events: fresh, changedEvents, removedEvents, visits: changes, parted } = found;
  return {
    record: { ...rest.record, waits: renameWaits(record, found.joinedTo) },
    // Nothing that was reported and is gone is reported again.
    events: keptSince === undefined ? fresh : fresh.filter(({ at }) => at >= keptSince),
    changedEvents,
    removedEvents,
    visits: changes,
    parted,
    duplicates,
    written: withoutDropped(written, rest.dropped),
    dropped: [...new Set([...stored.map(({ startedAt }) => startedAt), ...rest.dropped])],
    evidence: {},
    passes: [],
    isLate: true,
  };
}

/** Samples with the times that they really have. */
export const withTimes = (samples: readonly Sample[], retimed: Retimed | undefined): readonly Sample[] =>
  retimed === undefined
    ? samples
    : samples.map((one) =>
        one.occurredAt < retimed.since ? one : { ...one, occurredAt: one.occurredAt + retimed.by },
      );

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

/** Ends that follow if nothing more is sensed: those already reported, and those that may still wait for a batch. */
function endsNow({ installationId, seedOf }: Whose, record: TrackRecord, now: number) {
  const until = knownUntil(record, now);
  const all = endings({ installationId, seedOf, state: record.track, until, patience: 0 });
  const certain = endings({ installationId, seedOf, state: record.track, until, patience: patienceOf(record) });
  const ids = new Set(certain.map(({ id }) => id));
  return { certain, early: all.filter(({ id }) => !ids.has(id)) };
}

type Whose = Pick<Sensing, 'installationId' | 'seedOf'>;

interface Part {
  readonly startedAt: number;
  readonly checkpoint: TrackState;
  readonly samples: readonly Sample[];
}

function replay(
  { installationId, seedOf }: Whose,
  {
    checkpoint,
    samples,
    ...known
  }: KnownSite & {
    readonly checkpoint: TrackState;
    readonly samples: readonly Sample[];
    readonly heldSince: number | undefined;
  },
) {
  const parts: Part[] = [];
  let events: PresenceEvent[] = [];
  const retracted = new Set<string>();
  let track = checkpoint;
  for (const part of partsOf(samples, SEGMENT_SAMPLES)) {
    parts.push({ startedAt: (part[0] as Sample).occurredAt, checkpoint: track, samples: part });
    const followed = follow({ installationId, seedOf, state: track, samples: part, ...known });
    track = followed.state;
    for (const id of followed.retracted) retracted.add(id);
    if (followed.retracted.length > 0) events = events.filter(({ id }) => !retracted.has(id));
    events.push(...followed.events);
  }
  return { parts, events, retracted, track };
}

/** What makes two samples the same, however they were sent. */
const keyOf = ({ occurredAt, beaconId, event, rssi, receiver, distance, txPower }: Sample) =>
  `${occurredAt} ${beaconId} ${event ?? ''} ${rssi ?? ''} ${distance ?? ''} ${txPower ?? ''} ${receiver ?? ''}`;

/** Both in order. Of samples that are alike, as many stay as the fuller of the two has. */
export function mergeSamples(known: readonly Sample[], samples: readonly Sample[]) {
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

/** The state with other ids of its visits. */
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

/** Samples older than what is kept: separate visits, which may touch reported visits and extend them. */
export async function join({
  installationId,
  seedOf,
  record,
  samples: sent,
  now,
  siteOf,
  kept,
}: Sensing): Promise<Reconciled> {
  const samples = [...sent, ...loneExitsAfter(record, sent, now)].sort(compareSamples);
  const begun = newTrack(record.receiverOffset);
  const site = await siteOf(beaconsOf(samples, begun));
  const { state, events } = follow({ installationId, seedOf, state: begun, samples, ...site });
  const ends = endings({ installationId, seedOf, state, until: Number.MAX_SAFE_INTEGER, patience: 0 }).map(
    // A guess about an EXIT that never came is made now, not when the time for it would be over.
    (end) => ({ ...end, at: Math.max(end.leftAt ?? end.enteredAt ?? 0, Math.min(end.at, now)) }),
  );
  const facts = factsOf([...events, ...ends], null);
  const first = (samples[0] as Sample).occurredAt;
  const last = (samples.at(-1) as Sample).occurredAt;
  const visits = await kept.visits({ from: first - WINDOW_MS, until: last + WINDOW_MS, ids: [] });
  const reported = await kept.events({ after: first - 1, visitIds: visits.map(({ id }) => id) });
  return reconcile({
    facts: { visits: [...facts.visits, ...exitsOf(installationId, { samples, visits, reported, facts })], loose: [] },
    visits,
    events: reported,
    mode: 'join',
    after: first,
    since: record.since,
  });
}

interface Joining {
  readonly samples: readonly Sample[];
  readonly visits: readonly StoredVisit[];
  readonly reported: readonly PresenceEvent[];
  readonly facts: PresenceHistory;
}

/** Stored visits whose end was only guessed, and that the phone's EXIT now ends. */
function exitsOf(installationId: string, { samples, visits, reported, facts }: Joining): VisitFacts[] {
  const ended = new Set(facts.visits.map(({ exit }) => `${exit?.beaconId} ${exit?.at}`));
  return samples.flatMap(({ event, beaconId, occurredAt: at }): VisitFacts[] => {
    if (event !== 'EXIT' || ended.has(`${beaconId} ${at}`)) return [];
    const visit = visits.filter((one) => one.beaconId === beaconId && one.enteredAt <= at).at(-1);
    const guess = reported.find(({ visitId, inferred }) => visitId === visit?.id && inferred === true);
    if (visit === undefined || guess === undefined || at > Math.max(guess.at, visit.enteredAt + MAX_VISIT_MS))
      return [];
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

/**
 * An EXIT may arrive before its ENTER. Where samples can no longer be inserted among others, it would be lost, and the visit
 * would have no length: so such EXITs are remembered for a while.
 */
const MAX_EXITS = 8;
/** As long as what is reported is kept if the app's retention is zero. */
const EXIT_KEPT_MS = 3_600_000;

/** The remembered ones as samples that may follow those given (in order of time). */
function loneExitsAfter({ exits }: TrackRecord, samples: readonly Sample[], now: number): readonly Sample[] {
  return exits
    .filter(({ beaconId, at, heardAt }) => {
      const enter = samples.find((sample) => sample.beaconId === beaconId && sample.event === 'ENTER');
      return enter !== undefined && enter.occurredAt <= at && heardAt >= now - EXIT_KEPT_MS;
    })
    .map(({ beaconId, at }) => ({ beaconId, occurredAt: at, event: 'EXIT' }));
}

/** Remembers the EXITs among the samples that ended nothing, and forgets those that have. */
export function rememberLoneExits(done: Sensed, samples: readonly Sample[], now: number): Sensed {
  const { record } = done;
  const fresh = samples.flatMap(({ event, beaconId, occurredAt: at }) =>
    event === 'EXIT' ? [{ beaconId, at, heardAt: now }] : [],
  );
  if (fresh.length === 0 && record.exits.length === 0) return done;
  const reported = new Set(
    [...done.events, ...done.changedEvents].flatMap(({ event, beaconId, at }) =>
      event === 'EXIT' ? [`${beaconId} ${at}`] : [],
    ),
  );
  const exits = [...record.exits, ...fresh]
    .filter(({ beaconId, at, heardAt }) => !reported.has(`${beaconId} ${at}`) && heardAt >= now - EXIT_KEPT_MS)
    .slice(-MAX_EXITS);
  return { ...done, record: { ...record, exits } };
}
