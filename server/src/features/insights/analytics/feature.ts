import type { Db } from '../../../db/db.ts';
import type { Context } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import type { DaysOf } from './forecast/answer.ts';
import { forecastEndpoints } from './forecast/routes.ts';
import { messageEndpoints } from './messages/routes.ts';
import { analyticsEndpoints } from './routes.ts';
import { wayEndpoints } from './ways/routes.ts';

/** More visits than these are counted in more than some seconds. */
const maxWaiting = 1_000;

export function analyticsFeature(context: Context): Feature {
  const { db, inBackground, rollups, findMessageNames: namesOf, visitChanges, traceCounts } = context;
  const isBehind = async (db: Db, appId: string, isCounted: boolean) =>
    isCounted
      ? visitChanges.hasMoreVisitChanges(db, appId, maxWaiting)
      : (await traceCounts.findLastVisit(db, appId)) !== undefined;
  return {
    endpoints: [
      ...analyticsEndpoints(db, isBehind),
      ...wayEndpoints(db, isBehind),
      ...forecastEndpoints(db, isBehind, (db, appId, of) => findDays(context, db, appId, of)),
      ...messageEndpoints({ db, namesOf }),
    ],
    sweeps: { 'counting visits': () => rollups.settleAll() },
    start: () => inBackground('counting visits', () => rollups.settleAll()),
    stop: () => rollups.stop(),
  };
}

/** The opening hours of one venue, or of all together. */
async function findDays(context: Context, db: Db, appId: string, { place, venues }: DaysOf) {
  const { findVenueOf, listWhereBeaconsAre, dayKindsOf, listCalendars } = context;
  const venueOf = async (): Promise<string | undefined> => {
    if (!place || place.dimension === 'venue') return place?.id;
    const { dimension, id } = place;
    if (dimension !== 'beacon') return findVenueOf(db, appId, { dimension, id });
    return (await listWhereBeaconsAre(db, appId)).find(({ objectId }) => objectId === id)?.venueId ?? undefined;
  };
  if (!place) return dayKindsOf(await listCalendars(db, appId, venues));
  const venueId = await venueOf();
  if (venueId === undefined || !(venues?.includes(venueId) ?? true)) return undefined;
  return dayKindsOf(await listCalendars(db, appId, [venueId]));
}
