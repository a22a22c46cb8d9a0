import type { FieldLookup } from '@pharos/query';
import { pseudonymDays, pseudonymSpells } from '../access/pseudonyms/tables.ts';
import type { RuledFields } from '../access/rules/check.ts';
import type { ResourceName } from '../access/rules/presets.ts';
import { audit } from '../access/tables.ts';
import { raw, sql } from '../base/sql.ts';
import type { Database } from '../db/db.ts';
import { deleteInSteps } from '../db/delete-in-steps.ts';
import { type DbTable, stepColumn } from '../db/table.ts';
import { cacheChanges, coldChunks, coldSummaries, nodes, revisions, settingsTable, workShares } from '../db/tables.ts';
import { bucketLookup } from '../features/data/buckets/definition/directory.ts';
import { buckets, recordLists, records, schemas } from '../features/data/buckets/definition/tables.ts';
import { files } from '../features/data/files/resource.ts';
import { trash, versions } from '../features/data/history/tables.ts';
import {
  messageLoads,
  messagePlaceRollups,
  messagePlaces,
  messageRollups,
  messageShowings,
  messageStates,
} from '../features/insights/analytics/messages/tables.ts';
import {
  beaconPlaces,
  firstVisits,
  goneVisits,
  rollupPeriods,
  rollupStates,
  visitRollups,
  wayRollups,
  waysDue,
} from '../features/insights/analytics/numbers/tables.ts';
import { crowdedPlaces } from '../features/insights/occupancy/tables.ts';
import { reportAddresses, reportMails, reports } from '../features/insights/reports/tables.ts';
import { notifications } from '../features/messages/notifications/resource.ts';
import { deliveries, pushes } from '../features/messages/push/resource.ts';
import { senders } from '../features/messages/senders/tables.ts';
import { details, scenarioBeacons, storylines } from '../features/messages/storylines/resource.ts';
import {
  adminChallenges,
  adminInvitations,
  adminLanguages,
  adminLinks,
  adminPasskeys,
  adminRecoveryCodes,
  adminSessions,
  admins,
  adminTotp,
} from '../features/operate/admins/accounts/tables.ts';
import { adminIdentities, ssoAttempts, ssoProviders } from '../features/operate/admins/sso/tables.ts';
import { alertChoices, alertDigests, alerts } from '../features/operate/alerts/tables.ts';
import { appKeys, apps, dryRunCounts, secretKeys } from '../features/operate/apps/tables.ts';
import { webhookDeliveries, webhooks } from '../features/operate/webhooks/tables.ts';
import { erasedIdentities, identities, identityProviders, usedIdTokens } from '../features/people/identities/tables.ts';
import { ownPhones, pairingCodes } from '../features/people/installations/pairing/tables.ts';
import { installations } from '../features/people/installations/resource.ts';
import { consentsTable } from '../features/people/installations/tables.ts';
import { mailLinks } from '../features/people/mail-links/tables.ts';
import { type PersonPart, partsOf } from '../features/people/privacy/person.ts';
import { erasures } from '../features/people/privacy/tables.ts';
import { userChallenges, userPasskeys, userRecoveryCodes, userTotp } from '../features/people/second-factors/tables.ts';
import {
  halfSignIns,
  passwordResets,
  sessions,
  tokens,
  userSummaryTable,
  users,
} from '../features/people/users/tables.ts';
import { placements } from '../features/places/beacons/placement-store.ts';
import { beacons } from '../features/places/beacons/resource.ts';
import { deviceCredentials, devices } from '../features/places/devices/resource.ts';
import { deviceHandovers, deviceSessions } from '../features/places/devices/session-tables.ts';
import { floors } from '../features/places/venues/floor-resource.ts';
import { venues } from '../features/places/venues/venue-resource.ts';
import { zones } from '../features/places/venues/zone-resource.ts';
import { liveApps, liveEvents } from '../features/presence/live/tables.ts';
import { logs } from '../features/presence/logs/resource.ts';
import { events, verdicts } from '../features/sightings/traces/events.ts';
import { positions } from '../features/sightings/traces/positions.ts';
import {
  beaconRadio,
  firings,
  hearings,
  presence,
  ruleReplays,
  sightingCounts,
  sightingKeys,
  trackSamples,
  tracks,
  visitChanges,
} from '../features/sightings/traces/tables.ts';
import { visits } from '../features/sightings/traces/visits.ts';
import { jobs } from '../jobs/tables.ts';
import { idempotencyKeys, limitBuckets, usage } from '../limits/tables.ts';
import type { Resource } from '../resources/define.ts';
import type { RecordTable } from '../resources/table.ts';
import type { HandedOver } from './hand-over.ts';

/** What the interface shows of tables, as its owners declare it. */
export const resources: readonly Resource[] = [
  visits,
  events,
  verdicts,
  positions,
  logs,
  deliveries,
  pushes,
  beacons,
  venues,
  floors,
  zones,
  notifications,
  storylines,
  details,
  installations,
  devices,
  files,
];

/** What can be handed over to another user. Records of buckets are, in a change. */
export const handedOver: readonly HandedOver[] = [
  ...[beacons, venues, floors, zones, notifications, storylines, devices],
  { ...details, parentKey: ({ objectId = '' }) => ({ storyline_id: objectId }) },
  {
    ...files,
    idName: 'file',
    parameters: { file: 'The objectId of the file' },
    verb: 'delete',
    stores: ({ size }) => ({ files: 1, fileBytes: size as number }),
  },
];

/** Every table of the service; `declared-tables.test.ts` says when one is missing. */
export const tables: readonly DbTable[] = [
  ...resources.map(({ table }) => table),
  placements,
  firings,
  visitChanges,
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
  consentsTable,
  ownPhones,
  pairingCodes,
  erasures,
  sightingCounts,
  sightingKeys,
  presence,
  tracks,
  trackSamples,
  beaconRadio,
  hearings,
  coldChunks,
  coldSummaries,
  ruleReplays,
  scenarioBeacons,
  webhookDeliveries,
  webhooks,
  deviceCredentials,
  deviceSessions,
  deviceHandovers,
  liveEvents,
  liveApps,
  jobs,
  senders,
  versions,
  trash,
  recordLists,
  records,
  schemas,
  buckets,
  userTotp,
  userRecoveryCodes,
  userPasskeys,
  userChallenges,
  halfSignIns,
  passwordResets,
  mailLinks,
  tokens,
  sessions,
  identities,
  identityProviders,
  usedIdTokens,
  erasedIdentities,
  users,
  appKeys,
  dryRunCounts,
  secretKeys,
  pseudonymSpells,
  pseudonymDays,
  usage,
  idempotencyKeys,
  apps,
  audit,
  admins,
  adminSessions,
  adminTotp,
  adminRecoveryCodes,
  adminPasskeys,
  adminChallenges,
  adminInvitations,
  adminLanguages,
  adminLinks,
  adminIdentities,
  ssoProviders,
  ssoAttempts,
  alerts,
  alertDigests,
  alertChoices,
  limitBuckets,
  settingsTable,
  revisions,
  cacheChanges,
  nodes,
  workShares,
];

const ruledTables = new Map(resources.map(({ rules, records }) => [rules, records.ruleLookup]));
const recordsByRules = new Map(resources.map(({ rules, records }) => [rules, records as RecordTable]));

/** The records of a resource, by the name that rules have for it. */
export const tableOfRules = (name: ResourceName | undefined): RecordTable | undefined =>
  name === undefined ? undefined : recordsByRules.get(name);

/** What the rules of an app can speak of. */
export const ruledFields: RuledFields = {
  of: (name) => (name === 'users' ? userSummaryTable.ruleLookup : ruledTables.get(name)) ?? noFields,
  bucket: bucketLookup({}, []),
};
/** Of schemas only words are said. */
const noFields: FieldLookup = () => undefined;

/** Children before what they belong to, and the apps themselves last. */
function childrenFirst(unordered: readonly DbTable[]): readonly DbTable[] {
  const ordered: DbTable[] = [];
  const add = (table: DbTable) => {
    if (ordered.includes(table)) return;
    for (const child of unordered) if (child.childOf?.includes(table.name)) add(child);
    ordered.push(table);
  };
  for (const table of unordered) if (table !== apps) add(table);
  return unordered.includes(apps) ? [...ordered, apps] : ordered;
}

/** The tables whose rows are deleted with an app, in the order of deletion. */
export const appTables = childrenFirst(
  tables.filter(({ columns, staysBecause }) => 'app_id' in columns && staysBecause === undefined),
);

/** The tables that say where somebody was or what she was sent: they are erased with her installation. */
export const traceTables = tables.filter(({ trail }) => trail?.at !== undefined);

/** What is known of a person, for her export and her erasure. */
export const personParts: readonly PersonPart[] = partsOf(tables, resources);

/** The tables whose rows go after some days. */
export const keptTables = tables.filter(({ kept }) => kept !== undefined);

/** Deletes all rows of an app, a few at a time. Call it again to finish after an interruption. */
export async function emptyApp(db: Database, appId: string): Promise<void> {
  for (const table of appTables) await emptyTable(db, table, appId);
}

async function emptyTable(db: Database, table: DbTable, appId: string): Promise<void> {
  const { name, within } = table;
  const ofApp = sql`app_id = ${appId}`;
  const id = stepColumn(table);
  if (within === undefined) {
    await deleteInSteps(db, { table: name, id, scope: ofApp });
    return;
  }
  for (;;) {
    const column = raw(within);
    const next = await db.one<{ value: string }>(
      sql`select ${column} as value from ${raw(name)} where ${ofApp} limit 1`,
    );
    if (!next) return;
    await deleteInSteps(db, { table: name, id, scope: sql`${ofApp} and ${column} = ${next.value}` });
  }
}
