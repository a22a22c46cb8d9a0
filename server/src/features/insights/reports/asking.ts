import { Readable } from 'node:stream';
import { siteTimeZone } from '@pharos/engine';
import { storedReach } from '../../../access/reach.ts';
import type { Db } from '../../../db/db.ts';
import { carryOut } from '../../../http/console/data-call.ts';
import { isByVenue } from '../../../http/grants.ts';
import type { Context } from '../../context.ts';
import { dayIn } from '../../zone-day.ts';
import { campaignOf } from './content/campaigns.ts';
import type { Ask, Calendar, Campaign, ReportSubject } from './content/figures.ts';
import type { Admin } from './people.ts';

export const listPeople =
  ({ listAdmins }: Context) =>
  async (db: Db): Promise<readonly Admin[]> =>
    (await listAdmins(db)).map((row) => ({
      adminId: row.admin_id,
      email: row.email,
      name: row.name,
      role: row.role,
      apps: storedReach(row),
      isDisabled: row.disabled_at !== null,
      language: row.language,
    }));

/** As an administrator of the console who is limited to these venues. */
export async function askAs(
  { endpointNamed, findConsoleApp, now }: Context,
  appId: string,
  venues: readonly string[] | undefined,
): Promise<Ask> {
  const app = await findConsoleApp(appId);
  return async (operation, query) => {
    const endpoint = endpointNamed(operation);
    // As in `http/console/console-data.ts`: administrators limited to venues do not see what concerns the app as a whole.
    if (venues !== undefined && !isByVenue(endpoint)) return undefined;
    const answer = await carryOut(
      endpoint,
      {
        app,
        user: undefined,
        isAdministrator: true,
        administrator: 'report',
        venues,
        secretKey: undefined,
        params: {},
        query,
        now: now(),
        address: '',
        headers: {},
        stream: Readable.from([]),
        objectId: undefined,
      },
      undefined,
    );
    return (answer as { readonly result: never }).result;
  };
}

type ReportVenueRow = Awaited<ReturnType<Context['listVenuesForReports']>>[number];

const calendarOf = ({ opening_hours, exceptions }: ReportVenueRow): Calendar => ({
  week: opening_hours === null ? undefined : (JSON.parse(opening_hours) as NonNullable<Calendar['week']>),
  exceptions: JSON.parse(exceptions) as Calendar['exceptions'],
});

export async function findSubject(
  context: Context,
  appId: string,
  venueId: string | null,
): Promise<ReportSubject | undefined> {
  const { db, findAppAccess, listVenuesForReports, listZoneNames } = context;
  const app = await findAppAccess(db, appId);
  if (!app) return undefined;
  const venues = await listVenuesForReports(db, appId);
  // Of the whole app, as in the console: the hours of the only venue.
  const venue =
    venueId === null ? (venues.length === 1 ? venues[0] : undefined) : venues.find((one) => one.object_id === venueId);
  if (venueId !== null && !venue) return undefined;
  return {
    appId,
    venueId,
    name: venueId === null ? app.name : (venue?.name ?? ''),
    appName: app.name,
    timeZone: venue?.time_zone ?? app.policy.timeZone,
    calendar: venue && calendarOf(venue),
    zones: await listZoneNames(db, appId),
    campaigns: await listCampaigns(context, appId, { venueId, zone: siteTimeZone([app.policy.timeZone]) }),
  };
}

async function listCampaigns(
  { db, listTimedMessages, beaconsIn }: Context,
  appId: string,
  { venueId, zone }: { readonly venueId: string | null; readonly zone: string },
): Promise<readonly Campaign[]> {
  const timed = await listTimedMessages(db, appId);
  if (timed.length === 0) return [];
  const beacons = venueId === null ? undefined : new Set(await beaconsIn(db, appId, { venueId }));
  return timed
    .filter(({ beaconIds }) => !beacons || beaconIds.some((id) => beacons.has(id)))
    .map(({ name, from, until }) => campaignOf(name, { from, until }, (at) => dayIn(zone, at).day));
}
