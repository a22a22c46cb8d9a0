/** The proximity engine: signal → distance → presence → event → verdict. Pure; see observe.ts for the one entry. */

export type { Observed, Observing, Outcome, Situation } from './observe.ts';
export { advance, clockError, observe } from './observe.ts';
export { calibrate, DEFAULT_MEASURED_POWER, distanceFromLoss } from './presence/distance.ts';
export { nextDeadline } from './presence/expiry.ts';
export { presenceEventId, sightingKey, timePrefix, visitId } from './presence/ids.ts';
export { DEFAULT_RADIUS } from './presence/presence.ts';
export { SILENCE_SECONDS } from './presence/silence.ts';
export type * from './presence/types.ts';
export { POLITE } from './rules/policy.ts';
export type * from './rules/rule-types.ts';
export { judge, remember, TIME_TO_LIVE_SECONDS, triggersOf } from './rules/rules.ts';
export { localTime, siteTimeZone } from './rules/schedule.ts';
export type { Normalised, WireContext } from './wire/wire.ts';
export { normalise } from './wire/wire.ts';
export type { Problem, ProblemCode } from './wire/wire-values.ts';
export { addressKey, canonicalUuid, latestTime } from './wire/wire-values.ts';
