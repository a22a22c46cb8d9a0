/** The proximity engine: signal → distance → presence → event → verdict. Pure; see observe.ts for the one entry. */
export { calibrate, DEFAULT_MEASURED_POWER, distanceFromLoss } from './distance.ts';
export { nextDeadline } from './expiry.ts';
export { presenceEventId, sightingKey, timePrefix, visitId } from './ids.ts';
export type { Observed, Observing, Outcome, Situation } from './observe.ts';
export { advance, clockError, observe } from './observe.ts';
export { POLITE } from './policy.ts';
export { DEFAULT_RADIUS } from './presence.ts';
export type * from './rule-types.ts';
export { judge, remember, TIME_TO_LIVE_SECONDS, triggersOf } from './rules.ts';
export { localTime, siteTimeZone } from './schedule.ts';
export { SILENCE_SECONDS } from './silence.ts';
export type * from './types.ts';
export type { Normalised, WireContext } from './wire.ts';
export { normalise } from './wire.ts';
export type { Problem, ProblemCode } from './wire-values.ts';
export { addressKey, canonicalUuid, latestTime } from './wire-values.ts';
