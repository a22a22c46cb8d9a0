import { type Static, Type } from 'typebox';
import { defineShape } from '../../../http/shape.ts';

/** Operations on records that only the console has. */
export const managedOperations = ['changeAppUser', 'changeWebhook', 'deleteWebhook'] as const;
export type ManagedOperation = (typeof managedOperations)[number];

/** What can be done with many records at once: their own PATCH, PUT or DELETE. */
const operations = [
  'patchNotification',
  // Replaces rules as a whole, where PATCH would merge them.
  'updateNotification',
  'deleteNotification',
  'patchStoryline',
  'deleteStoryline',
  'patchBeacon',
  'deleteBeacon',
  'patchDevice',
  'deleteDevice',
  'patchVenue',
  'deleteFile',
  'patchRecord',
  'deleteRecord',
  ...managedOperations,
  // Takes a deletion back.
  'restoreDeleted',
] as const;

/** More would take longer than a person waits for. */
const maxRecords = 500;
const idSchema = Type.String({ minLength: 1, maxLength: 64 });
const changeSchema = (description: string) =>
  Type.Optional(Type.Object({}, { additionalProperties: true, description }));

const oneSchema = Type.Object({
  objectId: idSchema,
  updatedAt: Type.Optional(
    Type.String({ maxLength: 40, description: 'As the caller has seen it; a record changed since is not touched' }),
  ),
  seen: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Members of a user or webhook as the caller has seen them; one of which they differ is not touched',
      },
    ),
  ),
  change: changeSchema('In place of the common change'),
});

export const shape = defineShape(
  Type.Object({
    operation: Type.Enum([...operations]),
    ids: Type.Array(idSchema, { minItems: 1, maxItems: maxRecords }),
    bucketName: Type.Optional(Type.String({ maxLength: 30, description: 'Of records' })),
    kind: Type.Optional(
      Type.String({
        maxLength: 30,
        description: 'Of what `restoreDeleted` takes out of the trash, as the trash names it',
      }),
    ),
    change: changeSchema('What to merge into each, as its PATCH takes it'),
    records: Type.Optional(
      Type.Array(oneSchema, { maxItems: maxRecords, description: 'What is particular to some of them' }),
    ),
  }),
);
export type Bulk = Static<typeof shape.schema>;
export type One = Static<typeof oneSchema>;
