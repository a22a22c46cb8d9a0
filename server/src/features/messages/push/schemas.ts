import { inLanguage, type Translations } from '@pharos/engine/decide';
import { type FieldLookup, isObject, parseInstant, parseWhere, parseWhereValue } from '@pharos/query';
import { type Static, Type } from 'typebox';
import { fail, type Problem } from '../../../base/errors.ts';
import { isEmptyPush } from '../../../delivery/push/content.ts';
import { optionProblems, pushOptions } from '../../../delivery/push/options.ts';
import { pushSenderKinds } from '../../../delivery/push/push-sender.ts';
import { translatedMembers, translationProblems } from '../../../delivery/push/translations.ts';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  recordStamps,
  timestampSchema,
} from '../../../http/answers.ts';
import { defineShape, sentence } from '../../../http/shape.ts';

const pushDeliveryStates = ['queued', 'sent', 'failed', 'expired', 'noTarget', 'cancelled'] as const;
export type PushDeliveryState = (typeof pushDeliveryStates)[number];

/** What the push services take at most, for everything together. */
const maxDataBytes = 4096;
/** FCM's `notification_count` is a 32-bit integer. */
const maxBadge = 2_147_483_647;

const words = {
  title: Type.Optional(Type.String()),
  alert: Type.Optional(Type.String({ description: 'The text that is shown' })),
  uri: Type.Optional(Type.String({ description: 'What a tap opens' })),
};
const dataSchema = Type.Object(
  {
    ...words,
    badge: Type.Optional(
      Type.Integer({ minimum: 0, maximum: maxBadge, description: 'The number on the icon; 0 removes it' }),
    ),
    sound: Type.Optional(Type.String()),
  },
  {
    additionalProperties: true,
    description:
      'The message; further members are passed to the app unchanged. It must contain a text, badge, sound, uri or a member ' +
      'of your own. Without title and alert nothing is shown. At most 4096 bytes of JSON',
  },
);
const whereSchema = Type.Union([Type.Object({}), Type.String({ maxLength: 8192 })], {
  description:
    'Which installations: a condition on their fields in the where-language, as an object or as its JSON text. ' +
    'Without it, and with {}, every installation of the app',
});
const times = {
  sendAt: Type.Optional(
    Type.String({ description: 'When it goes out, ISO 8601, at most a year ahead; at once when absent or past' }),
  ),
  expiresAt: Type.Optional(
    Type.String({ description: 'After this nobody receives it any more, ISO 8601; 24 hours after sendAt when absent' }),
  ),
};
const languages = translatedMembers(words, 'the message');
const options = Type.Optional(pushOptions);
export const pushSchema = Type.Object({
  data: dataSchema,
  options,
  where: Type.Optional(whereSchema),
  ...languages,
  ...times,
});

const pushShape = defineShape(Type.Object({ data: dataSchema, options, ...languages, ...times }), {
  rules: ({ data, options, language, translations, sendAt, expiresAt }) => [
    ...(data === undefined ? [] : dataProblems(data)),
    ...optionProblems(options),
    ...translationProblems({ language, translations }, Object.keys(words)),
    ...notATime('sendAt', sendAt),
    ...notATime('expiresAt', expiresAt),
  ],
});

function dataProblems(data: unknown): Problem[] {
  if (!isObject(data)) return [{ field: 'data', problem: 'must be a JSON object' }];
  const needed = 'is empty: it needs a title, an alert, a badge, a sound, a uri or a member for the app';
  return isEmptyPush(data) ? [{ field: 'data', problem: needed }] : [];
}

function notATime(field: string, text: string | undefined): Problem[] {
  return text === undefined || parseInstant(text) !== undefined
    ? []
    : [{ field, problem: 'must be an ISO 8601 date and time with a time zone, such as 2026-05-04T18:00:00Z' }];
}

export interface Push {
  readonly data: Static<typeof dataSchema>;
  /** JSON text. */
  readonly options: string | null;
  /** Epoch milliseconds; undefined: at once. */
  readonly sendAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** The condition as the caller wrote it, as JSON text; null for every installation. */
  readonly audience: string | null;
  readonly language: string | null;
  /** JSON text. */
  readonly translations: string | null;
}

/**
 * Reads the body of a push. Only where no `where` is sent does it go to everyone: null, a misspelt field and an
 * unknown operator are errors.
 *
 * @throws Failure ValidationError, ObjectTooLarge, InvalidQuery
 */
export function readPush(body: unknown, fields: FieldLookup): Push {
  const { data, options, language = null, translations, sendAt, expiresAt } = pushShape.readCreate(body);
  assertDeliverable(data, translations);
  const audience = readAudience(isObject(body) ? body['where'] : undefined, fields);
  const times = { sendAt: instant(sendAt), expiresAt: instant(expiresAt) };
  const text = (value: object | undefined) => (value ? JSON.stringify(value) : null);
  return { data, options: text(options), audience, language, translations: text(translations), ...times };
}

/** @throws Failure ObjectTooLarge */
function assertDeliverable(data: Push['data'], translations: Translations = {}): void {
  const all = [
    ['data', data] as const,
    ...Object.keys(translations).map(
      (tag) => [`translations.${tag}`, inLanguage(data, { translations }, tag)] as const,
    ),
  ];
  const details: Problem[] = all.flatMap(([field, sent]) => {
    const size = Buffer.byteLength(JSON.stringify(sent));
    const problem = `has ${size} bytes as JSON${field === 'data' ? '' : ' together with data'}; at most ${maxDataBytes} can be delivered`;
    return size > maxDataBytes ? [{ field, problem }] : [];
  });
  if (details.length > 0) throw fail('ObjectTooLarge', { message: sentence(details), details });
}

const instant = (text: string | undefined) => (text === undefined ? undefined : parseInstant(text));

function readAudience(where: unknown, fields: FieldLookup): string | null {
  if (where === undefined) return null;
  if (typeof where === 'string') {
    parseWhere(where, fields);
    return JSON.stringify(JSON.parse(where));
  }
  parseWhereValue(where, fields);
  return JSON.stringify(where);
}

const dayMs = 86_400_000;
/** How long a push is wanted unless it says otherwise. */
const usualLifeMs = dayMs;
const maxWaitMs = 366 * dayMs;
const maxLifeMs = 28 * dayMs;

/**
 * When a push goes out and when it is no longer wanted (epoch ms).
 *
 * @throws Failure ValidationError
 */
export function timesOf(
  { sendAt, expiresAt }: Push,
  now: number,
): { readonly sendAt: number; readonly expiresAt: number } {
  const start = Math.max(now, sendAt ?? now);
  const end = expiresAt ?? start + usualLifeMs;
  const details: Problem[] = [];
  if (start > now + maxWaitMs) details.push({ field: 'sendAt', problem: 'must be at most a year ahead' });
  if (end <= start) details.push({ field: 'expiresAt', problem: 'must be later than now and than sendAt' });
  // The push services keep nothing longer than four weeks.
  else if (end > start + maxLifeMs)
    details.push({ field: 'expiresAt', problem: 'must be at most 28 days after sendAt' });
  if (details.length > 0) throw fail('ValidationError', { message: sentence(details), details });
  return { sendAt: start, expiresAt: end };
}

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));
/** Counts, absent for a sender who is no manager and has chosen the audience. */
const counts = {
  audience: count('Recipients found so far'),
  sent: count('Accepted by the push service'),
  failed: count('Refused by the push service, or not taken in time'),
  expired: count('Not sent in time'),
  noTarget: count('Without a live token, or without credentials for their push service'),
  cancelled: count('Not sent because the push was cancelled'),
};
const approvalSchema = Type.Optional(
  Type.Object(
    {
      state: Type.Enum(['waiting', 'approved']),
      above: Type.Optional(Type.Integer({ description: 'To how many one person alone may send' })),
      at: Type.Optional(timestampSchema),
      by: Type.Optional(Type.String({ description: "Who approved it: an administrator's e-mail, or a userId" })),
    },
    { description: 'Present where it goes to so many that a second person has to approve it' },
  ),
);

const pushMembers = {
  objectId: objectIdSchema,
  data: Type.Object({}),
  options,
  where: Type.Optional(Type.Object({}, { description: 'Absent when it goes to every installation' })),
  ...languages,
  state: Type.Enum(['accepted', 'sending', 'done', 'cancelled', 'failed'], {
    description: 'accepted: it waits for its time or its turn. done: something has become of every recipient',
  }),
  problem: Type.Optional(Type.String({ description: 'Why it failed as a whole' })),
  userId: Type.Optional(pointerSchema('_User')),
  approval: approvalSchema,
  sendAt: Type.Optional(timestampSchema),
  expiresAt: Type.Optional(timestampSchema),
  ...counts,
  ...recordStamps,
};
const exampleCounts = { audience: 1200, sent: 1164, failed: 3, expired: 0, noTarget: 21, cancelled: 0 };

export const pushRecord = {
  schema: Type.Object(pushMembers),
  example: {
    objectId: exampleId,
    data: { title: 'Tonight', alert: 'The museum is open until 22:00.' },
    where: { channels: 'news' },
    state: 'sending',
    userId: pointerExample('_User', otherExampleId),
    expiresAt: '2026-05-05T09:30:00.000Z',
    ...exampleCounts,
    createdAt: exampleCreated,
    updatedAt: exampleUpdated,
  },
};

/** One push, with what is counted for it alone. `audience` is the sum of `queued` and the other states. */
export const pushDetail = {
  schema: Type.Object({
    ...pushMembers,
    queued: count('Waiting to be sent'),
    received: count('Reported by the app as received'),
    opened: count('Reported by the app as opened'),
    reasons: Type.Optional(
      Type.Array(
        Type.Object({ state: Type.Enum([...pushDeliveryStates]), reason: Type.String(), count: Type.Integer() }),
        {
          description: 'The 50 most frequent reasons why recipients were not reached or have to wait',
        },
      ),
    ),
  }),
  example: {
    ...pushRecord.example,
    queued: 12,
    received: 1010,
    opened: 154,
    reasons: [{ state: 'noTarget', reason: 'The installation has no device token.', count: 21 }],
  },
};

export const pushDeliveryRecord = {
  schema: Type.Object({
    objectId: Type.String({ description: 'The deliveryId that the message carries' }),
    pushId: Type.Optional(objectIdSchema),
    eventId: Type.Optional(objectIdSchema),
    triggerId: Type.Optional(objectIdSchema),
    installationId: Type.Optional(pointerSchema('_Installation')),
    state: Type.Enum([...pushDeliveryStates]),
    reason: Type.Optional(
      Type.String({ description: "Why it was not sent, or has to wait; the provider's own words" }),
    ),
    sender: Type.Optional(Type.Enum([...pushSenderKinds])),
    language: Type.Optional(
      Type.String({ description: 'In which language it went out, where the message says its languages' }),
    ),
    attempts: Type.Integer({ minimum: 0, description: 'How often the push service was asked' }),
    sentAt: Type.Optional(timestampSchema),
    receivedAt: Type.Optional(timestampSchema),
    openedAt: Type.Optional(timestampSchema),
    expiresAt: timestampSchema,
    ...recordStamps,
  }),
  example: {
    objectId: `${exampleId}-${otherExampleId}`,
    pushId: exampleId,
    installationId: pointerExample('_Installation', otherExampleId),
    state: 'sent',
    sender: 'fcm',
    attempts: 1,
    sentAt: exampleUpdated,
    receivedAt: exampleUpdated,
    expiresAt: '2026-05-05T09:30:00.000Z',
    createdAt: exampleCreated,
    updatedAt: exampleUpdated,
  },
};

const receipt = Type.Object({
  deliveryId: Type.String({ minLength: 1, maxLength: 100 }),
  event: Type.Enum(['received', 'opened']),
  at: Type.Optional(Type.String({ description: 'ISO 8601; now when absent' })),
});
export const receiptsShape = defineShape(
  Type.Object({
    installationId: Type.String({
      minLength: 1,
      maxLength: 128,
      description: "The client's own installationId, or the objectId of the installation",
    }),
    receipts: Type.Array(receipt, { minItems: 1, maxItems: 500 }),
  }),
  {
    rules: ({ receipts = [] }) => receipts.flatMap(({ at }, index) => notATime(`receipts.${index}.at`, at)),
  },
);
export const receiptsExample = {
  installationId: 'c6f1a7e2-7d0b-4c55-9c37-0d6d6a1f2b90',
  receipts: [{ deliveryId: `${exampleId}-${otherExampleId}`, event: 'opened', at: exampleUpdated }],
};

export const pushExample = {
  data: { title: 'Tonight', alert: 'The museum is open until 22:00.', uri: 'https://museum.example.org/tonight' },
  where: { channels: 'news', deviceType: { $in: ['ios', 'android'] } },
};
