import { setTimeout as delay } from 'node:timers/promises';
import { newObjectId } from '../../../base/id.ts';
import { joinSql, raw, type Sql, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { Job, JobHandler, NewJob } from '../../../jobs/job.ts';
import { findPayload } from '../../../jobs/store.ts';
import type { Context } from '../../context.ts';
import { type ErasureStep, eraseMentions, inOrder, inSteps, isInOrder } from './erase-rows.ts';
import type { Entry, ErasureKind } from './ledger.ts';
import { type Person, type PersonPart, scopeOf } from './person.ts';
import type { KeptBackup, WebhookRecipient } from './receipt.ts';
import * as store from './store.ts';

/**
 * Erasing a person. What would let anything new be recorded of her goes at once, in the transaction of the request; the rest goes
 * in steps, in the background. Each step counts in the receipt what it has erased, in one transaction, so that an interruption
 * loses and repeats nothing.
 */

export const eraseJob = 'person.erase';

/** Other nodes know within a second that the sessions of a user have ended; what they have accepted until then is erased, too. */
const settleMs = 1_500;

interface Erasure {
  readonly erasureId: string;
  readonly userId?: string;
  /** What a manager has made is the house's. */
  readonly isManager: boolean;
  readonly installationIds: readonly string[];
  /** What is recorded later (ms) belongs to somebody else, or to a new beginning. */
  readonly until: number;
}

export interface ErasureStart {
  readonly parts: readonly PersonPart[];
  readonly enqueue: (db: Db, job: NewJob) => Promise<void>;
  readonly now: () => number;
  /** Locks an installation until the end of the transaction: what is being recorded of it right now finishes first. */
  readonly lockInstallation: (db: Db, appId: string, installationId: string) => Promise<unknown>;
}

export interface ErasureRequest extends Person {
  readonly kind: ErasureKind;
  readonly isManager?: boolean;
  readonly askedBy: store.AskedBy;
}

/** Begins an erasure in the transaction that `db` is. Answers the id of its receipt. */
export async function beginErasure(db: Db, asked: ErasureRequest, deps: ErasureStart): Promise<string> {
  const { appId, userId, installationIds, isManager = false, askedBy, kind } = asked;
  const now = deps.now();
  const erasureId = newObjectId(now);
  await store.insertErasure(db, { appId, userId, installationIds, erasureId, kind, askedBy, now });
  const key = { appId, erasureId };
  for (const id of installationIds) await deps.lockInstallation(db, appId, id);
  for (const part of deps.parts) {
    if (!goesAtOnce(part, kind)) continue;
    const count = await db.run(sql`delete from ${raw(part.table.name)} where ${scopeOf(part, asked)}`);
    if (count > 0) await store.addCount(db, key, part.table.name, count);
  }
  const payload: Erasure = {
    erasureId,
    ...(userId === undefined ? {} : { userId }),
    isManager,
    installationIds,
    until: now,
  };
  await deps.enqueue(db, { appId, jobId: erasureId, kind: eraseJob, payload });
  return erasureId;
}

/** The present state, which sightings would go on with; and an account with all that opens it and with its phones, which register anew. */
const goesAtOnce = (part: PersonPart, kind: ErasureKind): boolean =>
  (part.how === 'trace' && part.at === undefined) ||
  (part.how === 'named' && part.fate === 'delete') ||
  (part.how === 'phone' && kind === 'user');

export interface ErasureDeps extends Pick<Context, 'db' | 'now'> {
  readonly parts: readonly PersonPart[];
  /** What webhooks have sent about somebody, among deliveries that are still known. */
  readonly sentTo: (db: Db, appId: string, scope: Sql) => Promise<readonly WebhookRecipient[]>;
  /** Removes files of a user with their bytes; `count` is called in the transaction that removes some. */
  readonly eraseFiles: (
    appId: string,
    userId: string,
    count: (db: Db, files: number) => Promise<void>,
  ) => Promise<void>;
  /** Erases files in the trash. */
  readonly eraseDeletedFiles: ErasureDeps['eraseFiles'];
  /** Notes the erasure beside the database, for whoever restores an older backup. */
  readonly noteErasure: (entry: Entry) => Promise<void>;
  readonly listBackups: () => Promise<readonly KeptBackup[]>;
}

export function erasureJobHandlers(erasing: ErasureDeps): Record<typeof eraseJob, JobHandler> {
  return {
    [eraseJob]: {
      concurrency: 2,
      perApp: 1,
      maxAttempts: Number.MAX_SAFE_INTEGER,
      baseDelayMs: 1_000,
      maxDelayMs: 300_000,
      run: (job) => erase(erasing, job),
    },
  };
}

/**
 * Does an erasure that was begun now, whether or not a service runs, and answers its receipt.
 *
 * @throws Error when it is unknown
 */
export async function finishErasure(erasing: ErasureDeps, key: store.ErasureKey): Promise<store.ErasureRow> {
  const { db } = erasing;
  const payload = await findPayload(db, key.appId, key.erasureId);
  if (payload !== undefined) await erase(erasing, { appId: key.appId, payload });
  const receipt = await store.findErasure(db, key);
  if (!receipt) throw new Error(`There is no erasure ${key.erasureId}.`);
  return receipt;
}

/** Idempotent, also while another process carries out the same erasure. */
async function erase(erasing: ErasureDeps, { appId, payload }: Pick<Job, 'appId' | 'payload'>): Promise<void> {
  const { db, parts, now } = erasing;
  const erasure = payload as Erasure;
  const { erasureId, userId, installationIds } = erasure;
  const key = { appId, erasureId };
  const receipt = await store.findErasure(db, key);
  // The app was deleted, or another process has done it.
  if (!receipt || receipt.completed_at !== null) return;
  const waitMs = Math.min(settleMs, receipt.requested_at + settleMs - now());
  if (userId !== undefined && !db.readsAreLocal && waitMs > 0) await delay(waitMs);
  const person: Person = { appId, userId, installationIds };
  const kind = receipt.kind as ErasureKind;
  const subjects = JSON.parse(receipt.hashes) as string[];
  await erasing.noteErasure({ appId, erasureId, kind, subjects, requestedAt: receipt.requested_at });
  const webhooks = parts.find(({ how, table }) => how === 'mentioned' && table.name === 'webhook_deliveries');
  if (receipt.webhooks === null && webhooks)
    await store.noteWebhooks(db, key, await erasing.sentTo(db, appId, scopeOf(webhooks, person)));
  for (const part of parts) await erasePart(erasing, { part, person, erasure, key });
  await db.forgetDeleted();
  await store.complete(db, key, await erasing.listBackups(), now());
}

interface Step extends ErasureStep {
  readonly erasure: Erasure;
}

async function erasePart(erasing: ErasureDeps, step: Step): Promise<void> {
  const { part, person, erasure } = step;
  const { table } = part;
  const scope = scopeOf(part, person);
  switch (part.how) {
    case 'phone':
      return;
    case 'trace': {
      // The present state went at once; what is there now is of a new beginning.
      const { at } = part;
      if (at === undefined) return;
      const until = sql`${raw(at)} <= ${erasure.until}`;
      if (person.installationIds.length === 0) return;
      if (!isInOrder(part)) return inSteps(erasing.db, step, { scope: sql`${scope} and ${until}` });
      for (const id of person.installationIds) {
        const ofOne = scopeOf(part, { ...person, installationIds: [id] });
        await inOrder(erasing.db, step, sql`${ofOne} and ${until}`);
      }
      return;
    }
    case 'named': {
      if (person.userId === undefined) return;
      const goes = part.fate === 'delete' || (part.fate === 'own' && !erasure.isManager);
      if (!goes) return inSteps(erasing.db, step, { scope, set: unnamed(part.columns, person.userId) });
      const count = (db: Db, files: number) => store.addCount(db, step.key, table.name, files);
      if (table.name === 'files') return erasing.eraseFiles(person.appId, person.userId, count);
      if (table.name === 'trash') {
        await erasing.eraseDeletedFiles(person.appId, person.userId, count);
        // One that was put back since her files went.
        await erasing.eraseFiles(person.appId, person.userId, count);
      }
      if (part.fate === 'delete') return inSteps(erasing.db, step, { scope });
      return eraseOwn(erasing, step, part.columns, person.userId);
    }
    case 'mentioned':
      return eraseMentions(erasing.db, step);
  }
}

/** Deletes rows that the user owns by the first column; rows of others only lose the user's id. */
async function eraseOwn(
  erasing: ErasureDeps,
  step: Step,
  [owner = '', ...others]: readonly string[],
  userId: string,
): Promise<void> {
  const named = (columns: readonly string[]) =>
    scopeOf({ ...step.part, how: 'named', columns, fate: 'own' }, step.person);
  await inSteps(erasing.db, step, { scope: named([owner]) });
  if (others.length > 0) await inSteps(erasing.db, step, { scope: named(others), set: unnamed(others, userId) });
}

/** A row may name two users. */
const unnamed = (columns: readonly string[], userId: string): Sql =>
  joinSql(
    columns.map((name) => {
      const column = raw(name);
      return sql`${column} = case when ${column} = ${userId} then null else ${column} end`;
    }),
    ', ',
  );
