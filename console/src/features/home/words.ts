import type { LiveEvent } from '../../lib/data/live.ts';
import { eventWords } from '../../lib/text/event-words.ts';

export { eventWords };

export const eventDots = {
  ENTER: 'dotIn',
  EXIT: 'dotOut',
  IMMEDIATE: 'dotNear',
  NEAR: 'dotNear',
  FAR: 'dotOut',
} as const satisfies Readonly<Record<LiveEvent['event'], string>>;

/** Why messages that were meant were not shown, as the end of `12 because`. */
export const stopWords: Readonly<Record<string, string>> = {
  schedule: 'it was not their day',
  stale: 'the report came too late',
  repeat: 'they were shown in this visit already',
  cool_down: 'another came shortly before',
  cap: 'the visitor has had enough of them',
  dwell: 'the visitor did not stay long enough',
  nth_visit: 'they wait for another visit',
  quiet_hours: 'it was in the quiet hours',
  validity: 'it was outside of their dates',
  no_target: 'the phone could not be reached',
};
