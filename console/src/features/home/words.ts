import type { LiveEvent } from '../../lib/data/live.ts';

export const eventDots = {
  ENTER: 'dotIn',
  EXIT: 'dotOut',
  IMMEDIATE: 'dotNear',
  NEAR: 'dotNear',
  FAR: 'dotOut',
} as const satisfies Readonly<Record<LiveEvent['event'], string>>;

/** Why messages were not shown, as the end of a sentence with `because`. */
export const stopWords: Readonly<Record<string, string>> = {
  schedule: 'they do not run on this day',
  stale: 'the report came too late',
  repeat: 'they were already shown in this visit',
  cool_down: 'another message was shown shortly before',
  cap: 'the visitor has reached the limit',
  dwell: 'the visitor did not stay long enough',
  nth_visit: 'they are for another visit',
  quiet_hours: 'it was in the quiet hours',
  validity: 'they are outside their period',
  no_consent: 'the visitor has not agreed to messages',
  no_target: 'the phone could not be reached',
};
