import type { FieldLookup } from '@pharos/query';
import { pseudonymDays, pseudonymPeriods } from '../access/pseudonyms/tables.ts';
import type { RuledFields } from '../access/rules/check.ts';
import type { ResourceName } from '../access/rules/presets.ts';
import { audit } from '../access/tables.ts';
import type { Database } from '../db/db.ts';
import { childrenFirst, deleteRowsOf } from '../db/delete-in-steps.ts';
import type { DbTable } from '../db/table.ts';
import { cacheChanges, coldChunks, coldSummaries, nodes, revisions, settingsTable, workShares } from '../db/tables.ts';
import { bucketLookup } from '../features/data/buckets/definition/directory.ts';
import * as data from '../features/data/tables.ts';
import * as insights from '../features/insights/tables.ts';
import * as messages from '../features/messages/tables.ts';
import * as operate from '../features/operate/tables.ts';
import { type PersonPart, partsOf } from '../features/people/privacy/person.ts';
import * as people from '../features/people/tables.ts';
import { userSummaryTable } from '../features/people/users/tables.ts';
import * as places from '../features/places/tables.ts';
import * as presence from '../features/presence/tables.ts';
import { jobs } from '../jobs/tables.ts';
import { idempotencyKeys, limitBuckets, usage } from '../limits/tables.ts';
import type { Resource } from '../resources/define.ts';
import type { HandedOver } from '../resources/hand-over.ts';
import type { RecordTable } from '../resources/table.ts';

/** What the interface shows of tables, as its owners declare it. */
export const resources: readonly Resource[] = [presence, messages, places, people, data].flatMap(
  (family) => family.resources,
);

/** Every table of the service; `declared-tables.test.ts` says when one is missing. */
export const tables: readonly DbTable[] = [
  ...[presence, messages, places, people, data, insights, operate].flatMap((family) => family.tables),
  ...[pseudonymPeriods, pseudonymDays, audit, jobs, usage, idempotencyKeys, limitBuckets],
  ...[coldChunks, coldSummaries, settingsTable, revisions, cacheChanges, nodes, workShares],
];

function resourceNamed(name: string): Resource {
  const found = resources.find(({ table }) => table.name === name);
  if (!found) throw new Error(`There is no resource ${name}.`);
  return found;
}

/** What can be handed over to another user. Records of buckets are, in a change. */
export const handedOver: readonly HandedOver[] = [
  ...['beacons', 'venues', 'floors', 'zones', 'notifications', 'storylines', 'devices'].map(resourceNamed),
  { ...resourceNamed('storyline_details'), parentKey: ({ objectId = '' }) => ({ storyline_id: objectId }) },
  {
    ...resourceNamed('files'),
    idName: 'file',
    parameters: { file: 'The objectId of the file' },
    verb: 'delete',
    stores: ({ size }) => ({ files: 1, fileBytes: size as number }),
  },
];

const ruledTables = new Map(resources.map(({ rules, records }) => [rules, records.ruleLookup]));
const recordsByRules = new Map(resources.map(({ rules, records }) => [rules, records as RecordTable]));

export const tableOfRules = (name: ResourceName | undefined): RecordTable | undefined =>
  name === undefined ? undefined : recordsByRules.get(name);

/** What the rules of an app can speak of. */
export const ruledFields: RuledFields = {
  of: (name) => (name === 'users' ? userSummaryTable.ruleLookup : ruledTables.get(name)) ?? noFields,
  bucket: bucketLookup({}, []),
};
/** Of schemas only words are said. */
const noFields: FieldLookup = () => undefined;

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
export const emptyApp = (db: Database, appId: string) => deleteRowsOf(db, appTables, appId);
