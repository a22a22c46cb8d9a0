import { readFile } from 'node:fs/promises';
import { isObject } from '@pharos/query';
import { type FirebaseParameters, firebaseHash } from '../../../base/foreign-passwords.ts';
import { type Document, namesIn, pointerTo, type Source, timeOf, withoutMembers } from './item.ts';
import { fileOf } from './parse-server.ts';

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

/** `projects/p/databases/(default)/documents/halls/h1` → `halls` and `h1`; of a collection in a document the last two. */
const placeOf = (name: unknown) =>
  String(name ?? '')
    .split('/')
    .slice(-2) as [collection: string, id: string];

/**
 * A typed value (https://firebase.google.com/docs/firestore/reference/rest/v1/Value) as JSON. References become pointers.
 */
function plainValue(value: unknown): unknown {
  if (!isObject(value)) return null;
  const [[type, content] = ['nullValue', null]] = Object.entries(value);
  if (type === 'nullValue') return null;
  if (type === 'integerValue') return Number(content);
  if (type === 'referenceValue') return pointerTo(...placeOf(content));
  if (type === 'geoPointValue') return { __type: 'GeoPoint', ...(content as object) };
  if (type === 'arrayValue') return ((content as { values?: unknown[] }).values ?? []).map(plainValue);
  if (type === 'mapValue') return fieldsOf((content as { fields?: Document }).fields);
  return content;
}

const fieldsOf = (fields: unknown): Document =>
  Object.fromEntries(Object.entries(isObject(fields) ? fields : {}).map(([name, value]) => [name, plainValue(value)]));

/**
 * Documents as the REST interface of Firestore lists them, `{"documents": [{"name", "fields", "createTime", …}]}`, a bucket
 * for each collection. The export of `gcloud firestore export` has a binary form that only Google's tools read.
 */
export const firestore =
  (file: string): Source =>
  () =>
    fileOf(file, ({ at, value, fileTime }) => {
      const [collection, id] = placeOf(value['name']);
      const createdAt = timeOf(value['createTime'], fileTime);
      return {
        kind: 'record',
        at,
        of: collection,
        bucket: collection,
        id: id ?? '',
        createdAt,
        updatedAt: Math.max(createdAt, timeOf(value['updateTime'], createdAt)),
        document: fieldsOf(value['fields']),
      };
    });
