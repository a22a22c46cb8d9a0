import { Type } from 'typebox';
import { bigint, nullable, text as textColumn, withDefault } from '../../../db/table.ts';
import { exampleCreated, exampleId, madeStamps, objectIdSchema } from '../../../http/answers.ts';
import { defineResource } from '../../../resources/define.ts';
import { madeMembers, number, text } from '../../../resources/members/members.ts';

const name = Type.String({
  description: 'The stored name: 32 random hexadecimal digits, an underscore and the given name',
});
const url = Type.String({ description: 'The address at which anyone can read the file' });

const storedName = '9f86d081884c7d659a2feaa0c55ad015_hall.png';
const address = `https://pharos.example.org/files/0VnZxSfjT8aQpR2sUvWy/${storedName}`;

export const uploadedAnswer = {
  status: 201,
  description: 'Stored.',
  schema: Type.Object({ objectId: objectIdSchema, name, url }),
  example: { objectId: exampleId, name: storedName, url: address },
} as const;

const fileRecord = {
  schema: Type.Object({
    objectId: objectIdSchema,
    name,
    contentType: Type.String({ description: 'The media type of the upload, without parameters' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes' }),
    ...madeStamps,
    url,
  }),
  example: {
    objectId: exampleId,
    name: storedName,
    contentType: 'image/png',
    size: 48213,
    createdAt: exampleCreated,
    updatedAt: exampleCreated,
    url: address,
  },
};

export const files = defineResource({
  owner: 'files',
  table: 'files',
  noun: ['file', 'files'],
  tag: {
    name: 'Files',
    description: 'Pictures, videos and other files.',
    place: 170,
    console: { read: 'files.read', write: 'files.write' },
  },
  path: '/files',
  record: fileRecord,
  members: {
    objectId: text('object_id'),
    name: text('stored_name'),
    contentType: text('content_type'),
    size: number('size'),
    ...madeMembers,
  },
  // The address is kept nowhere, since the public address may change.
  made: ['url'],
  internal: {
    name: textColumn,
    sha256: textColumn,
    by_admin: withDefault(bigint),
    bytes_missing_at: nullable(bigint),
  },
  indexes: {
    files_stored_name: { on: ['app_id', 'stored_name'], isUnique: true },
    files_maker: { on: ['app_id', 'created_by', 'object_id'], isPartial: true },
    files_without_bytes: { on: ['app_id', 'object_id'], isPartial: true },
  },
  users: ['created_by'],
  erased: 'own',
  rules: 'files',
  // A plan is a file. Whoever knows the id of a file may know its address, which anyone can read.
  venue: { open: ['get', 'create'] },
});
