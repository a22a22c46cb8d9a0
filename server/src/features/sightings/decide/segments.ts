import type { Sample } from '@pharos/engine';
import type { WrittenSamples } from './sensed.ts';
import { MOST_SAMPLES, SEGMENT_SAMPLES, type Segment, type TrackRecord, WINDOW_MS } from './track-record.ts';

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

/** Drops the oldest segments where there are too many samples, or where they are too old. */
export function prune(
  record: TrackRecord,
  newest: number,
  keptSince: number = Number.NEGATIVE_INFINITY,
): { readonly record: TrackRecord; readonly dropped: number[] } {
  const segments = [...record.segments];
  const dropped: number[] = [];
  const oldest = Math.max(newest - WINDOW_MS, keptSince);
  let total = segments.reduce((sum, [, count]) => sum + count, 0);
  while (segments.length > 1 && (total > MOST_SAMPLES || (segments[1]?.[0] ?? 0) < oldest)) {
    const [start, count] = segments.shift() as Segment;
    dropped.push(start);
    total -= count;
  }
  if (dropped.length === 0) return { record, dropped };
  return { record: { ...record, segments, horizon: segments[0]?.[0] ?? null }, dropped };
}
