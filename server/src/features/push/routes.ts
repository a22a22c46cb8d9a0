import { Type } from 'typebox';
import type { Db } from '../../db/db.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { newObjectId } from '../../id.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { FieldLookup } from '../../query/fields.ts';
import { type Push, pushExample, pushSchema, readPush } from './schemas.ts';
import { insertPush } from './store.ts';

/** A message that has not left a day later is no longer news. */
const timeToLiveMs = 86_400_000;

export interface PushDeps {
  readonly db: Db;
  readonly enqueue: (db: Db, job: NewJob) => Promise<void>;
  /** What an audience may be chosen by. */
  readonly audienceFields: FieldLookup;
}

export function pushEndpoints({ db, enqueue, audienceFields }: PushDeps): Endpoint[] {
  const accept = endpoint<Push>({
    method: 'POST',
    path: '/push/notification',
    operationId: 'sendPush',
    tag: 'Push',
    summary: 'Send a push notification',
    description: 'Answers once it is durably accepted, also when nobody matches. It is delivered in the background.',
    grant: ({ push }) => push,
    body: { schema: pushSchema, example: pushExample, read: (body) => readPush(body, audienceFields) },
    answer: {
      status: 200,
      description: 'Accepted.',
      schema: Type.Object({ result: Type.Object({ result: Type.Boolean() }) }),
      example: { result: { result: true } },
    },
    errors: ['ValidationError', 'InvalidQuery'],
    handle: async ({ app, user, body, now }) => {
      const pushId = newObjectId(now);
      const { data, audience } = body;
      const push = {
        appId: app.appId,
        pushId,
        data: JSON.stringify(data),
        audience,
        userId: user?.userId ?? null,
        now,
      };
      const job: NewJob = { appId: app.appId, kind: 'push.expand', payload: { pushId }, expiresAt: now + timeToLiveMs };
      await db.transaction(async (db) => {
        await insertPush(db, push);
        await enqueue(db, job);
      });
      return { result: { result: true } };
    },
  });
  return [accept];
}
