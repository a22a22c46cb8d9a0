import {
  addEvidence,
  type Evidence,
  follow,
  noEvidence,
  type Pass,
  type PresenceEvent,
  type Sample,
} from '@pharos/engine';
import { compareWithTold } from './compare-with-told.ts';
import { withSettings } from './sample-settings.ts';
import { writeSamples } from './sample-text.ts';
import { partsOf, prune, withoutDropped } from './segments.ts';
import { beaconsOf, nothing, type Sensed, type Sensing, type WrittenSamples } from './sensed.ts';
import { SEGMENT_SAMPLES, type Segment, SHORT_SEGMENT_MS } from './track-record.ts';

/** Applies samples that are newer than all before, or an EXIT at the instant of the newest one. */
export async function goOn(sensing: Sensing): Promise<Sensed> {
  const { installationId, seedOf, record, samples, now, settingsOf, heldSince, keptSince } = sensing;
  const settings = await settingsOf(beaconsOf(samples));
  const configured = withSettings(samples, settings);
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
    const followed = follow({ installationId, seedOf, state: track, samples: part, settingsOf: settings, heldSince });
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
  const told = compareWithTold({ installationId, seedOf, now }, record, {
    ...next.record,
    events: events.filter(({ id }) => !retracted.has(id)),
    retracted,
  });
  const { dropped } = next;
  return { ...nothing(next.record), ...told, written: withoutDropped(written, dropped), dropped, evidence, passes };
}
