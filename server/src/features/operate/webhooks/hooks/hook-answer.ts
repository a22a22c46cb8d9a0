import { isObject } from '@pharos/query';
import { Type } from 'typebox';
import { exampleId, exampleUpdated, pointerExample, pointerSchema, timestampSchema } from '../../../../http/answers.ts';
import { parseJsonBody } from '../../../../http/server/json-body.ts';
import type { Asker, HookRecord, Proposal } from '../../../record-hooks.ts';

/** What a webhook is sent before a record changes, and what it answers. */

export interface HookAnswer {
  readonly allow: boolean;
  /** What the client is told when the change is refused. */
  readonly message?: string;
  /** A JSON Merge Patch (RFC 7396) of the document. */
  readonly metadata?: object;
}

const maxMessageLength = 500;

/** Undefined for what is no answer: anything but the members that have a meaning, as they should be. */
export function readHookAnswer(text: string, isDeletion: boolean): HookAnswer | undefined {
  let answer: unknown;
  try {
    answer = parseJsonBody(Buffer.from(text));
  } catch {
    return undefined;
  }
  if (!isObject(answer)) return undefined;
  const { allow, message, metadata, ...others } = answer;
  if (Object.keys(others).length > 0) return undefined;
  if (allow === true && message === undefined) {
    if (metadata === undefined) return { allow };
    return isObject(metadata) && !isDeletion ? { allow, metadata } : undefined;
  }
  if (allow !== false || metadata !== undefined) return undefined;
  if (message === undefined) return { allow };
  return typeof message === 'string'
    ? { allow, message: message.slice(0, maxMessageLength).toWellFormed() }
    : undefined;
}

const shown = ({ objectId, document, createdBy, createdAt, updatedAt }: HookRecord) => ({
  objectId,
  metadata: document(),
  createdBy: createdBy === null ? null : { __type: 'Pointer', className: '_User', objectId: createdBy },
  createdAt: new Date(createdAt).toISOString(),
  updatedAt: new Date(updatedAt).toISOString(),
});

/** The `data` of a call. */
export const hookData = (bucket: string, { before, after, by }: Proposal) => ({
  bucket,
  ...(after ? { record: shown(after) } : {}),
  ...(before ? { before: shown(before) } : {}),
  by,
});

const askers = ['user', 'secretKey', 'administrator', 'app'] as const satisfies readonly Asker['kind'][];

const recordSchema = Type.Object({
  objectId: Type.String(),
  metadata: Type.Object({}),
  createdBy: Type.Union([pointerSchema('_User'), Type.Null()]),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const hookDataSchema = Type.Object({
  bucket: Type.String(),
  record: Type.Optional(
    Type.Object(recordSchema.properties, { description: 'As it would be; absent if it is to be deleted' }),
  ),
  before: Type.Optional(Type.Object(recordSchema.properties, { description: 'As it is; absent if it is to be made' })),
  by: Type.Object(
    { kind: Type.Enum([...askers]), objectId: Type.Optional(Type.String()), name: Type.Optional(Type.String()) },
    { description: 'Who makes the change; app: nobody is signed in' },
  ),
});

const exampleRecord = {
  objectId: exampleId,
  metadata: { species: 'Kestrel', count: 2 },
  createdBy: pointerExample('_User', exampleId),
  createdAt: exampleUpdated,
  updatedAt: exampleUpdated,
};
export const hookDataExample = {
  bucket: 'birds',
  record: exampleRecord,
  by: { kind: 'user', objectId: exampleId },
};

export const hookAnswerSchema = Type.Object({
  allow: Type.Boolean(),
  message: Type.Optional(
    Type.String({ maxLength: maxMessageLength, description: 'With `allow: false`: what the client is told' }),
  ),
  metadata: Type.Optional(
    Type.Object({}, { description: 'With `allow: true`: a JSON Merge Patch (RFC 7396) of the document' }),
  ),
});
export const hookAnswerExample = { allow: true, metadata: { checked: true } };
