import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import Sqlite from 'better-sqlite3';
import { isBcrypt } from '../../../base/foreign-passwords.ts';
import { type Document, type Item, namesIn, pointerTo, type Source, timeOf, withoutMembers } from './item.ts';

interface Field {
  readonly name: string;
  readonly type: string;
  /** Of a relation, in the versions that have `fields` and in those that have `schema`. */
  readonly collectionId?: string;
  readonly maxSelect?: number;
  readonly options?: { readonly collectionId?: string; readonly maxSelect?: number };
}

interface Collection {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly fields: string;
}

const ofUser = new Set(
  ['id', 'email', 'verified', 'name', 'created', 'updated', 'password', 'passwordHash', 'tokenKey', 'username'].concat([
    'emailVisibility',
    'lastResetSentAt',
    'lastVerificationSentAt',
    'lastLoginAlertSentAt',
    'collectionId',
  ]),
);
const ofRecord = new Set(['id', 'created', 'updated']);

/**
 * `pb_data/data.db` of PocketBase (https://pocketbase.io/docs/collections/), which has the hashes of passwords: users from
 * collections of the kind `auth`, a bucket for each other one. Files stay where they are; their names are kept.
 */
export const pocketBase =
  (file: string): Source =>
  () =>
    itemsOf(file);

async function* itemsOf(file: string): AsyncGenerator<Item> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  const db = new Sqlite(file, { readonly: true });
  try {
    const columns = db.prepare('select name from pragma_table_info(?)').pluck().all('_collections') as string[];
    const fields = ['fields', 'schema'].find((name) => columns.includes(name));
    if (fields === undefined) throw new Error('it has no collections.');
    const collections = db
      .prepare(
        `select id, name, type, ${fields} as fields from _collections where name not like '\\_%' escape '\\' order by name`,
      )
      .all() as Collection[];
    for (const collection of collections)
      if (collection.type !== 'view') yield* rowsOf(db, { file, collection, collections });
  } catch (cause) {
    // Of this database, and not of the service's.
    throw new Error(`${file} is no database of PocketBase, or damaged: ${String((cause as Error).message)}`, { cause });
  } finally {
    db.close();
  }
}

interface Place {
  readonly file: string;
  readonly collection: Collection;
  readonly collections: readonly Collection[];
}

function* rowsOf(db: Sqlite.Database, { file, collection, collections }: Place): Generator<Item> {
  const fields = JSON.parse(collection.fields) as readonly Field[];
  const fileTime = Math.floor(statSync(file).mtimeMs);
  const name = collection.name.replaceAll('"', '""');
  for (const row of db.prepare(`select * from "${name}" order by id`).iterate() as Iterable<Document>) {
    const id = String(row['id']);
    const createdAt = timeOf(row['created'], fileTime);
    const found = {
      at: `${basename(file)}:${collection.name}/${id}`,
      of: collection.name,
      id,
      createdAt,
      updatedAt: Math.max(createdAt, timeOf(row['updated'], createdAt)),
    };
    const plain = (left: ReadonlySet<string>) => withoutMembers(valuesOf(row, fields, collections), left);
    if (collection.type !== 'auth') {
      yield { kind: 'record', ...found, bucket: collection.name, document: plain(ofRecord) };
      continue;
    }
    const hash = String(row['password'] ?? row['passwordHash'] ?? '');
    yield {
      kind: 'user',
      ...found,
      email: String(row['email'] ?? ''),
      isVerified: row['verified'] === 1,
      isDisabled: false,
      ...namesIn(row['name']),
      passwordHash: isBcrypt(hash) ? hash : undefined,
      metadata: plain(ofUser),
    };
  }
}

function valuesOf(row: Document, fields: readonly Field[], collections: readonly Collection[]): Document {
  const kinds = new Map(fields.map((field) => [field.name, field]));
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, plainValue(value, kinds.get(name), collections)]),
  );
}

function plainValue(value: unknown, field: Field | undefined, collections: readonly Collection[]): unknown {
  if (value === '' || field === undefined) return value === '' ? null : value;
  if (field.type === 'bool') return value === 1;
  const max = field.maxSelect ?? field.options?.maxSelect ?? 1;
  const isList = max !== 1 && ['select', 'file', 'relation'].includes(field.type);
  const parsed = field.type === 'json' || isList ? parse(value) : value;
  if (field.type !== 'relation') return parsed;
  const id = field.collectionId ?? field.options?.collectionId;
  const to = collections.find((collection) => collection.id === id)?.name ?? '';
  return Array.isArray(parsed) ? parsed.map((one) => pointerTo(to, String(one))) : pointerTo(to, String(parsed));
}

function parse(value: unknown): unknown {
  try {
    return JSON.parse(String(value));
  } catch {
    return value;
  }
}
