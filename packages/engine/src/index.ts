/** The proximity engine: signal → distance → presence → event → verdict. Pure; see track.ts and judging.ts for the entries. */
export { type ClockState, learnClock, newClock, type Retimed } from './clock.ts';
export { errorRadius, floorOf } from './position/fix.ts';
export {
  addPasses,
  addPassesOf,
  countOf,
  type Hearing,
  noHearing,
  offsetOf,
  receiverOffsetOf,
} from './position/hearing.ts';
export { addEvidence, learnedFrom, noEvidence } from './position/learning.ts';
export { lookBack, lookBackSteps, type PastPosition } from './position/looking-back.ts';
export { nearestOf } from './position/nearest.ts';
export { type PlacedBeacon, type Retiming, retimeVisits, type TimedVisit } from './position/retiming.ts';
export { FORGET_MS } from './position/stepping.ts';
export { calibrate, DEFAULT_MEASURED_POWER, distanceFromLoss } from './presence/distance.ts';
export { MAX_VISIT_MS } from './presence/expiry.ts';
export { anotherId, presenceEventId, sightingKey, timeOfId, timePrefix, visitIdOf } from './presence/ids.ts';
export { DEFAULT_RADIUS } from './presence/presence.ts';
export { SILENCE_SECONDS, silenceMs } from './presence/silence.ts';
export { copyTrack, newTrack } from './presence/state.ts';
export type * from './presence/types.ts';
export { FLAP_MS, type Seeding } from './presence/visits.ts';
export { groupOf, heldOut } from './rules/groups.ts';
export type * from './rules/hours.ts';
export { overlapInDay, overlapInWeek, readHours } from './rules/hours.ts';
export { type Judgement, type Judging, judgeEvents, type Wait } from './rules/judging.ts';
export { isTimeZone, localTime, siteTimeZone } from './rules/local-time.ts';
export { POLITE } from './rules/policy.ts';
export type * from './rules/rule-types.ts';
export { TIME_TO_LIVE_SECONDS, triggersOf } from './rules/rules.ts';
export type { BadSpot, Figure, Metres, Share } from './survey/figure.ts';
export { type BeaconMap, mapSignals, type SignalMap, signalMapSteps } from './survey/signal-map.ts';
export type { Survey, Waypoint } from './survey/survey.ts';
export { type Trial, trialSteps, trySurveys } from './survey/trial.ts';
export { advertisedKey, receiverName, tagKey } from './tag-key.ts';
export { compareSamples, endings, type Followed, type Following, follow, nextEnding } from './track.ts';
export type { Normalised, WireContext } from './wire/wire.ts';
export { normalise } from './wire/wire.ts';
export type { ProblemCode, ReportProblem } from './wire/wire-values.ts';
export { addressKey, canonicalUuid, latestTime } from './wire/wire-values.ts';
