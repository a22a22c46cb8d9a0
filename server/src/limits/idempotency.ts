import { secretHash } from '../access/access.ts';
import { Failure, fail } from '../base/errors.ts';
import { newObjectId } from '../base/id.ts';
import { sql } from '../base/sql.ts';
import { type Database, UniqueViolation } from '../db/db.ts';

/** What a request creates: the same however often the request is sent. */
export interface Creation {
  readonly objectId: string;
  /** Epoch milliseconds at which the request came for the first time. */
  readonly now: number;
}

/** A request with an `Idempotency-Key`. */
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

  /**
   * `create` makes what the request asks for, and `repeat` is the answer if that has been done.
   *
   * @throws Failure ValidationError for a malformed key, DuplicateValue for a key that was used for another request
   */
  async once<T>(
    request: RepeatableRequest,
    { create, repeat }: { create(creation: Creation): Promise<T>; repeat(creation: Creation): T },
  ): Promise<T> {
    const claim = await this.#claim(request);
    const creation: Creation = { objectId: claim.objectId, now: claim.now };
    if (claim.isDone) return repeat(creation);
    const answer = await create(creation).catch(async (error: unknown) => {
      if (error instanceof UniqueViolation) return repeat(creation);
      // Only by the request that has bound the key: another one with it may be under way, and succeed.
      if (claim.isNew && isRefusal(error)) await this.#release(request, claim);
      throw error;
    });
    // It is done, whatever happens to this: a repeated request would find the row.
    await this.#settle(request, claim).catch(() => undefined);
    return answer;
  }

  async #claim(request: RepeatableRequest): Promise<Claim> {
    const { appId, key, now } = request;
    if (!keyForm.test(key)) {
      const problem = 'must be 1 to 255 visible ASCII characters, such as a UUID';
      throw fail('ValidationError', {
        message: `Idempotency-Key ${problem}.`,
        details: [{ field: 'Idempotency-Key', problem }],
      });
    }
    const [keyHash, fingerprint, objectId] = [
      hashOf(request),
      secretHash(JSON.stringify(request.body)),
      newObjectId(now),
    ];
    const isNew =
      await this.#db.run(sql`insert into idempotency_keys (app_id, key_hash, fingerprint, object_id, created_at)
      values (${appId}, ${keyHash}, ${fingerprint}, ${objectId}, ${now}) on conflict (app_id, key_hash) do nothing`);
    if (isNew > 0) return { objectId, now, fingerprint, isDone: false, isNew: true };
    const row = await this.#db.latest<{ fingerprint: string; object_id: string; is_done: number; created_at: number }>(
      sql`select fingerprint, object_id, is_done, created_at from idempotency_keys
        where app_id = ${appId} and key_hash = ${keyHash}`,
    );
    // Dropped just now: it is a day old.
    if (!row) return this.#claim(request);
    if (row.fingerprint !== fingerprint)
      throw fail('DuplicateValue', {
        message: 'This Idempotency-Key was sent with another body. Use a new key for a new request.',
        details: [{ field: 'Idempotency-Key', problem: 'was sent with another body' }],
      });
    return { objectId: row.object_id, now: row.created_at, fingerprint, isDone: row.is_done !== 0, isNew: false };
  }

  /** Refused requests leave nothing, so that they do not fill the table. */
  async #release(request: RepeatableRequest, { objectId }: Creation): Promise<void> {
    await this.#db.run(sql`delete from idempotency_keys where app_id = ${request.appId}
      and key_hash = ${hashOf(request)} and object_id = ${objectId} and is_done = 0`);
  }

  /** From now on the answer does not depend on the record, which somebody may delete. */
  async #settle(request: RepeatableRequest, { objectId, now, fingerprint }: Claim): Promise<void> {
    const { appId } = request;
    const keyHash = hashOf(request);
    const noted = await this.#db.run(sql`update idempotency_keys set is_done = 1
      where app_id = ${appId} and key_hash = ${keyHash} and object_id = ${objectId}`);
    // The request that had bound the key was refused meanwhile, and has released it.
    if (noted === 0)
      await this.#db.run(sql`insert into idempotency_keys (app_id, key_hash, fingerprint, object_id, is_done, created_at)
        values (${appId}, ${keyHash}, ${fingerprint}, ${objectId}, 1, ${now}) on conflict (app_id, key_hash) do nothing`);
  }
}

interface Claim extends Creation {
  readonly isDone: boolean;
  /** By this request the key was bound. */
  readonly isNew: boolean;
  readonly fingerprint: string;
}

/** The service has looked at the request and done nothing. */
const isRefusal = (error: unknown) => error instanceof Failure && error.entry.status < 500;

const hashOf = ({ caller, address, key }: RepeatableRequest) => secretHash(JSON.stringify([caller, address, key]));
