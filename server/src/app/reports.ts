import { Readable } from 'node:stream';
import { siteTimeZone } from '@pharos/engine';
import { storedReach } from '../access/reach.ts';
import type { Db } from '../db/db.ts';
import { campaignOf } from '../features/insights/reports/content/campaigns.ts';
import type { Ask, Calendar, Campaign, ReportSubject } from '../features/insights/reports/content/figures.ts';
import { createReportFeature, type ReportFeature } from '../features/insights/reports/feature.ts';
import type { Admin } from '../features/insights/reports/people.ts';
import * as notifications from '../features/messages/notifications/store.ts';
import * as scenarios from '../features/messages/storylines/store.ts';
import { listAdmins } from '../features/operate/admins/accounts/store.ts';
import { findAppAccess } from '../features/operate/apps/store.ts';
import { beaconsIn } from '../features/places/beacons/place.ts';
import { listVenuesForReports, listZoneNames, type ReportVenueRow } from '../features/places/venues/store.ts';
import { dayIn } from '../features/zone-day.ts';
import { carryOut } from '../http/console/data-call.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { isByVenue } from '../http/grants.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import { consoleApp } from './history.ts';
import type { Parts } from './parts.ts';
import { mailSender } from './people.ts';
import type { Platform } from './platform.ts';

/** Reports by mail: their figures are what the endpoints of `/api/v2/analytics` answer in the console to whoever gets them. */
export function reportFeature({ platform, assertApp }: Parts, endpoints: () => readonly Endpoint[]): ReportFeature {
  const { db, config, shares, lasting, outbox } = platform;
  return createReportFeature({
    ...platform,
    enqueue: outbox.enqueue,
    mail: mailSender(platform),
    limiter: new RateLimiter(undefined, lasting),
    assertApp,
    isWorker: config.worker,
    owns: () => shares.owns('reports'),
    async findApp(appId) {
      const app = await findAppAccess(db, appId);
      return app && { appId, name: app.name, timeZone: app.policy.timeZone, isDisabled: app.disabled };
    },
    async findVenue(appId, venueId) {
      const [venue] = await listVenuesForReports(db, appId, venueId);
      return venue && { name: venue.name, timeZone: venue.time_zone };
    },
    listAdmins: listPeople,
    askAs: async (appId, venues) => askAs(platform, endpoints(), { appId, venues }),
    findSubject: (appId, venueId) => findSubject(db, appId, venueId),
  });
}

async function listPeople(db: Db): Promise<readonly Admin[]> {
  return (await listAdmins(db)).map((row) => ({
    adminId: row.admin_id,
    email: row.email,
    name: row.name,
    role: row.role,
    apps: storedReach(row),
    isDisabled: row.disabled_at !== null,
    language: row.language,
  }));
}

interface As {
  readonly appId: string;
  readonly venues: readonly string[] | undefined;
}

/** As an administrator of the console who is limited to these venues. */
async function askAs(platform: Platform, endpoints: readonly Endpoint[], { appId, venues }: As): Promise<Ask> {
  const app = await consoleApp(platform)(appId);
  return async (operation, query) => {
    const endpoint = endpoints.find(({ operationId }) => operationId === operation);
    if (!endpoint) throw new Error(`there is no endpoint ${operation}`);
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
        now: platform.now(),
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

const calendarOf = ({ opening_hours, exceptions }: ReportVenueRow): Calendar => ({
  week: opening_hours === null ? undefined : (JSON.parse(opening_hours) as NonNullable<Calendar['week']>),
  exceptions: JSON.parse(exceptions) as Calendar['exceptions'],
});

async function findSubject(db: Db, appId: string, venueId: string | null): Promise<ReportSubject | undefined> {
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
    campaigns: await listCampaigns(db, appId, { venueId, zone: siteTimeZone([app.policy.timeZone]) }),
  };
}

/** The messages that are valid only for a time: all of the app, or those at beacons of one venue. */
async function listCampaigns(
  db: Db,
  appId: string,
  { venueId, zone }: { readonly venueId: string | null; readonly zone: string },
): Promise<readonly Campaign[]> {
  const timed = [...(await notifications.listTimed(db, appId)), ...(await scenarios.listTimed(db, appId))];
  if (timed.length === 0) return [];
  const beacons = venueId === null ? undefined : new Set(await beaconsIn(db, appId, { venueId }));
  return timed
    .filter(({ beaconIds }) => !beacons || beaconIds.some((id) => beacons.has(id)))
    .map(({ name, from, until }) => campaignOf(name, { from, until }, (at) => dayIn(zone, at).day));
}
