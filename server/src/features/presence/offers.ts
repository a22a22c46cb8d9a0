import { firings, hearings, sightingKeys } from './sightings/traces/tables.ts';
import { visits } from './sightings/traces/visits.ts';

export { listNewest as listNewestOfBeacons } from './fleet/newest.ts';
export { lockForDecision } from './sightings/lock/lock.ts';
export { endPresence } from './sightings/record/record.ts';
export { presenceDays, trackDays } from './sightings/record/retention.ts';
export { mayBeNamed, noteClientLog } from './sightings/service.ts';
export { findLearned as learnedOf } from './sightings/site/radio.ts';
export {
  findBeaconsByAddress,
  findBeaconsByGateway,
  findInstallationId,
  findInstallationsByTag,
  findIrks,
} from './sightings/site/site.ts';
export * as traceCounts from './sightings/traces/reported.ts';
export { firstEventIn, firstVisitIn } from './sightings/traces/reported.ts';
export * as visitChanges from './sightings/traces/visits.ts';

export const presenceTables = { firings, hearings, sightingKeys, visits: visits.table };
