/** From samples to what must be reported and shown: what the service and a phone without a network both do. Pure; see decide.ts. */
export { type Bundle, type BundledSite, type BundlePart, siteOf, withAnswer } from './bundle.ts';
export { decide, movable, siteFrom } from './decide.ts';
export type * from './decision.ts';
export { noCorrections } from './decision.ts';
export { byClockAhead, InMemory, type Memory, nothingKnown, type Site } from './in-memory.ts';
export { languageRanges, languageTag, lookUpLanguage } from './language.ts';
export { mergeSamples, withTimes } from './late.ts';
export { triggerDeliveryId } from './messages.ts';
export { type DecidedOnPhone, nothingDecided, type Shown } from './on-phone.ts';
export type { BeaconPlace, BeaconRecord, LearnedOfPower, SiteVenue, VenueRecord } from './places.ts';
export { placeOfBeacon, siteVenue } from './places.ts';
export type { DecidingPolicy, DeliveryRules } from './policy.ts';
export { appRules, historyMs, isForgetful, noDayMs, toTimeZone, toTriggerPolicy } from './policy.ts';
export type * from './record.ts';
export {
  deadlineOf,
  fromStored,
  fromStoredState,
  isTakenIn,
  knownUntil,
  lateMs,
  MAX_SAMPLES,
  newRecord,
  patienceOf,
  SEGMENT_SAMPLES,
  toStored,
  toStoredState,
  WINDOW_MS,
  withProcessed,
  withSpan,
} from './record.ts';
export { type KeptVisits, retimeSteps } from './retiming.ts';
export { readSamples, writeSamples } from './samples.ts';
export type { Content, MessageRecord, NotificationRecord, ScenarioRecord, SiteTrigger } from './triggers.ts';
export { notificationTrigger, scenarioTrigger } from './triggers.ts';
export { type Whereabouts, whereaboutsOf } from './whereabouts.ts';
export type { Members, Translations, Worded } from './words.ts';
export { inLanguage, languageFor } from './words.ts';
