import { isObject } from '@pharos/query';
import { invalid } from '../../../../base/errors.ts';
import { newObjectId } from '../../../../base/id.ts';
import { created, createdAnswer } from '../../../../http/answers.ts';
import { type BodySpec, type Endpoint, endpoint } from '../../../../http/endpoint.ts';
import { forbidden } from '../../../../resources/allowed.ts';
import type { Bucket } from '../definition/directory.ts';
import { recordBody } from '../definition/schemas.ts';
import { askerOf, bucketToWrite, common, path, type RecordDeps, stepsOf } from './bucket-of.ts';
import { type Document, RecordRules } from './record-rules.ts';
import { prepare, writeRecord } from './record-writing.ts';

const createBody: BodySpec<Document> = {
  ...recordBody,
  read: (body) => {
    const document = isObject(body) && Object.hasOwn(body, 'metadata') ? body['metadata'] : undefined;
    if (isObject(document)) return document;
    throw invalid('metadata', document === undefined ? 'is required' : 'must be a JSON object');
  },
};

export function create(deps: RecordDeps): Endpoint {
  return endpoint<Document, Bucket>({
    ...common,
    method: 'POST',
    path,
    operationId: 'createRecord',
    grant: { of: 'bucket', verb: 'create' },
    summary: 'Create a record',
    body: createBody,
    answer: createdAnswer,
    errors: ['InvalidBucketName', 'InvalidSchema', 'ValidationError', 'ObjectTooLarge', 'OperationForbidden'],
    repeat: created,
    locate: (call) => bucketToWrite(deps, call),
    handle: async (call) => {
      const { user, now, objectId = newObjectId(now) } = call;
      const createdBy = user?.userId ?? null;
      const rules = new RecordRules(call, call.located);
      const hook = await deps.recordHook(call.app.appId, call.located.name, 'record.creating');
      const bytes = await writeRecord(stepsOf(deps, call), async (bucket) => {
        const recordOf = (body: Document) => {
          const document = () => body;
          return { objectId, document, createdBy, createdAt: now, updatedAt: now };
        };
        rules.assertMayCreate(bucket, recordOf(call.body));
        let prepared = prepare(bucket, call.body);
        if (prepared.outcome === 'misfits') return prepared;
        if (hook) {
          const document = await hook.ask({ after: recordOf(call.body), by: askerOf(call) }, (amended) => {
            if (!rules.may('create', bucket, recordOf(amended))) throw forbidden();
            prepare(bucket, amended);
          });
          prepared = prepare(bucket, document);
          if (prepared.outcome === 'misfits') return prepared;
        }
        const { write } = prepared;
        const key = { appId: bucket.appId, bucketId: bucket.bucketId, objectId };
        const bytes = Buffer.byteLength(write.document);
        const more = { records: 1, recordBytes: bytes };
        const room = deps.usage.assertRoom(bucket.appId, call.app.policy, more);
        if (room) await room;
        const ownRoom = deps.usage.users.assertRoom(call, more);
        if (ownRoom) await ownRoom;
        // Concurrent creates are counted together.
        const held = deps.usage.hold(call, more);
        try {
          const isDone = await deps.insert({ ...write, key, createdBy, now });
          return isDone ? { outcome: 'written', result: bytes } : { outcome: 'outdated' };
        } finally {
          held();
        }
      });
      deps.usage.add(call.app.appId, { records: 1, recordBytes: bytes });
      deps.usage.users.add(call.app.appId, createdBy, { records: 1, recordBytes: bytes });
      return created({ objectId, now: call.now });
    },
  });
}
