import { setImmediate as nextTick } from 'node:timers/promises';
import { type Field, readPath } from '@pharos/query';
import { BoundedMap } from '../../../../base/caches/bounded-map.ts';
import { lockBucket, updateSlots } from './bucket-store.ts';
import { type Bucket, readSlots } from './directory.ts';
import { type FillDeps, fillBucket } from './fill.ts';
import { countRecords, sampleDocuments } from './record-store.ts';
import { type LearnableMember, learnSlots, typeOfAll } from './slots.ts';

/** This many queries that read every document make a member worth an index; one or two do not. */
const queriesToLearn = 20;
/** Reading fewer documents than this costs no more than handing the query to a thread. */
const fewestRecords = 500;
const sampleSize = 40;
const maxNoted = 2_000;

export interface AskedPaths {
  readonly members: readonly string[];
  /** Members that are worth an index only if they hold lists: they are in an `$or`, which slots do not answer. */
  readonly lists?: readonly string[];
}

/** Starts learning members of a bucket in the background. */
export type AskToLearn = (appId: string, bucketId: string, asked: AskedPaths) => void;

/** Counts in this process how often lists had to read documents because of an undeclared member. */
export class AskedMembers {
  readonly #ask: AskToLearn;
  readonly #counts = new BoundedMap<string, { queries: number; due: number }>(maxNoted);

  constructor(ask: AskToLearn) {
    this.#ask = ask;
  }

  /** `fields` are those of one query, `alternatives` those in a `$or` of it. */
  note(bucket: Bucket, fields: readonly Field[], alternatives: readonly Field[] = []): void {
    const [members, lists] = [pathsOf(fields), pathsOf(alternatives)];
    const keys = [...members, ...lists.map((path) => `or ${path}`)];
    const due = keys.filter((path) => this.#isDue(`${bucket.bucketId} ${path}`));
    if (due.length === 0) return;
    // All fields of the query, so that two of them can share an index.
    this.#ask(bucket.appId, bucket.bucketId, lists.length > 0 ? { members, lists } : { members });
  }

  #isDue(key: string): boolean {
    const known = this.#counts.get(key) ?? { queries: 0, due: queriesToLearn };
    this.#counts.set(key, known);
    known.queries++;
    if (known.queries < known.due) return false;
    // What could not be learned, because values differ in type or all slots are taken, is tried again less and less
    // often.
    known.due *= 4;
    return true;
  }
}

function pathsOf(fields: readonly Field[]): readonly string[] {
  const paths = fields.flatMap((field) =>
    field.from === 'member' && field.declared === undefined && field.path.length > 0 ? field.path.join('.') : [],
  );
  return [...new Set(paths)];
}

interface Asked extends AskedPaths {
  readonly bucketId: string;
}

/** Gives slots to members whose values all have one type, and copies the existing values. May be repeated. */
export async function learnMembers(
  deps: FillDeps,
  appId: string,
  { bucketId, members, lists = [] }: Asked,
): Promise<void> {
  const { db, cacheVersion, now } = deps;
  if ((await countRecords(db, { appId, bucketId, limit: fewestRecords })) < fewestRecords) return;
  const sample = await sampleDocuments(db, { appId, bucketId, limit: sampleSize });
  const documents: unknown[] = [];
  for (const { doc } of sample) {
    documents.push(JSON.parse(doc));
    // Documents may be large, so other requests are served in between.
    await nextTick();
  }
  const found = [...members, ...lists].flatMap((path): LearnableMember[] => {
    const type = typeOfAll(documents.map((document) => readPath(document, path.split('.'))));
    return type && (type === 'List' || members.includes(path)) ? [{ path, type }] : [];
  });
  const isToFill = await cacheVersion.change(appId, async (db) => {
    const bucket = await lockBucket(db, appId, bucketId);
    if (!bucket) return false;
    const current = readSlots(bucket);
    const slots = learnSlots(current, found, members);
    if (slots.length > current.length) await updateSlots(db, bucket, JSON.stringify(slots), now());
    return slots.some(({ state }) => state !== 'ready');
  });
  if (isToFill) await fillBucket(deps, appId, bucketId);
}
