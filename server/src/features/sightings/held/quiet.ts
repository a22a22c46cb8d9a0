import type { PresenceState } from '@pharos/engine';
import type { Decision } from '../decide/decide.ts';
import type { TrackRecord } from '../decide/track-record.ts';

/** Which batches need not be written at once: nothing follows from them, and nothing would be missed without them. Pure. */

/** While a visit is open its track is written this often (ms): by how much a visit may seem to end too early. */
export const VISIT_WRITE_MS = 10_000;
/** A share of a position's belief from which a beacon's radius may soon hold the visitor. */
const LIKELY_SOON = 0.2;

/** Somebody may be about to enter: the evidence must outlive a crash, or a short visit would be lost. */
function isComing({ radius, near, immediate, standing, visit }: PresenceState): boolean {
  if (near.toward === 'in' || immediate.toward === 'in') return true;
  if (visit !== null || radius.inside === true) return false;
  return radius.toward === 'in' || (standing !== null && standing.share >= LIKELY_SOON);
}

const isThere = ({ visit, radius }: PresenceState) => visit !== null || radius.inside === true;

export const isInVisit = ({ track }: TrackRecord): boolean => Object.values(track.beacons).some(isThere);

interface Written {
  /** When the track was written last, ms. */
  readonly writtenAt: number;
  /** The newest sample that was written, ms; a backlog brings much of it at once. */
  readonly writtenUntil: number | null;
  readonly now: number;
  readonly before: TrackRecord;
}

/** Whether a batch that was applied in order may wait in memory. */
export function isQuiet(
  { sensed, record, verdicts, events }: Decision,
  { writtenAt, writtenUntil, now, before }: Written,
): boolean {
  if (events.length + verdicts.length + sensed.visits.length > 0 || sensed.isLate) return false;
  if (sensed.changedEvents.length + sensed.removedEvents.length > 0) return false;
  if (!isSame(record.waits, before.waits) || !isSame(record.ended, before.ended)) return false;
  // A clock that has been set back says nothing about how long it has been.
  const { at, beacons } = record.track;
  const isLong = Math.abs(now - writtenAt) >= VISIT_WRITE_MS || (at ?? 0) - (writtenUntil ?? 0) >= VISIT_WRITE_MS;
  if (isLong && isInVisit(record)) return false;
  return !Object.values(beacons).some((state) => state.heardAt === at && isComing(state));
}

const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && (a.length === 0 || JSON.stringify(a) === JSON.stringify(b));
