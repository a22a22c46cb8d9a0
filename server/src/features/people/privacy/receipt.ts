import { type Static, Type } from 'typebox';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  isoTime,
  objectIdSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import type { ErasureRow } from './store.ts';

/** The receipt of an erasure as the interface shows it. It names nobody. */

const timeOrNull = (description: string) => Type.Union([timestampSchema, Type.Null()], { description });

const recipient = Type.Object({
  host: Type.String(),
  calls: Type.Integer({ minimum: 0 }),
  firstAt: timestampSchema,
  lastAt: timestampSchema,
});
/** A place to which something about the person has been sent by a webhook. */
export type WebhookRecipient = Static<typeof recipient>;

const backup = Type.Object({
  backupId: Type.String(),
  createdAt: timestampSchema,
  expiresAt: timeOrNull('null: when somebody deletes it'),
});
export type KeptBackup = Static<typeof backup>;

export const receiptRecord = {
  schema: Type.Object({
    erasureId: objectIdSchema,
    kind: Type.Enum(['user', 'installation', 'traces'], {
      description: 'An account, an installation, or what was recorded of an installation that stays',
    }),
    askedBy: Type.Enum(['person', 'administrator', 'request', 'command line', 'restore']),
    subjects: Type.Array(Type.String(), {
      description:
        'SHA-256 of the appId, a space and an id, in hexadecimal digits: of the user, and of each installation',
    }),
    requestedAt: timestampSchema,
    completedAt: timeOrNull('null while it is under way'),
    erased: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'How many rows were erased, or lost the name, by table',
    }),
    webhooks: Type.Union([Type.Array(recipient), Type.Null()], {
      description:
        'To which hosts webhooks had sent something about the person, as far as deliveries were still kept: ask them to erase it too',
    }),
    backups: Type.Union([Type.Array(backup), Type.Null()], {
      description: 'Backups in the data folder that still hold the data; null while it is under way',
    }),
    backupsHoldUntil: timeOrNull(
      'When the last of these backups is deleted; null if there is none, or nothing deletes one by itself',
    ),
  }),
  example: {
    erasureId: exampleId,
    kind: 'user',
    askedBy: 'person',
    subjects: ['5b8d0c9f0b0c2c1d5f3f9d1f6f3b1e8c5a7c1f5f4de2b7a1c9e8d7f6a5b4c3d2'],
    requestedAt: exampleCreated,
    completedAt: exampleUpdated,
    erased: { visits: 412, events: 2480, users: 1 },
    webhooks: [{ host: 'crm.museum.example', calls: 18, firstAt: exampleCreated, lastAt: exampleUpdated }],
    backups: [{ backupId: '2026-05-04T09-30-00-000Z', createdAt: exampleCreated, expiresAt: exampleUpdated }],
    backupsHoldUntil: exampleUpdated,
  },
};

export function receiptOf(row: ErasureRow) {
  const backups = row.backups === null ? null : (JSON.parse(row.backups) as KeptBackup[]);
  return {
    erasureId: row.object_id,
    kind: row.kind,
    askedBy: row.asked_by,
    subjects: JSON.parse(row.hashes) as string[],
    requestedAt: isoTime(row.requested_at),
    completedAt: row.completed_at === null ? null : isoTime(row.completed_at),
    erased: JSON.parse(row.counts) as Record<string, number>,
    webhooks: row.webhooks === null ? null : (JSON.parse(row.webhooks) as WebhookRecipient[]),
    backups,
    backupsHoldUntil: heldUntil(backups ?? []),
  };
}

function heldUntil(backups: readonly KeptBackup[]): string | null {
  const ends = backups.map(({ expiresAt }) => expiresAt);
  return ends.includes(null) ? null : ((ends as string[]).sort().at(-1) ?? null);
}
