import { readFile, stat } from 'node:fs/promises';
import { isObject } from '@pharos/query';
import { type FirebaseParameters, firebaseHash } from '../../../base/foreign-passwords.ts';
import { exportedDocuments } from './firestore-export.ts';
import { type Document, type Item, namesIn, pointerTo, readItem, type Source, timeOf, withoutMembers } from './item.ts';
import { fileOf, type ReadObject } from './parse-server.ts';

const ofUser = new Set(
  ['localId', 'email', 'emailVerified', 'displayName', 'passwordHash', 'salt', 'createdAt', 'lastSignedInAt'].concat([
    'lastLoginAt',
    'disabled',
    'providerUserInfo',
    'passwordUpdatedAt',
    'validSince',
    'version',
  ]),
);

/**
 * The accounts of `firebase auth:export users.json` (https://firebase.google.com/docs/cli/auth). Without the parameters of
 * the project everybody needs a new password.
 */
export const firebaseUsers =
  (file: string, parameters: FirebaseParameters | undefined): Source =>
  () =>
    fileOf(file, ({ at, value, fileTime }) => {
      const { passwordHash, salt } = value as { readonly passwordHash?: string; readonly salt?: string };
      const createdAt = timeOf(value['createdAt'], fileTime);
      const hash =
        parameters && passwordHash ? firebaseHash(parameters, { passwordHash, salt: salt ?? '' }) : undefined;
      if (parameters && passwordHash && hash === undefined)
        return { kind: 'refused', at, problem: 'the password hash does not fit the parameters' };
      return {
        kind: 'user',
        at,
        of: 'users',
        id: String(value['localId'] ?? ''),
        createdAt,
        updatedAt: createdAt,
        email: String(value['email'] ?? ''),
        isVerified: value['emailVerified'] === true,
        isDisabled: value['disabled'] === true,
        ...namesIn(value['displayName']),
        passwordHash: hash,
        metadata: withoutMembers(value, ofUser),
      };
    });

/**
 * What the Firebase console shows as *Password hash parameters*, copied into a file.
 *
 * @throws Error that says what is missing
 */
export async function readParameters(file: string): Promise<FirebaseParameters> {
  const text = await readFile(file, 'utf8');
  const found = (name: string) => new RegExp(`${name}"?\\s*[:=]\\s*"?([A-Za-z0-9+/=_-]+)`).exec(text)?.[1];
  const [signerKey, saltSeparator] = [found('base64_signer_key'), found('base64_salt_separator')];
  const [rounds, memCost] = [Number(found('rounds')), Number(found('mem_cost'))];
  if (signerKey && saltSeparator && rounds > 0 && memCost > 0) return { signerKey, saltSeparator, rounds, memCost };
  throw new Error(`${file} must have base64_signer_key, base64_salt_separator, rounds and mem_cost.`);
}

/** `projects/p/databases/d/documents/halls/h1/rooms/r1`: an id is there once in its collection, below a document as a path only. */
function placeOf(name: unknown) {
  const parts = String(name ?? '').split('/');
  const path = parts.slice(5);
  const [collection = '', id = ''] = path.slice(-2);
  if (path.length <= 2) return { collection, id, above: {} };
  return { collection, id: path.join('/'), above: { parent: referenceTo(parts.slice(0, -2).join('/')) } };
}

function referenceTo(name: unknown): Document {
  const { collection, id } = placeOf(name);
  return pointerTo(collection, id);
}

/**
 * A typed value (https://firebase.google.com/docs/firestore/reference/rest/v1/Value) as JSON. References become pointers.
 */
function plainValue(value: unknown): unknown {
  if (!isObject(value)) return null;
  const [[type, content] = ['nullValue', null]] = Object.entries(value);
  if (type === 'nullValue') return null;
  if (type === 'integerValue') return Number(content);
  if (type === 'referenceValue') return referenceTo(content);
  if (type === 'geoPointValue') return { __type: 'GeoPoint', ...(content as object) };
  if (type === 'arrayValue') return ((content as { values?: unknown[] }).values ?? []).map(plainValue);
  if (type === 'mapValue') return fieldsOf((content as { fields?: Document }).fields);
  return content;
}

const fieldsOf = (fields: unknown): Document =>
  Object.fromEntries(Object.entries(isObject(fields) ? fields : {}).map(([name, value]) => [name, plainValue(value)]));

/**
 * Documents of Firestore, a bucket for each collection: a folder made by `gcloud firestore export`, or a file of what the REST
 * interface lists, `{"documents": [{"name", "fields", "createTime", …}]}`. What is below a document has that as `parent`.
 */
export const firestore = async (from: string): Promise<Source> =>
  (await stat(from)).isDirectory() ? () => exported(from) : () => fileOf(from, listed);

function listed({ at, value, fileTime }: Parameters<ReadObject>[0]): Item {
  const createdAt = timeOf(value['createTime'], fileTime);
  const updatedAt = Math.max(createdAt, timeOf(value['updateTime'], createdAt));
  return { at, createdAt, updatedAt, ...recordOf(value['name'], value['fields']) };
}

async function* exported(folder: string): AsyncGenerator<Item> {
  for await (const { at, fileTime, name, fields, problem } of exportedDocuments(folder))
    if (problem !== undefined) yield { kind: 'refused', at, problem };
    else
      yield readItem(at, () => ({
        ...{ at, isUndated: true, createdAt: fileTime, updatedAt: fileTime },
        ...recordOf(name, fields),
      }));
}

function recordOf(name: unknown, fields: unknown) {
  const { collection, id, above } = placeOf(name);
  const document = { ...above, ...fieldsOf(fields) };
  return { kind: 'record', of: collection, bucket: collection, id, document } as const;
}
