import { isObject } from '@pharos/query';
import { secretHash } from '../../../access/access.ts';
import type { Caller } from '../../../access/caller.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import { Failure, fail } from '../../../base/errors.ts';
import type { Sql } from '../../../base/sql.ts';
import type { Db, Row } from '../../../db/db.ts';
import { isoTime, recordAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import type { NewJob } from '../../../jobs/job.ts';
import { entityTag, readIfMatch, tagged } from '../../../resources/entity-tag.ts';
import { locateRow, type ReadOptions } from '../../../resources/read-endpoints.ts';
import { type Addressed, expandJob } from './expand.ts';
import { audienceOf, type ReachDeps } from './reach.ts';
import { pushes } from './resource.ts';
import { pushRecord } from './schemas.ts';
import * as store from './store.ts';

/** A push to more than an app says waits until a second person has approved it. */

export interface ApprovalDeps extends Pick<ReachDeps, 'db' | 'audienceFields'> {
  /** Counts the installations that match, at most `most` of them; they are another feature's. */
  readonly countAudience: (db: Db, appId: string, condition: Sql | undefined, most: number) => Promise<number>;
}

export type Approval =
  | { readonly state: 'waiting'; readonly above: number }
  | { readonly state: 'approved'; readonly at: string; readonly by: string };

/**
 * What it takes to send to this audience: null for no approval. An audience that takes too long to count is a large one. Whether
 * a push waits tells how many its condition finds; where the sender must not know that, it waits if it could reach too many,
 * whoever is found.
 */
export async function approvalFor(
  deps: ApprovalDeps,
  app: { readonly appId: string; readonly policy: AppPolicy },
  { audience, isBlind }: Addressed,
): Promise<Approval | null> {
  const { enabled, above } = app.policy.approval;
  if (!enabled) return null;
  const isEveryone = audience === null || audience === '{}';
  if (isBlind && !isEveryone && namedIn(audience) <= above) return null;
  const condition = isEveryone || isBlind ? undefined : audienceOf(audience, deps);
  try {
    const count = await deps.countAudience(deps.db, app.appId, condition, above + 1);
    return count > above ? { state: 'waiting', above } : null;
  } catch (error) {
    if (error instanceof Failure && error.name === 'Timeout') return { state: 'waiting', above };
    throw error;
  }
}

/** How many phones a condition can find at most, by the ids that it names. */
function namedIn(audience: string): number {
  const where = JSON.parse(audience) as Readonly<Record<string, unknown>>;
  return Math.min(...['installationId', 'objectId'].map((member) => idsIn(where[member])));
}

function idsIn(asked: unknown): number {
  if (typeof asked === 'string') return 1;
  const ids = isObject(asked) ? asked['$in'] : undefined;
  return Array.isArray(ids) ? ids.length : Number.POSITIVE_INFINITY;
}

interface Person {
  readonly user?: { readonly userId: string } | undefined;
  readonly secretKey?: { readonly keyId: string; readonly madeBy: string } | undefined;
  readonly administrator?: string | undefined;
}

/** The identity of a person, to tell the author of a push from whoever approves it. */
function authorOf({ administrator, user, secretKey }: Person): string {
  if (administrator !== undefined) return `admin ${administrator}`;
  return user ? `user ${user.userId}` : `key ${secretKey?.keyId ?? 'app'}`;
}

/** The authors of what a caller sends: of a secret key also its maker, who can use it. */
export function writersOf(caller: Person): readonly string[] {
  return [authorOf(caller), ...(caller.secretKey ? [authorOf({ administrator: caller.secretKey.madeBy })] : [])];
}

export const authorsOf = (row: Pick<store.PushRow, 'authors'>): readonly string[] =>
  row.authors === null ? [] : (JSON.parse(row.authors) as string[]);

/** Hashes of the addresses that a user has and had; none for somebody who is gone. Users are another feature's. */
export type AddressesOf = (db: Db, appId: string, userId: string) => Promise<readonly string[]>;

/**
 * Whether whoever approves is one of the authors. An administrator and a user of the app are one person if they share an address, now
 * or before.
 */
async function hasWritten(
  db: Db,
  addressesOf: AddressesOf,
  appId: string,
  approver: string,
  authors: readonly string[],
) {
  if (authors.includes(approver)) return true;
  const hashesOf = async (people: readonly string[]) => {
    const found: string[] = [];
    for (const person of people) {
      const [kind = '', id = ''] = person.split(' ');
      if (kind === 'user') found.push(...(await addressesOf(db, appId, id)));
      if (kind === 'admin') found.push(secretHash(id.toLowerCase()));
    }
    return found;
  };
  const own = new Set(await hashesOf([approver]));
  return (await hashesOf(authors)).some((hash) => own.has(hash));
}

export interface ApproveDeps {
  readonly db: Db;
  readonly addressesOf: AddressesOf;
  readonly enqueue: (db: Db, job: NewJob) => Promise<void>;
  readonly readable: ReadOptions;
  readonly show: (caller: Caller) => (row: Row) => string;
  /** @throws Failure OperationForbidden */
  readonly assertMaySend: (caller: Caller) => void;
}

export function approveEndpoint({ db, addressesOf, enqueue, readable, show, assertMaySend }: ApproveDeps): Endpoint {
  const approved = { state: 'approved', at: pushRecord.example.updatedAt, by: 'editor@museum.example' };
  return endpoint<undefined, Row>({
    method: 'POST',
    path: `${pushes.path}/:objectId/approve`,
    operationId: 'approvePush',
    tag: pushes.tag,
    summary: 'Approve a push notification that waits for a second person',
    description:
      'By somebody who may send it and has not written it, nor changed it. It goes out at its time, or at once if that has passed. ' +
      'Send If-Match with the entity tag of the push that was read: what is changed meanwhile is then not approved.',
    grant: { of: 'pushes', verb: 'update' },
    answer: recordAnswer(pushRecord.schema, { ...pushRecord.example, state: 'accepted', approval: approved }),
    errors: ['ObjectNotFound', 'OperationForbidden', 'TooLate'],
    takesIfMatch: true,
    locate: locateRow(readable, 'update'),
    handle: async (call) => {
      const { app, located, now, headers } = call;
      assertMaySend(call);
      if (call.secretKey) throw fail('OperationForbidden', 'A key is nobody: a person has to approve it.');
      const pushId = String(located['object_id']);
      const row = await db.transaction(async (db) => {
        const current = await store.lockPush(db, app.appId, pushId);
        if (!current) throw fail('ObjectNotFound', 'There is no push notification with this objectId.');
        readIfMatch(headers)?.(entityTag(show(call)(current)));
        assertApprovable(current, now);
        const author = authorOf(call);
        if (await hasWritten(db, addressesOf, app.appId, author, authorsOf(current)))
          throw fail('OperationForbidden', 'You have written it: somebody else has to approve it.');
        const by = author.slice(author.indexOf(' ') + 1);
        await store.approvePush(db, {
          appId: app.appId,
          pushId,
          approval: JSON.stringify({ state: 'approved', at: isoTime(now), by }),
          now: Math.max(now, Number(current['updated_at'])),
        });
        const payload = { pushId, edition: current.edition + 1 };
        await enqueue(db, {
          appId: app.appId,
          kind: expandJob,
          payload,
          runAt: Math.max(now, current.send_at ?? now),
        });
        return (await pushes.records.find(db, { app_id: app.appId, object_id: pushId })) ?? current;
      });
      const shown = show(call)(row);
      return tagged(`{"result":${shown}}`, entityTag(shown));
    },
  });
}

/** @throws Failure TooLate */
function assertApprovable({ state, waits, expires_at: expiresAt }: store.PushRow, now: number): void {
  if (state === 'cancelled') throw fail('TooLate', 'It was cancelled. Send a new one.');
  if (state !== 'accepted' || waits === 0) throw fail('TooLate', 'It does not wait for anybody.');
  if (expiresAt !== null && expiresAt <= now) throw fail('TooLate', 'It has expired. Send a new one.');
}
