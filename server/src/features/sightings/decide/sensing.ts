import { compareSamples, endings, type Sample } from '../../../proximity/index.ts';
import { goBack } from './go-back.ts';
import { goOn } from './go-on.ts';
import { join } from './join.ts';
import type { Reconciled } from './reconcile.ts';
import { nothing, type Sensed, type Sensing } from './sensed.ts';
import { isTakenIn, withSpells } from './spells.ts';
import { knownUntil, patienceOf, type TrackRecord, withSpan } from './track-record.ts';

/**
 * From what was delivered to what has to be told. Presence is a function of when things were sensed: samples that are newer
 * than all before are applied as they come, others are put where they belong among the kept samples and the time from there
 * on is calculated again. What differs from what was told is corrected.
 */

export async function sense(sensing: Sensing): Promise<Sensed> {
  const samples = [...sensing.samples].sort(compareSamples);
  const { track, spells } = sensing.record;
  const record = { ...rememberSpan(sensing.record, samples), spells: withSpells(spells, samples) };
  const horizon = horizonOf(record, sensing.keptSince);
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

/** From when on (ms) samples can be put among others; null: whenever they were sensed. */
function horizonOf({ horizon, segments, track }: TrackRecord, keptSince: number | undefined): number | null {
  const known = horizon ?? (segments.length === 0 ? track.at : null);
  if (keptSince === undefined || track.at === null) return known;
  const whole = segments.find(([start]) => start >= keptSince)?.[0] ?? track.at + 1;
  return Math.max(whole, known ?? whole);
}

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

/** What time alone brings about: visits whose silence has been long enough by now. */
export function passTime(installationId: string, record: TrackRecord, now: number): Sensed {
  const until = knownUntil(record, now);
  const told = new Set(record.ended.map(({ visitId }) => visitId));
  const events = endings({ installationId, state: record.track, until, patience: patienceOf(record) }).filter(
    ({ visitId }) => !told.has(visitId),
  );
  return { ...nothing({ ...record, ended: [...record.ended, ...events] }), events };
}
