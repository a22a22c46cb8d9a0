import {
  compareSamples,
  endings,
  follow,
  LONGEST_VISIT_MS,
  newTrack,
  type PresenceEvent,
  type Sample,
} from '@pharos/engine';
import type { StoredVisit } from '../traces/told-store.ts';
import { factsOf, type PresenceHistory, type Reconciled, reconcile, type VisitFacts } from './reconcile.ts';
import { beaconsOf, type Sensed, type Sensing } from './sensed.ts';
import { type TrackRecord, WINDOW_MS } from './track-record.ts';

/** Samples older than what is kept: separate visits, which may touch reported visits and extend them. */
export async function join({
  installationId,
  seedOf,
  record,
  samples: sent,
  now,
  settingsOf,
  kept,
}: Sensing): Promise<Reconciled> {
  const samples = [...sent, ...loneExitsAfter(record, sent, now)].sort(compareSamples);
  const settings = await settingsOf(beaconsOf(samples));
  const { state, events } = follow({
    installationId,
    seedOf,
    state: newTrack(record.ear),
    samples,
    settingsOf: settings,
  });
  const ends = endings({ installationId, seedOf, state, until: Number.MAX_SAFE_INTEGER, patience: 0 }).map(
    // A guess about an EXIT that never came is made now, not when the time for it would be over.
    (end) => ({ ...end, at: Math.max(end.leftAt ?? end.enteredAt ?? 0, Math.min(end.at, now)) }),
  );
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

/** Stored visits whose end was only guessed, and that the phone's EXIT now ends. */
function exitsOf(installationId: string, { samples, visits, told, facts }: Joining): VisitFacts[] {
  const ended = new Set(facts.visits.map(({ exit }) => `${exit?.beaconId} ${exit?.at}`));
  return samples.flatMap(({ event, beaconId, occurredAt: at }): VisitFacts[] => {
    if (event !== 'EXIT' || ended.has(`${beaconId} ${at}`)) return [];
    const visit = visits.findLast((one) => one.beaconId === beaconId && one.enteredAt <= at);
    const guess = told.find(({ visitId, inferred }) => visitId === visit?.id && inferred === true);
    if (visit === undefined || guess === undefined || at > Math.max(guess.at, visit.enteredAt + LONGEST_VISIT_MS))
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
const MOST_EXITS = 8;
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
  const told = new Set(
    [...done.events, ...done.changedEvents].flatMap(({ event, beaconId, at }) =>
      event === 'EXIT' ? [`${beaconId} ${at}`] : [],
    ),
  );
  const exits = [...record.exits, ...fresh]
    .filter(({ beaconId, at, heardAt }) => !told.has(`${beaconId} ${at}`) && heardAt >= now - EXIT_KEPT_MS)
    .slice(-MOST_EXITS);
  return { ...done, record: { ...record, exits } };
}
