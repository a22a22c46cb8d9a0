import { t } from '../../../lib/words/words.ts';
import { readPlanCsv } from '../csv/read.ts';
import { BeaconRows } from './plan-beacons.ts';
import { FixtureRows } from './plan-fixtures.ts';
import { FloorRows } from './plan-floors.ts';
import { VenueRows } from './plan-venue.ts';
import { ZoneRows } from './plan-zones.ts';
import { type Into, isCapacity, isNorth, type PlannedFeature, refused, type Target } from './planned.ts';
import { type Found, readFeatures } from './read.ts';

/** @throws Error whose message is a sentence about the whole file */
export const planGeoJson = (appId: string, text: string, into: Into): readonly PlannedFeature[] =>
  planned(appId, readFeatures(text), into);

/** Plans the import of a table. @throws CsvError whose message is a sentence about the whole file */
export const planCsv = (appId: string, text: string, into: Into): readonly PlannedFeature[] =>
  planned(appId, readPlanCsv(text), into);

function planned(appId: string, all: readonly Found[], into: Into): readonly PlannedFeature[] {
  const rows = rowsOf({ appId, into }, all);
  const known = new Set<string>();
  return all.flatMap((found): readonly PlannedFeature[] => {
    if (found.problem !== undefined) return [refused(found, found.problem)];
    const key = `${found.featureType} ${found.id}`;
    if (isOneRecord(found) && known.has(key))
      return [
        refused(found, t('The file has the id {id} before. A copy needs an id of its own, or none.', { id: found.id })),
      ];
    known.add(key);
    const unread = unreadOf(found);
    if (unread.length > 0 && !into.isLenient) return [{ ...refused(found, unread.join(' ')), unread }];
    const planned = rows(found);
    return unread.length === 0
      ? planned
      : planned.map((row) => ({ ...row, unread: [...(row.unread ?? []), ...unread] }));
  });
}

/** Walls have ids that nobody reads; days and gateways have none. */
const isOneRecord = (found: Found): found is Found & { readonly id: string } =>
  found.id !== undefined && ['level', 'unit', 'beacon', 'venue'].includes(found.featureType);

/** What each feature of a file would change. */
function rowsOf(target: Target, all: readonly Found[]): (found: Found) => readonly PlannedFeature[] {
  const floors = new FloorRows(target, all);
  const zones = new ZoneRows(target, floors, all);
  const fixtures = new FixtureRows(target, floors);
  const beacons = new BeaconRows(target);
  const venue = new VenueRows(target.appId, target.into.venue);
  return (found) => {
    switch (found.featureType) {
      case 'level':
        return [floors.row(found)];
      case 'unit':
        return [zones.row(found)];
      case 'wall':
        return [fixtures.wall(found)];
      case 'gateway':
        return [fixtures.gateway(found)];
      case 'beacon':
        return [beacons.row(found)];
      case 'venue':
        return venue.row(found);
      case 'day':
        return [venue.day(found)];
      default:
        return [
          refused(
            found,
            t('Features of the type {featureType} are not imported.', {
              featureType: found.featureType || t('(none)'),
            }),
          ),
        ];
    }
  };
}

/** What it says and nobody can use, as sentences. */
function unreadOf({ featureType, properties: { north, capacity } }: Found): readonly string[] {
  const isSaid = (value: unknown) => value !== undefined && value !== null && value !== '';
  if (featureType === 'level' && isSaid(north) && !isNorth(north))
    return [t('Its north is no number of degrees from 0 to 360: {text}.', { text: String(north) })];
  if (['unit', 'venue'].includes(featureType) && isSaid(capacity) && !isCapacity(capacity))
    return [t('Its capacity is no whole number from 1: {text}.', { text: String(capacity) })];
  return [];
}
