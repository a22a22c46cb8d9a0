/** The proximity engine: signal → distance → presence → event → verdict. Pure; see track.ts and judging.ts for the entries. */
export { type ClockState, learnClock, newClock } from './clock.ts';
export { calibrate, DEFAULT_MEASURED_POWER, distanceFromLoss } from './presence/distance.ts';
export { presenceEventId, sightingKey, timePrefix, visitId } from './presence/ids.ts';
export { DEFAULT_RADIUS } from './presence/presence.ts';
export { SILENCE_SECONDS, silenceMs } from './presence/silence.ts';
export { copyTrack, newTrack } from './presence/state.ts';
export type * from './presence/types.ts';
export { FLAP_MS } from './presence/visits.ts';
export { type Judged, type Judging, judgeEvents, type Wait } from './rules/judging.ts';
export { POLITE } from './rules/policy.ts';
export type * from './rules/rule-types.ts';
export { TIME_TO_LIVE_SECONDS, triggersOf } from './rules/rules.ts';
export { localTime, siteTimeZone } from './rules/schedule.ts';
export { compareSamples, endings, type Followed, type Following, follow, nextEnding } from './track.ts';
export type { Normalised, WireContext } from './wire/wire.ts';
export { normalise } from './wire/wire.ts';
export type { Problem, ProblemCode } from './wire/wire-values.ts';
export { addressKey, canonicalUuid, latestTime } from './wire/wire-values.ts';
