import { firings, hearings, sightingKeys } from './sightings/traces/tables.ts';
import { visits } from './sightings/traces/visits.ts';

export { listNewest as listNewestOfBeacons } from './fleet/newest.ts';
export { lockForDecision } from './sightings/lock/lock.ts';
export { placeReports, readBatch, readTime } from './sightings/read/reports.ts';
export { endPresence } from './sightings/record/record.ts';
export { presenceDays, trackDays } from './sightings/record/retention.ts';
export { mayBeNamed, noteClientLog } from './sightings/service.ts';
export { findLearned as learnedOf } from './sightings/site/radio.ts';
export { findSignals as signalsOf, replaceSignals } from './sightings/site/signals.ts';
export {
  findBeaconsByAddress,
  findBeaconsByGateway,
  findBeaconsById,
  findInstallationId,
  findInstallationsByTag,
  findIrks,
} from './sightings/site/site.ts';
export * as traceCounts from './sightings/traces/reported.ts';
export { firstEventIn, firstVisitIn } from './sightings/traces/reported.ts';
export * as visitChanges from './sightings/traces/visits.ts';
export { forgetSurveys } from './surveys/store.ts';

export const presenceTables = { firings, hearings, sightingKeys, visits: visits.table };
