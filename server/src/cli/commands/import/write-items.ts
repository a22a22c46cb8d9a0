import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@pharos/query';
import Sqlite from 'better-sqlite3';
import { commandLine } from '../../../access/audit.ts';
import { fail, failureOf } from '../../../base/errors.ts';
import { firstIdAt } from '../../../base/id.ts';
import { UniqueViolation } from '../../../db/db.ts';
import { CacheVersion } from '../../../db/nodes/cache-version.ts';
import { type Bucket, BucketDirectory } from '../../../features/data/buckets/definition/directory.ts';
import { insertRecord } from '../../../features/data/buckets/definition/record-store.ts';
import { assertBucketName } from '../../../features/data/buckets/definition/schemas.ts';
import { recordTable } from '../../../features/data/buckets/definition/tables.ts';
import { prepare, writeRecord } from '../../../features/data/buckets/records/record-writing.ts';
import { findImported as findUser, insertImported } from '../../../features/people/users/accounts/imported.ts';
import { findImported as findBeacon, insertBeacon } from '../../../features/places/beacons/imported.ts';
import type { Services } from '../../../features/services.ts';
import { assertStorable } from '../../../http/server/json-body.ts';
import { forgetCounts } from '../../../limits/usage.ts';
import { type Change, differingMembers } from './changes.ts';
import type { BeaconItem, Document, Item, RecordItem, Source, UserItem } from './item.ts';

type Taken = UserItem | RecordItem | BeaconItem;
type State = 'new' | 'same' | 'differs';

export interface Result {
  /** How many of each kind were new, were here already, and were here and differ from what the source has. */
  readonly counts: Readonly<Record<Taken['kind'], Record<State, number>>>;
  readonly refused: number;
  /** The first few: where, and why. */
  readonly problems: readonly string[];
  /** The first few that are new, or here and differ. */
  readonly changes: readonly Change[];
}

const maxProblems = 1_000;
const maxChanges = 1_000;
/** Written at the same time; an embedded database stores them together. */
const atOnce = 50;

/**
 * The objectId here of something there: the same each time, so that a second import finds what the first has made. Like every
 * other one it begins with the time.
 */
function idOf(appId: string, { of, id, createdAt, isUndated }: Taken): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([appId, of, id]))
    .digest();
  let [rest, tail] = [digest.readBigUInt64BE(0) * 65_536n + BigInt(digest.readUInt16BE(8)), ''];
  for (; tail.length < 12; rest /= 62n) tail = alphabet[Number(rest % 62n)] + tail;
  return firstIdAt(isUndated ? 0 : createdAt) + tail;
}
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

interface Known {
  readonly isUser: number;
  readonly objectId: string;
  readonly at: string;
}

/** What the other system's ids are here, on disk: there may be millions. */
class Ids {
  readonly #db: Sqlite.Database;
  readonly #insert: Sqlite.Statement;
  readonly #find: Sqlite.Statement;

  constructor(file: string) {
    this.#db = new Sqlite(file);
    this.#db.exec('pragma journal_mode = off; pragma synchronous = off; begin');
    this.#db.exec(
      'create table ids (class text, id text, is_user integer, object_id text, at text, primary key (class, id)) without rowid',
    );
    this.#insert = this.#db.prepare('insert or ignore into ids values (?, ?, ?, ?, ?)');
    this.#find = this.#db.prepare(
      'select is_user as isUser, object_id as objectId, at from ids where class = ? and id = ?',
    );
  }

  /** Of several with one id in a class it is the first that counts. */
  add({ of, id, kind, at }: Taken, objectId: string): void {
    this.#insert.run(of, id, kind === 'user' ? 1 : 0, objectId, at);
  }

  find(className: unknown, id: unknown): Known | undefined {
    return this.#find.get(String(className), String(id)) as Known | undefined;
  }

  close(): void {
    this.#db.close();
  }
}

/** References to what comes along name it by its id here; others stay as they are. */
function resolved(value: unknown, ids: Ids): unknown {
  if (Array.isArray(value)) return value.map((one) => resolved(one, ids));
  if (!isObject(value)) return value;
  const found = value['__type'] === 'Pointer' ? ids.find(value['className'], value['objectId']) : undefined;
  if (found) return { ...value, ...(found.isUser ? { className: '_User' } : {}), objectId: found.objectId };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, ids)]));
}

export interface Importing {
  readonly services: Services;
  readonly appId: string;
  readonly source: Source;
  readonly isDryRun: boolean;
}

/** Adds what is not here yet. What is here stays as it is, so a second time, or one that goes on, changes nothing twice. */
export async function importItems(importing: Importing): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-import-'));
  const ids = new Ids(join(folder, 'ids.db'));
  try {
    for await (const item of importing.source())
      if (item.kind !== 'refused' && item.id !== '') ids.add(item, idOf(importing.appId, item));
    return await new Import(importing, ids).run();
  } finally {
    ids.close();
    await rm(folder, { recursive: true, force: true });
  }
}

class Import {
  readonly #of: Importing;
  readonly #ids: Ids;
  readonly #directory: BucketDirectory;
  readonly #buckets = new Map<string, Promise<Bucket | undefined>>();
  readonly #counts: Record<Taken['kind'], Record<State, number>> = {
    user: { new: 0, same: 0, differs: 0 },
    record: { new: 0, same: 0, differs: 0 },
    beacon: { new: 0, same: 0, differs: 0 },
  };
  readonly #problems: string[] = [];
  readonly #changes: Change[] = [];
  #refused = 0;

  constructor(of: Importing, ids: Ids) {
    this.#of = of;
    this.#ids = ids;
    this.#directory = new BucketDirectory(of.services.db, of.services.cacheVersion);
  }

  async run(): Promise<Result> {
    const { services, appId, source, isDryRun } = this.#of;
    const waiting = new Map<unknown, Promise<void>>();
    const settle = async () => {
      await Promise.all(waiting.values());
      waiting.clear();
    };
    for await (const item of source()) {
      // Of two accounts with one address it is the first that stays.
      const key = item.kind === 'user' ? item.email.toLowerCase() : item;
      if (waiting.has(key)) await settle();
      const taken = this.#take(item);
      // Reported below; until then it would end the process.
      taken.catch(() => undefined);
      waiting.set(key, taken);
      if (waiting.size < atOnce) continue;
      await settle();
      await services.db.caughtUp();
    }
    await settle();
    if (!isDryRun) await forgetCounts(services.db, appId);
    return { counts: this.#counts, refused: this.#refused, problems: this.#problems, changes: this.#changes };
  }

  async #take(item: Item): Promise<void> {
    try {
      if (item.kind === 'refused') throw fail('ValidationError', item.problem);
      if (item.id === '') throw fail('ValidationError', 'it has no id');
      assertStorable(item);
      this.#counts[item.kind][await this.#write(item)]++;
    } catch (error) {
      const isTwice = error instanceof UniqueViolation;
      const failure = isTwice ? fail('DuplicateValue', 'another one there has the same id') : failureOf(error);
      // What does not concern this one alone ends the import, which can be begun again.
      if (!failure || failure.entry.status >= 500) throw error;
      this.#refused++;
      if (this.#problems.length < maxProblems) this.#problems.push(`${item.at}: ${failure.message}`);
    }
  }

  async #write(item: Taken): Promise<State> {
    // What has come to the file since the ids were read has none there.
    const known = this.#ids.find(item.of, item.id);
    if (known && known.at !== item.at) throw fail('DuplicateValue', `the same id as ${known.at}`);
    const objectId = known?.objectId ?? idOf(this.#of.appId, item);
    if (item.kind === 'user') return this.#writeUser(item, objectId);
    if (item.kind === 'record') return this.#writeRecord(item, objectId);
    return this.#writeBeacon(item, objectId);
  }

  /** What becomes of it. `here` are the members to compare, of what is here already. */
  #note({ at, kind, id }: Taken, there: Document, here: Document | undefined): State {
    const members = here ? differingMembers(here, there) : Object.keys(there);
    const state = here === undefined ? 'new' : members.length > 0 ? 'differs' : 'same';
    if (state === 'same' || this.#changes.length >= maxChanges) return state;
    const only = (of: Document) => Object.fromEntries(members.map((name) => [name, of[name]]));
    this.#changes.push({ at, kind, id, state, members, ...(here ? { here: only(here), there: only(there) } : {}) });
    return state;
  }

  async #writeUser(whole: UserItem, userId: string): Promise<State> {
    const { services, appId, isDryRun } = this.#of;
    const { kind: _, of: __, at: ___, id: ____, ...item } = whole;
    const metadata = resolved(item.metadata, this.#ids) as object;
    const user = { ...item, appId, userId, metadata };
    const found = await findUser(services.db, user);
    if (!found && !isDryRun) await insertImported(services.db, user);
    const { email, firstname, lastname } = user;
    return this.#note(whole, { email: email.trim(), firstname, lastname, ...(found ? {} : metadata) }, found);
  }

  async #writeBeacon(item: BeaconItem, objectId: string): Promise<State> {
    const { services, appId, isDryRun } = this.#of;
    const { body, createdAt } = item;
    const site = new CacheVersion(services.db, 'site');
    const beacon = { appId, objectId, body, createdAt };
    const found = await findBeacon(services.db, beacon);
    if (!found && !isDryRun) await insertBeacon(services.db, beacon, (db) => site.note(db, appId));
    return this.#note(item, found ? { name: body['name'] } : body, found && { name: found.name });
  }

  async #writeRecord(item: RecordItem, objectId: string): Promise<State> {
    const { services, appId, isDryRun } = this.#of;
    const { bucket: name, document: given, createdAt, updatedAt } = item;
    const { db, buckets } = services;
    const document = resolved(given, this.#ids) as Document;
    const bucket = await this.#bucket(name);
    if (!bucket) return this.#note(item, document, undefined);
    const key = { appId, bucketId: bucket.bucketId, objectId };
    const found = await recordTable.find(db, { app_id: appId, bucket_id: bucket.bucketId, object_id: objectId });
    if (found) return this.#note(item, document, JSON.parse(String(found['doc'])) as Document);
    const reload = async () => {
      const known = await this.#directory.reload(appId, name);
      if (known) return known;
      throw fail('InvalidSchema', `There is no bucket ${name} any more.`);
    };
    const markInexact = (_: Bucket, slots: readonly string[]) => buckets.markInexact(appId, bucket.bucketId, slots);
    if (isDryRun) prepare(bucket, document);
    else
      await writeRecord({ bucket, markInexact, reload }, async (bucket) => {
        const prepared = prepare(bucket, document);
        if (prepared.outcome === 'misfits') return prepared;
        const isDone = await insertRecord(db, { ...prepared.write, key, createdBy: null, createdAt, now: updatedAt });
        return isDone ? { outcome: 'written', result: undefined } : { outcome: 'outdated' };
      });
    return this.#note(item, document, undefined);
  }

  /** Made if there is none; undefined in a dry run. */
  #bucket(name: string): Promise<Bucket | undefined> {
    const known = this.#buckets.get(name);
    if (known) return known;
    const { services, appId, isDryRun } = this.#of;
    const make = async () => {
      assertBucketName(name);
      const found = await this.#directory.reload(appId, name);
      if (found || isDryRun) return found;
      await services.buckets.createBucket(appId, name, commandLine);
      return this.#directory.reload(appId, name);
    };
    const made = make();
    this.#buckets.set(name, made);
    return made;
  }
}
