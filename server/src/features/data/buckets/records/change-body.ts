import { isObject, readPointer } from '@pharos/query';
import { fail } from '../../../../base/errors.ts';
import type { Document } from './record-rules.ts';

/** What a body says of a record that is changed. */
export interface SentRecord {
  readonly whole: boolean;
  readonly members: Document;
  /** The new owner, if the body names one. */
  readonly createdBy?: string | null;
}

const generated = new Set(['objectId', 'createdAt', 'updatedAt']);

/**
 * The meaning of a body for the document: a lone `metadata` object replaces it, anything else replaces members of it.
 */
export function readChange(body: unknown): SentRecord {
  if (!isObject(body))
    throw fail('ValidationError', {
      message: 'The body must be a JSON object.',
      details: [{ field: '', problem: 'must be a JSON object' }],
    });
  const members = Object.fromEntries(Object.entries(body).filter(([name]) => !generated.has(name)));
  const { metadata, createdBy, ...others } = members;
  const isRecord = isObject(metadata) && Object.keys(others).length === 0;
  // A record as it was read, perhaps with another owner. In any other body createdBy is a member of the document.
  if (isRecord && createdBy === null) return { whole: true, members: metadata, createdBy };
  const owner = isRecord ? readPointer(createdBy) : undefined;
  if (isRecord && owner?.className === '_User') return { whole: true, members: metadata, createdBy: owner.objectId };
  return Object.keys(members).length === 1 && isObject(metadata)
    ? { whole: true, members: metadata }
    : { whole: false, members };
}

/** Members replace members; null removes one. */
export function replaceMembers(document: Document, members: Document): Document {
  const merged = new Map([...Object.entries(document), ...Object.entries(members)]);
  return Object.fromEntries([...merged].filter(([name, value]) => value !== null || !Object.hasOwn(members, name)));
}
