import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isObject } from '@pharos/query';
import { isBcrypt } from '../../../base/foreign-passwords.ts';
import { type Document, type Item, namesIn, pointerTo, readItem, type Source, timeOf, withoutMembers } from './item.ts';
import { jsonItems } from './json-items.ts';

export type ReadObject = (found: { readonly at: string; readonly value: Document; readonly fileTime: number }) => Item;

/** The files of a folder, each read by what `reader` answers for its name; others are left out. */
export async function* filesOf(folder: string, reader: (name: string) => ReadObject | undefined): AsyncGenerator<Item> {
  const names = (await readdir(folder)).filter((name) => /\.(json|ndjson|jsonl)$/i.test(name)).sort();
  const read = names.flatMap((name) => {
    const object = reader(name.replace(/\.\w+$/, ''));
    return object ? [{ name, object }] : [];
  });
  if (read.length === 0) throw new Error(`There is no file of this kind in ${folder}.`);
  for (const { name, object } of read) yield* fileOf(join(folder, name), object);
}

export async function* fileOf(path: string, read: ReadObject): AsyncGenerator<Item> {
  const fileTime = Math.floor((await stat(path)).mtimeMs);
  for await (const { line, value, problem } of jsonItems(path)) {
    const at = `${basename(path)}:${line}`;
    if (!value) yield { kind: 'refused', at, problem: problem ?? 'is not an object' };
    else
      yield undated(
        readItem(at, () => read({ at, value, fileTime })),
        fileTime,
      );
  }
}

/** A file that is copied has another time, and what is in it should not. */
const undated = (item: Item, fileTime: number): Item =>
  item.kind !== 'refused' && item.createdAt === fileTime ? { ...item, isUndated: true } : item;

const ofUser = new Set(
  [
    'objectId',
    '_id',
    'createdAt',
    'updatedAt',
    '_created_at',
    '_updated_at',
    'email',
    'emailVerified',
    'username',
  ].concat(
    [
      'firstname',
      'lastname',
      'firstName',
      'lastName',
      'name',
      'password',
      'bcryptPassword',
      'sessionToken',
      'authData',
    ],
    ['_hashed_password', '_password_history', '_email_verify_token', '_perishable_token', '_session_token', 'ACL'],
    ['_rperm', '_wperm', '_acl', '_auth_data_anonymous', '_failed_login_count', '_account_lockout_expires_at'],
  ),
);
const ofRecord = new Set([
  'objectId',
  '_id',
  'createdAt',
  'updatedAt',
  '_created_at',
  '_updated_at',
  'ACL',
  '_rperm',
  '_wperm',
  '_acl',
]);

/** `{"$date": …}` of mongoexport, `{"__type": "Date", "iso": …}` of the interface, or a text. */
function instantIn(value: unknown): unknown {
  if (!isObject(value)) return value;
  const date = value['$date'] ?? value['iso'];
  return isObject(date) ? date['$numberLong'] : date;
}

/**
 * Values as records here have them: dates as texts, numbers of MongoDB as numbers, and pointers, which MongoDB has as
 * `"_p_owner": "_User$Ab12"`, as pointers.
 */
function plain(document: Document): Document {
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => {
      const pointer = name.startsWith('_p_') && typeof value === 'string' ? value.split('$') : undefined;
      if (pointer) return [name.slice(3), pointerTo(pointer[0] ?? '', pointer[1] ?? '')];
      return [name, plainValue(value)];
    }),
  );
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isObject(value)) return value;
  const number = value['$numberLong'] ?? value['$numberInt'] ?? value['$numberDouble'];
  if (typeof number === 'string') return Number(number);
  if ('$date' in value || value['__type'] === 'Date') {
    const time = timeOf(instantIn(value), Number.NaN);
    return Number.isNaN(time) ? null : new Date(time).toISOString();
  }
  return value['__type'] === 'Pointer' ? value : plain(value);
}

/** A text, or `{"$oid": …}` of mongoexport. */
function idIn(value: Document): string {
  const id = value['objectId'] ?? value['_id'] ?? '';
  return String(isObject(id) ? (id['$oid'] ?? '') : id);
}

function stampsOf(value: Document, fileTime: number) {
  const createdAt = timeOf(instantIn(value['createdAt'] ?? value['_created_at']), fileTime);
  return {
    createdAt,
    updatedAt: Math.max(createdAt, timeOf(instantIn(value['updatedAt'] ?? value['_updated_at']), createdAt)),
  };
}

function readUser({ at, value, fileTime }: Parameters<ReadObject>[0]): Item {
  const email = [value['email'], value['username']].find((text) => String(text ?? '').includes('@'));
  const hash = String(value['_hashed_password'] ?? value['bcryptPassword'] ?? '');
  const named = namesIn(value['name']);
  return {
    kind: 'user',
    at,
    of: '_User',
    id: idIn(value),
    ...stampsOf(value, fileTime),
    email: String(email ?? ''),
    isVerified: value['emailVerified'] === true,
    isDisabled: false,
    firstname: String(value['firstName'] ?? value['firstname'] ?? named.firstname),
    lastname: String(value['lastName'] ?? value['lastname'] ?? named.lastname),
    passwordHash: isBcrypt(hash) ? hash : undefined,
    metadata: plain(withoutMembers(value, ofUser)),
  };
}

/** Classes that have no counterpart: the service has its own sessions and jobs, and phones register again. */
const leftOut = /^_(?!User$)/;

/**
 * A folder with a file per class, called after it: `_User.json` from `mongoexport`, which has the hashes of passwords
 * (https://docs.parseplatform.org/parse-server/guide/), or from the interface, without them.
 */
export const parseServer =
  (folder: string): Source =>
  () =>
    filesOf(folder, (className) => {
      if (leftOut.test(className)) return undefined;
      if (className === '_User') return readUser;
      return ({ at, value, fileTime }) => ({
        kind: 'record',
        at,
        of: className,
        bucket: className,
        id: idIn(value),
        ...stampsOf(value, fileTime),
        document: plain(withoutMembers(value, ofRecord)),
      });
    });
