import { newGate } from './gate.ts';
import type { PresenceState } from './types.ts';
import { endWait, endWaits, leave, type Run } from './visits.ts';

/** What the mere passing of time brings about. Nothing polls: each state knows when it has to be looked at next. */

/** A visit open for so long closes by itself: the phone was switched off, or its EXIT was lost. */
export const LONGEST_VISIT_MS = 12 * 3_600_000;

/** Does everything that was due at or before `at` (the sender's clock), in order of time. */
export function expire(run: Run, at: number): void {
  const { state } = run;
  for (;;) {
    const wait = state.waits.length === 0 ? undefined : state.waits.reduce((a, b) => (b.dueAt < a.dueAt ? b : a));
    const close = state.visit === null ? Number.POSITIVE_INFINITY : state.visit.enteredAt + LONGEST_VISIT_MS;
    const quiet = state.heardAt === Number.MIN_SAFE_INTEGER ? Number.POSITIVE_INFINITY : state.quietAt;
    const first = Math.min(wait?.dueAt ?? Number.POSITIVE_INFINITY, close, quiet);
    if (first > at) return;
    if (wait !== undefined && wait.dueAt === first) endWait(run, wait, first);
    else if (quiet === first) fallSilent(run);
    // The gate stays inside: who has not left does not enter again.
    else leave(run, { at: close, leftAt: Math.min(state.lastAt, close), cause: 'timeout' });
  }
}

/** Contact is lost: the zones are unknown again, and a visit that samples opened is over. */
function fallSilent(run: Run): void {
  const { state } = run;
  if (state.visit?.source === 'samples') {
    leave(run, { at: state.quietAt, leftAt: state.heardAt, cause: 'silence' });
  }
  if (state.visit === null) {
    endWaits(run, state.quietAt);
    state.passId = null;
  }
  state.radius = newGate();
  state.near = newGate();
  state.immediate = newGate();
  state.zone = null;
  // The filters stay: they know the last sample when it comes again, and begin anew with the next one by themselves.
  state.heardAt = Number.MIN_SAFE_INTEGER;
}

/**
 * When the state has to be looked at again, by the service's clock (ms), or null: the earliest of silence while a visit is
 * open, a trigger's wait, and twelve hours. Nothing is due for a visitor who merely passes far away.
 */
export function nextDeadline(state: PresenceState): number | null {
  let due = Number.POSITIVE_INFINITY;
  for (const wait of state.waits) due = Math.min(due, wait.dueAt + state.lag);
  if (state.visit !== null) due = Math.min(due, state.visit.enteredAt + LONGEST_VISIT_MS + state.lag);
  if (state.visit?.source === 'samples') due = Math.min(due, state.quietAt + state.lag);
  return due === Number.POSITIVE_INFINITY ? null : due;
}

/** Brings the state to `now` (the service's clock): what was due happens at the time at which it was due. */
export function expireBy(run: Run, now: number): void {
  // Silence counts from the arrival of the last report, so a late batch does not end the visit that it has just told of.
  expire(run, now - run.state.lag);
}
