import type { DbTable } from '../../db/table.ts';
import type { Resource } from '../../resources/define.ts';
import { adoptionRules, heardNearby, ignoredTags } from './adoption/store.ts';
import { beaconFindings } from './fleet/finding-store.ts';
import { beaconDays } from './fleet/store.ts';
import { gatewayStates } from './gateways/states.ts';
import { followedTables, listChanges, liveApps, liveEvents } from './live/tables.ts';
import { logs } from './logs/resource.ts';
import { events, verdicts } from './sightings/traces/events.ts';
import { positions } from './sightings/traces/positions.ts';
import {
  beaconRadio,
  beaconSignals,
  firings,
  hearings,
  newestSamples,
  presence,
  ruleReplays,
  sightingCounts,
  sightingKeys,
  trackSamples,
  tracks,
  venueEntries,
  visitChanges,
} from './sightings/traces/tables.ts';
import { visits } from './sightings/traces/visits.ts';
import { floorMaps, surveys } from './surveys/store.ts';

export const resources: readonly Resource[] = [visits, events, verdicts, positions, logs];

export const tables: readonly DbTable[] = [
  ...resources.map(({ table }) => table),
  firings,
  visitChanges,
  sightingCounts,
  sightingKeys,
  presence,
  tracks,
  trackSamples,
  newestSamples,
  beaconRadio,
  beaconSignals,
  hearings,
  venueEntries,
  ruleReplays,
  liveEvents,
  followedTables,
  listChanges,
  liveApps,
  gatewayStates,
  heardNearby,
  ignoredTags,
  adoptionRules,
  beaconDays,
  beaconFindings,
  surveys,
  floorMaps,
];
