import { secretHash } from '../access/access.ts';
import { fail, failureOf, invalid } from '../base/errors.ts';
import { newObjectId } from '../base/id.ts';
import { sql } from '../base/sql.ts';
import { type Database, UniqueViolation } from '../db/db.ts';
import type { RowOf } from '../db/table.ts';
import type { idempotencyKeys } from './tables.ts';

/** What a request creates: the same however often the request is sent. */
export interface Creation {
  readonly objectId: string;
  /** Epoch milliseconds at which the request came for the first time. */
  readonly now: number;
}

export interface RepeatableRequest {
  readonly appId: string;
  /** The id of the user or of the secret key; null for a caller with the app key alone. */
  readonly caller: string | null;
  /** Method and path. */
  readonly address: string;
  /** As the client sent it. */
  readonly key: string;
  readonly body: unknown;
  readonly now: number;
}

interface Claim extends Creation {
  readonly isDone: boolean;
  /** By this request the key was bound. */
  readonly isNew: boolean;
  readonly fingerprint: string;
  /** What was noted of the answer when it was done. */
  readonly noted: string | null;
}

interface Work<T> {
  /** Makes what the request asks for. */
  readonly create: (creation: Creation) => Promise<T>;
  /** The answer if that has been done. `noted` is null if the service ended before it could be noted. */
  readonly repeat: (creation: Creation, noted: string | null) => T | Promise<T>;
  /** What `repeat` needs to know of the answer and cannot derive. */
  readonly note?: (answer: T) => string;
}

/** Visible ASCII: a UUID, or a string in quotes as the draft of the header field has it. */
const keyForm = /^[\x21-\x7e]{1,255}$/;

/**
 * Carries out a request once, however often a client sends it with the same key: after a time-out, from two tabs, or after a
 * crash between the write and the answer (draft-ietf-httpapi-idempotency-key-header).
 *
 * Before anything is written the key is bound to the id and the time of what will be created. A request that comes again
 * creates the same row, and finds that it is there already; so no answer has to be stored, and no lock held.
 */
export class IdempotencyKeys {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @throws Failure ValidationError for a malformed key, DuplicateValue for a key that was used for another request */
  async once<T>(request: RepeatableRequest, { create, repeat, note }: Work<T>): Promise<T> {
    const claim = await this.#claim(request);
    if (claim.isDone) return repeat(claim, claim.noted);
    const answer = await create(claim).catch(async (error: unknown) => {
      if (error instanceof UniqueViolation) return repeat(claim, null);
      // Only by the request that has bound the key: another one with it may be under way, and succeed.
      if (claim.isNew && isRefusal(error)) await this.#release(request, claim);
      throw error;
    });
    // It is done, whatever happens to this: a repeated request would find the row.
    await this.#settle(request, claim, note?.(answer) ?? null).catch(() => undefined);
    return answer;
  }

  /** Whether it has been done: for a body that takes long to send. @throws Failure ValidationError for a malformed key */
  async isDone(request: Omit<RepeatableRequest, 'body' | 'now'>): Promise<boolean> {
    assertKey(request.key);
    const row = await this.#db.latest(sql`select 1 as is_there from idempotency_keys
      where app_id = ${request.appId} and key_hash = ${hashOf(request)} and is_done = 1`);
    return row !== undefined;
  }

  async #claim(request: RepeatableRequest): Promise<Claim> {
    const { appId, key, now } = request;
    assertKey(key);
    const [keyHash, fingerprint] = [hashOf(request), secretHash(JSON.stringify(request.body))];
    const objectId = newObjectId(now);
    const isNew =
      await this.#db.run(sql`insert into idempotency_keys (app_id, key_hash, fingerprint, object_id, created_at)
      values (${appId}, ${keyHash}, ${fingerprint}, ${objectId}, ${now}) on conflict (app_id, key_hash) do nothing`);
    if (isNew > 0) return { objectId, now, fingerprint, isDone: false, isNew: true, noted: null };
    const row = await this.#db.latest<KeyRow>(
      sql`select fingerprint, object_id, is_done, created_at, noted from idempotency_keys
        where app_id = ${appId} and key_hash = ${keyHash}`,
    );
    // Dropped just now: it is a day old.
    if (!row) return this.#claim(request);
    if (row.fingerprint !== fingerprint)
      throw fail('DuplicateValue', {
        message: 'This Idempotency-Key was sent with another body. Use a new key for a new request.',
        details: [{ field: 'Idempotency-Key', problem: 'was sent with another body' }],
      });
    const { object_id: boundId, created_at: boundAt, is_done: done, noted } = row;
    return { objectId: boundId, now: boundAt, fingerprint, isDone: done !== 0, isNew: false, noted };
  }

  /** Refused requests leave nothing, so that they do not fill the table. */
  async #release(request: RepeatableRequest, { objectId }: Creation): Promise<void> {
    await this.#db.run(sql`delete from idempotency_keys where app_id = ${request.appId}
      and key_hash = ${hashOf(request)} and object_id = ${objectId} and is_done = 0`);
  }

  /** From now on the answer does not depend on the record, which somebody may delete. */
  async #settle(request: RepeatableRequest, { objectId, now, fingerprint }: Claim, note: string | null): Promise<void> {
    const { appId } = request;
    const keyHash = hashOf(request);
    const changed = await this.#db.run(sql`update idempotency_keys set is_done = 1, noted = ${note}
      where app_id = ${appId} and key_hash = ${keyHash} and object_id = ${objectId}`);
    // The request that had bound the key was refused meanwhile, and has released it.
    if (changed === 0)
      await this.#db.run(sql`insert into idempotency_keys (app_id, key_hash, fingerprint, object_id, is_done, created_at, noted)
        values (${appId}, ${keyHash}, ${fingerprint}, ${objectId}, 1, ${now}, ${note}) on conflict (app_id, key_hash) do nothing`);
  }
}

type KeyRow = Omit<RowOf<typeof idempotencyKeys>, 'app_id' | 'key_hash'>;

function assertKey(key: string): void {
  if (keyForm.test(key)) return;
  throw invalid('Idempotency-Key', 'must be 1 to 255 visible ASCII characters, such as a UUID');
}

/** The service has looked at the request and done nothing. */
const isRefusal = (error: unknown) => (failureOf(error)?.entry.status ?? 500) < 500;

const hashOf = ({ caller, address, key }: Pick<RepeatableRequest, 'caller' | 'address' | 'key'>) =>
  secretHash(JSON.stringify([caller, address, key]));
