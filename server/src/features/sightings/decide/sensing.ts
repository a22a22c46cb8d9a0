import { compareSamples, endings, type Sample } from '@pharos/engine';
import { goBack } from './go-back.ts';
import { goOn } from './go-on.ts';
import { join, rememberLoneExits } from './join.ts';
import type { Reconciled } from './reconcile.ts';
import { nothing, type Sensed, type Sensing } from './sensed.ts';
import { isTakenIn, withSpells } from './spells.ts';
import { knownUntil, patienceOf, type TrackRecord, withSpan } from './track-record.ts';

/**
 * From what was sent to what must be reported. Presence is a function of when things were sensed: samples that are newer than all
 * before are applied as they arrive, others are inserted among the kept samples and everything from there on is recalculated.
 * What differs from what was reported is corrected.
 */

export async function sense(sensing: Sensing): Promise<Sensed> {
  const samples = [...sensing.samples].sort(compareSamples);
  const done = await place(sensing, samples);
  return sensing.keptSince === undefined ? done : rememberLoneExits(done, samples, sensing.now);
}

/** `samples`: those of `sensing`, in order. */
async function place(sensing: Sensing, samples: readonly Sample[]): Promise<Sensed> {
  const { track, spells } = sensing.record;
  const record = { ...rememberSpan(sensing.record, samples), spells: withSpells(spells, samples) };
  const horizon = horizonOf(record, sensing.keptSince);
  const isKept = (sample: Sample) => horizon === null || sample.occurredAt >= horizon;
  const isEnd = (sample: Sample) => !isKept(sample) && endsAtOnce(track, sample);
  const kept = samples.filter((sample) => isKept(sample) || isEnd(sample));
  const early = samples.filter((sample) => !isKept(sample) && !isEnd(sample));
  const old = early.filter((sample) => !isTakenIn(spells, sample));
  const repeated = early.length - old.length;
  const joined = old.length === 0 ? undefined : await join({ ...sensing, samples: old });
  if (kept.length === 0) return { ...nothing(record), duplicates: repeated, ...joined, isLate: true };
  const [first] = kept as [Sample];
  const isNewer = track.at === null || first.occurredAt > track.at || isEnd(first);
  const next = { ...sensing, record, samples: kept };
  const done = isNewer ? await goOn(next) : await goBack(next);
  const duplicates = done.duplicates + repeated;
  return joined === undefined ? { ...done, duplicates } : { ...done, ...both(joined, done), duplicates };
}

/** From when on (ms) samples can be inserted among others; null: whenever they were sensed. */
function horizonOf({ horizon, segments, track }: TrackRecord, keptSince: number | undefined): number | null {
  const known = horizon ?? (segments.length === 0 ? track.at : null);
  if (keptSince === undefined || track.at === null) return known;
  const whole = segments.find(([start]) => start >= keptSince)?.[0] ?? track.at + 1;
  return Math.max(whole, known ?? whole);
}

/** A phone's EXIT at the instant of the newest sample, from the beacon where the phone is: it may come in a separate request. */
const endsAtOnce = ({ at, beacons }: TrackRecord['track'], { event, occurredAt, beaconId }: Sample) =>
  event === 'EXIT' && occurredAt === at && (beacons[beaconId]?.visit ?? null) !== null;

const both = (a: Reconciled, b: Sensed) => ({
  events: [...a.events, ...b.events],
  changedEvents: [...a.changedEvents, ...b.changedEvents],
  removedEvents: [...a.removedEvents, ...b.removedEvents],
  visits: [...a.visits, ...b.visits],
  parted: [...a.parted, ...b.parted],
  isLate: true,
});

function rememberSpan(record: TrackRecord, samples: readonly Sample[]): TrackRecord {
  const heard = samples.filter(({ event }) => event === undefined);
  if (heard.length === 0) return record;
  const span = (heard.at(-1) as Sample).occurredAt - (heard[0] as Sample).occurredAt;
  return { ...record, spans: withSpan(record.spans, span) };
}

/** What happens merely because time passes: visits whose silence has lasted long enough. */
export function passTime(
  { installationId, seedOf }: Pick<Sensing, 'installationId' | 'seedOf'>,
  record: TrackRecord,
  now: number,
): Sensed {
  const until = knownUntil(record, now);
  const told = new Set(record.ended.map(({ visitId }) => visitId));
  const events = endings({ installationId, seedOf, state: record.track, until, patience: patienceOf(record) }).filter(
    ({ visitId }) => !told.has(visitId),
  );
  return { ...nothing({ ...record, ended: [...record.ended, ...events] }), events };
}
