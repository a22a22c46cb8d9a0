import { setTimeout as delay } from 'node:timers/promises';
import type { AppPolicy } from '../access/policy.ts';
import { Failure, fail } from '../base/errors.ts';
import { sql } from '../base/sql.ts';
import type { Database } from '../db/db.ts';
import { bytesText } from './bytes-text.ts';
import { added, negative, none, type Stored, sum, without } from './stored.ts';
import { type Storer, UserUsage, type UserUsageDeps } from './user-usage.ts';

export interface UsageDeps extends UserUsageDeps {
  readonly db: Database;
}

interface Known {
  /** The counts in the database. */
  stored: Stored;
  /** Changes of this process that are not in the database yet. */
  pending: Stored;
  /** Changes that are on their way to the database, and in `stored` only when it has answered. */
  writing: Stored;
  /** What is being stored right now. */
  held: Stored;
  isExact: boolean;
  /** This process read exact counts, so that it need not count. */
  readonly isFromDatabase: boolean;
  countedAt: number;
  /** The first count, where nothing was known before. */
  counting?: Promise<void>;
}

interface UsageRow {
  readonly files: number;
  readonly file_bytes: number;
  readonly records: number;
  readonly record_bytes: number;
  readonly is_exact: number;
  readonly counted_at: number;
}

const members = ['files', 'fileBytes', 'records', 'recordBytes'] as const;
const names = { files: 'files', fileBytes: 'of files', records: 'records', recordBytes: 'of records' };
/** How long after the first pending change all of them are written to the database. */
const writeAfterMs = 2_000;
const countEveryMs = 86_400_000;
/** How long the first request waits for a count after a crash or an update. */
const patienceMs = 1_000;
/** Records that one statement counts. */
const countStep = 20_000;
/** How often is counted at most before some changes may be counted twice. */
const maxCounts = 4;

/** @throws Failure OperationForbidden */
function assertWithin({ stored, pending, writing, held }: Known, quotas: AppPolicy['quotas'], more: Partial<Stored>) {
  for (const member of members) {
    const wanted = more[member] ?? 0;
    if (wanted <= 0) continue;
    // `total` of one member: each create passes here, and four sums would be objects of their own.
    const now = Math.max(0, stored[member] + pending[member] + writing[member]) + held[member];
    if (now + wanted > quotas[member]) throw fail('OperationForbidden', full(member, quotas));
  }
}

/** With the changes that the database does not have yet. */
function total({ stored, pending, writing }: Known): Stored {
  return sum(stored, added(pending, writing));
}

/**
 * Counts what apps store. To avoid a statement for each request, changes are added up in memory and written to the
 * database every few seconds. After a crash, and once a day, an app is counted again in the background. Each of several
 * nodes may exceed a quota by what it stores in those seconds.
 */
export class UsageMeter {
  /** What each user has stored of it. */
  readonly users: UserUsage;
  readonly #deps: UsageDeps;
  readonly #apps = new Map<string, Known>();
  readonly #loading = new Map<string, Promise<Known>>();
  readonly #dirty = new Set<string>();
  /** How many changes each app has had. */
  readonly #changes = new Map<string, number>();
  #writing: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: UsageDeps) {
    this.#deps = deps;
    this.users = new UserUsage(deps);
  }

  /**
   * Checks that more can be stored within the app's quotas. Returns a promise only until the app's counts are loaded.
   *
   * @throws Failure OperationForbidden
   */
  assertRoom(appId: string, { quotas }: Pick<AppPolicy, 'quotas'>, more: Partial<Stored>): Promise<void> | undefined {
    const known = this.#apps.get(appId);
    if (!known) return this.#load(appId).then((loaded) => assertWithin(loaded, quotas, more));
    assertWithin(known, quotas, more);
    return undefined;
  }

  /**
   * Reserves room for what is about to be stored, for the app and for the user, after `assertRoom` of both, so that concurrent writes are
   * counted together. Returns a function that releases it, to be called when it has been stored and added, or was not stored.
   *
   * @throws Failure OperationForbidden
   */
  hold(storer: Storer, more: Partial<Stored>): () => void {
    const known = this.#apps.get(storer.app.appId);
    if (known) assertWithin(known, storer.app.policy.quotas, more);
    const release = this.users.hold(storer, more);
    if (!known) return release;
    known.held = added(known.held, more);
    return () => {
      known.held = without(known.held, more);
      release();
    };
  }

  /** Records what was stored or, with negative numbers, deleted. */
  add(appId: string, change: Partial<Stored>): void {
    this.#changes.set(appId, this.#changesOf(appId) + 1);
    const known = this.#apps.get(appId);
    if (!known) {
      this.#deps.inBackground('counting what is stored', async () => {
        // Otherwise the app was counted just now, and the count includes this change.
        if ((await this.#load(appId)).isFromDatabase) this.add(appId, change);
      });
      return;
    }
    known.pending = added(known.pending, change);
    this.#dirty.add(appId);
    this.#timer ??= setTimeout(
      () => this.#deps.inBackground('noting what is stored', () => this.write()),
      writeAfterMs,
    );
    this.#timer.unref();
  }

  async of(appId: string): Promise<Stored> {
    const known = this.#apps.get(appId) ?? (await this.#load(appId));
    await known.counting;
    return total(known);
  }

  #changesOf(appId: string): number {
    return this.#changes.get(appId) ?? 0;
  }

  /** Adds pending changes to the database, and reads what other nodes have added; one call after the other. */
  write(how: { readonly isLast?: boolean } = {}): Promise<void> {
    const written = this.#writing.then(() => this.#write(how));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #write({ isLast = false }: { readonly isLast?: boolean }): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    let failure: unknown;
    for (const appId of dirty) {
      const known = this.#apps.get(appId);
      if (!known) continue;
      const { pending } = known;
      known.pending = none;
      known.writing = added(known.writing, pending);
      try {
        await this.#deps.db.run(sql`update usage set files = files + ${pending.files},
          file_bytes = file_bytes + ${pending.fileBytes}, records = records + ${pending.records},
          record_bytes = record_bytes + ${pending.recordBytes}, is_exact = ${isLast && known.isExact ? 1 : 0}
          where app_id = ${appId}`);
      } catch (error) {
        known.pending = added(known.pending, pending);
        this.#dirty.add(appId);
        // It may have been added after all: the next process counts.
        if (error instanceof Failure && error.isOutcomeUnknown) known.isExact = false;
        failure ??= error;
        continue;
      } finally {
        known.writing = added(known.writing, negative(pending));
      }
      known.stored = added(known.stored, pending);
      try {
        const row = await this.#read(appId);
        if (row) known.stored = storedOf(row);
      } catch (error) {
        failure ??= error;
      }
    }
    // Counts that lack pending changes must not be marked as exact in the database.
    if (failure) throw failure;
    if (isLast)
      for (const [appId, known] of this.#apps)
        if (known.isExact) await this.#deps.db.run(sql`update usage set is_exact = 1 where app_id = ${appId}`);
  }

  /** Counts again the apps whose last count is older than a day. */
  async sweep(): Promise<void> {
    const before = this.#deps.now() - countEveryMs;
    for (const [appId, known] of this.#apps) if (known.countedAt < before) await this.count(appId);
  }

  /** Counts the rows of an app, in steps, so that other requests are not delayed. */
  async count(appId: string): Promise<void> {
    await this.#count(appId, this.#apps.get(appId) ?? (await this.#load(appId)));
  }

  /**
   * What changes during a count may be in it or not, so it is repeated until nothing does. Where that would take long, such changes may be
   * counted twice, until the next count; that is better than missing them.
   */
  async #count(appId: string, known: Known): Promise<void> {
    const { db, now } = this.#deps;
    for (let tries = 1; ; tries++) {
      await this.write();
      const changes = this.#changesOf(appId);
      const stored = await this.#countRows(appId);
      await db.run(sql`update usage set files = ${stored.files}, file_bytes = ${stored.fileBytes},
        records = ${stored.records}, record_bytes = ${stored.recordBytes}, counted_at = ${now()} where app_id = ${appId}`);
      if (changes !== this.#changesOf(appId) && stored.records < countStep && tries < maxCounts) continue;
      Object.assign(known, { stored, isExact: true, countedAt: now() });
      return;
    }
  }

  async #countRows(appId: string): Promise<Stored> {
    const { db } = this.#deps;
    const slow = { tenant: appId };
    const [files] = await db.all<{ n: number; bytes: number }>(
      sql`select count(*) as n, coalesce(sum(size), 0) as bytes from
        (select size from files where app_id = ${appId}
          union all select stored_bytes as size from trash where app_id = ${appId} and stored_name is not null) as stored`,
      slow,
    );
    let [records, recordBytes] = [0, 0];
    for (const { object_id: bucketId } of await db.all<{ object_id: string }>(
      sql`select object_id from buckets where app_id = ${appId}
        union all select record_id as object_id from trash where app_id = ${appId} and kind = 'buckets'`,
    )) {
      for (let last = ''; ; ) {
        const [step] = await db.all<{ n: number; bytes: number; last: string | null }>(
          sql`select count(*) as n, coalesce(sum(octet_length(doc)), 0) as bytes, max(object_id) as last from
            (select object_id, doc from records where app_id = ${appId} and bucket_id = ${bucketId} and object_id > ${last}
            order by object_id limit ${countStep}) as step`,
          slow,
        );
        records += Number(step?.n ?? 0);
        recordBytes += Number(step?.bytes ?? 0);
        if (Number(step?.n ?? 0) < countStep) break;
        last = step?.last ?? '';
      }
    }
    return { files: Number(files?.n ?? 0), fileBytes: Number(files?.bytes ?? 0), records, recordBytes };
  }

  #load(appId: string): Promise<Known> {
    const loading =
      this.#loading.get(appId) ??
      this.#begin(appId).finally(() => {
        this.#loading.delete(appId);
      });
    this.#loading.set(appId, loading);
    return loading;
  }

  async #begin(appId: string): Promise<Known> {
    const { db, inBackground } = this.#deps;
    await db.run(sql`insert into usage (app_id) select app_id from apps where app_id = ${appId}
      on conflict (app_id) do nothing`);
    const row = await this.#read(appId);
    // The row is exact again after a clean shutdown; until then pending changes are missing from it.
    if (row?.is_exact) await db.run(sql`update usage set is_exact = 0 where app_id = ${appId}`);
    const known: Known = {
      stored: row ? storedOf(row) : none,
      pending: none,
      writing: none,
      held: none,
      isExact: row?.is_exact === 1,
      isFromDatabase: row?.is_exact === 1,
      countedAt: row?.counted_at ?? 0,
    };
    if (!known.isExact) {
      const counting = this.#count(appId, known);
      known.counting = counting.catch(() => undefined);
      inBackground('counting what an app stores', () => counting);
      // Most counts finish in this time; larger ones must not keep the client waiting.
      await Promise.race([counting.catch(() => undefined), delay(patienceMs, undefined, { ref: false })]);
    }
    this.#apps.set(appId, known);
    return known;
  }

  #read(appId: string): Promise<UsageRow | undefined> {
    return this.#deps.db.one<UsageRow>(sql`select * from usage where app_id = ${appId}`);
  }
}

function storedOf(row: UsageRow): Stored {
  return sum(none, {
    files: row.files,
    fileBytes: row.file_bytes,
    records: row.records,
    recordBytes: row.record_bytes,
  });
}

function full(member: keyof Stored, quotas: AppPolicy['quotas']): string {
  const amount = member.endsWith('Bytes') ? bytesText(quotas[member]) : quotas[member];
  return `This would exceed the app's quota of ${amount} ${names[member]}. Delete some, or ask an administrator to raise it. Files and buckets in the trash count until they are deleted for good.`;
}

/** After rows were written past a service: what it knows of them is counted again when it starts, and by a running one within a day. */
export const forgetCounts = (db: Database, appId: string): Promise<number> =>
  db.run(sql`update usage set is_exact = 0 where app_id = ${appId}`);
