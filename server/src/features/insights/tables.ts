import type { DbTable } from '../../db/table.ts';
import {
  messageLoads,
  messagePlaceRollups,
  messagePlaces,
  messageRollups,
  messageShowings,
  messageStates,
} from './analytics/messages/tables.ts';
import {
  beaconPlaces,
  firstVisits,
  goneVisits,
  rollupPeriods,
  rollupStates,
  visitRollups,
  wayRollups,
  waysDue,
} from './analytics/numbers/tables.ts';
import { crowdedPlaces } from './occupancy/tables.ts';
import { reportAddresses, reportMails, reports } from './reports/tables.ts';

export const tables: readonly DbTable[] = [
  firstVisits,
  visitRollups,
  goneVisits,
  messageShowings,
  messagePlaces,
  messageRollups,
  messagePlaceRollups,
  messageLoads,
  messageStates,
  rollupStates,
  beaconPlaces,
  wayRollups,
  rollupPeriods,
  waysDue,
  crowdedPlaces,
  reportMails,
  reportAddresses,
  reports,
];
