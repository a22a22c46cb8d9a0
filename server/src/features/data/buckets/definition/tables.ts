import type { ColumnField } from '@pharos/query';
import { bigint, defineTable, double, nullable, text } from '../../../../db/table.ts';
import type { Tag } from '../../../../http/endpoint.ts';
import { json, pointer, text as textMember, time } from '../../../../resources/members/members.ts';
import { type RecordTable, recordsOf } from '../../../../resources/table.ts';
import { slotPairs, slotsHeld } from './slots.ts';

export const schemaTag: Tag = {
  name: 'Schemas',
  description: 'The types of the fields of a data bucket.',
  place: 60,
  console: { read: 'schemas.read', write: 'schemas.write' },
};
export const recordTag: Tag = {
  name: 'Data buckets',
  description: 'Documents of the app, with a query language.',
  place: 70,
  console: { read: 'records.read', write: 'records.write' },
  isPersonal: true,
};

export const buckets = defineTable({
  name: 'buckets',
  owner: 'buckets',
  columns: {
    app_id: text,
    object_id: text,
    name: text,
    version: bigint,
    slots: text,
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: { buckets_name: { on: ['app_id', 'name'], isUnique: true } },
});

export const schemas = defineTable({
  name: 'schemas',
  owner: 'buckets',
  columns: {
    app_id: text,
    object_id: text,
    bucket_id: text,
    metadata: text,
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: { schemas_bucket: { on: ['app_id', 'bucket_id', 'object_id'] } },
  childOf: ['buckets'],
});

const slot = (name: 'n1' | 'n2' | 'n3' | 'n4' | 'n5' | 'n6' | 't1' | 't2' | 't3' | 't4' | 't5' | 't6') => ({
  [`records_${name}`]: { on: ['app_id', 'bucket_id', name, 'object_id'], isPartial: true } as const,
});
const pair = (n: 1 | 2 | 3 | 4 | 5 | 6) => ({
  [`records_t${n}_n${n}`]: { on: ['app_id', 'bucket_id', `t${n}`, `n${n}`, 'object_id'], isPartial: true } as const,
});

export const records = defineTable({
  name: 'records',
  owner: 'buckets',
  columns: {
    app_id: text,
    bucket_id: text,
    object_id: text,
    doc: text,
    n1: nullable(double),
    n2: nullable(double),
    n3: nullable(double),
    n4: nullable(double),
    n5: nullable(double),
    n6: nullable(double),
    t1: nullable(text),
    t2: nullable(text),
    t3: nullable(text),
    t4: nullable(text),
    t5: nullable(text),
    t6: nullable(text),
    created_by: nullable(text),
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id', 'bucket_id', 'object_id'],
  indexes: {
    records_created_by: { on: ['app_id', 'bucket_id', 'created_by', 'object_id'] },
    ...slot('n1'),
    ...slot('n2'),
    ...slot('n3'),
    ...slot('n4'),
    ...slot('n5'),
    ...slot('n6'),
    ...slot('t1'),
    ...slot('t2'),
    ...slot('t3'),
    ...slot('t4'),
    ...slot('t5'),
    ...slot('t6'),
    ...pair(1),
    ...pair(2),
    ...pair(3),
    ...pair(4),
    ...pair(5),
    ...pair(6),
    records_large: { on: ['app_id', 'bucket_id', 'object_id'], isPartial: true, only: 'sqlite' },
  },
  childOf: ['buckets'],
  within: 'bucket_id',
  users: ['created_by'],
  erased: 'own',
});

/** The texts in list members of records, by the slot of the member. The database removes them with their record. */
export const recordLists = defineTable({
  name: 'record_lists',
  owner: 'buckets',
  columns: { app_id: text, bucket_id: text, slot: text, value: text, object_id: text },
  key: ['app_id', 'bucket_id', 'slot', 'value', 'object_id'],
  indexes: { record_lists_record: { on: ['app_id', 'bucket_id', 'object_id'] } },
  childOf: ['records'],
  within: 'bucket_id',
});

const ownMembers = {
  objectId: textMember('object_id'),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
} as const;

const shownSchemas = recordsOf(schemas, {
  objectId: ownMembers.objectId,
  metadata: json('metadata'),
  createdAt: ownMembers.createdAt,
  updatedAt: ownMembers.updatedAt,
});

/** Of schemas too, only paths below `metadata` can be queried. */
export const schemaTable: typeof shownSchemas = {
  ...shownSchemas,
  lookup: (name) => (name === 'metadata' ? undefined : shownSchemas.lookup(name)),
};

const recordMembers = { ...ownMembers, createdBy: pointer('created_by', '_User', { nullable: true }) } as const;

/** The members of a record that are not in its document. */
export const recordTable = recordsOf(
  records,
  {
    objectId: ownMembers.objectId,
    metadata: json('doc'),
    createdBy: recordMembers.createdBy,
    createdAt: ownMembers.createdAt,
    updatedAt: ownMembers.updatedAt,
  },
  { held: slotsHeld, pairs: slotPairs },
);

/** The same without `createdBy`, for buckets whose rules say nothing of owners. */
export const plainRecordTable = recordsOf(
  records,
  {
    objectId: ownMembers.objectId,
    metadata: json('doc'),
    createdAt: ownMembers.createdAt,
    updatedAt: ownMembers.updatedAt,
  },
  { held: slotsHeld, pairs: slotPairs },
);

const { lookup } = recordsOf(records, recordMembers);
// Its index begins with the bucket as well, which every query of records names.
const createdBy = { ...lookup('createdBy'), indexed: true } as ColumnField;

/** Finds the members that are not in the document. */
export const ownLookup: RecordTable['lookup'] = (name) => (name === 'createdBy' ? createdBy : lookup(name));
