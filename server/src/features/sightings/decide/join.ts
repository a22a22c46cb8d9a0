import { endings, follow, newTrack, type PresenceEvent, type Sample } from '../../../proximity/index.ts';
import type { StoredVisit } from '../traces/told-store.ts';
import { factsOf, type PresenceHistory, type Reconciled, reconcile, type VisitFacts } from './reconcile.ts';
import { beaconsOf, type Sensing } from './sensed.ts';
import { WINDOW_MS } from './track-record.ts';

/** Samples from before what is kept: visits of their own, which may touch visits that were told and make them grow. */
export async function join({ installationId, record, samples, settingsOf, kept }: Sensing): Promise<Reconciled> {
  const settings = await settingsOf(beaconsOf(samples));
  const { state, events } = follow({ installationId, state: newTrack(record.ear), samples, settingsOf: settings });
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
