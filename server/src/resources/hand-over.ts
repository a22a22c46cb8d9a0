import { whereToSql } from '@pharos/query';
import { Type } from 'typebox';
import { fail } from '../base/errors.ts';
import { raw, sql } from '../base/sql.ts';
import type { Db, Row } from '../db/db.ts';
import { exampleId, isoTime, updatedAnswer } from '../http/answers.ts';
import { type Call, type Endpoint, endpoint } from '../http/endpoint.ts';
import { defineShape } from '../http/shape.ts';
import type { Stored } from '../limits/stored.ts';
import type { UsageMeter } from '../limits/usage.ts';
import { forbidden } from './allowed.ts';
import type { Resource } from './define.ts';
import { newTag, readIfMatch, tagged, tagOfRow, timeOfChange } from './entity-tag.ts';
import { locateRow, lockRow, notFound, onePath, type ReadOptions, rowKey } from './read-endpoints.ts';
import type { Key } from './table.ts';

/** The owner of a record (`createdBy`) gives it to somebody else; bucket records name the new owner in a change. */

export interface HandOverDeps {
  readonly db: Db;
  readonly usage: Pick<UsageMeter, 'users'>;
  /** In a transaction the user stays until its end. */
  readonly userExists: (db: Db, appId: string, userId: string) => Promise<boolean>;
}

const shape = defineShape(
  Type.Object({ userId: Type.String({ minLength: 1, maxLength: 40, description: 'objectId of the next owner' }) }),
);

/** A kind of record that is handed over. */
export interface HandedOver extends Resource, Pick<ReadOptions, 'parentKey'> {
  /** The verb whose rule applies: update, unless its records are never changed. */
  readonly verb?: 'update' | 'delete';
  /** How much of its owner's quota a row uses. */
  readonly stores?: (row: Row) => Partial<Stored>;
}

type Options = Pick<HandedOver, 'table' | 'verb' | 'stores'> & ReadOptions;

export function handOverEndpoints(resources: readonly HandedOver[], deps: HandOverDeps): Endpoint[] {
  return resources.map((resource) => handOver({ ...resource, db: deps.db }, deps));
}

function handOver(options: Options, { usage, userExists }: HandOverDeps): Endpoint {
  const { db, records, table, noun, title, verb = 'update', stores } = options;
  return endpoint<{ userId: string }, Row>({
    method: 'PUT',
    path: `${onePath(options)}/owner`,
    operationId: `update${title[0]}Owner`,
    tag: options.tag,
    summary: `Hand a ${noun[0]} over to another user`,
    description:
      'By its owner, and by those who may change what belongs to others: managers, secret keys, the console.',
    grant: { of: options.rules, verb },
    parameters: options.parameters,
    body: shape.body({ userId: exampleId }),
    answer: updatedAnswer,
    takesIfMatch: true,
    writes: ['createdBy'],
    errors: ['ValidationError', 'ObjectNotFound'],
    locate: locateRow(options, verb),
    handle: async (call) => {
      const { app, body, params, located, now, headers } = call;
      const key = rowKey(options, app.appId, params);
      const stored = stores?.(located);
      const assertGift = stored && (await usage.users.giftTo(call, body.userId));
      return db.transaction(async (db) => {
        await assertOwner(options, db, { call, key });
        const assertUnchanged = readIfMatch(headers);
        if (assertUnchanged) assertUnchanged(tagOfRow(records, await lockRow(options, db, key)));
        if (!(await userExists(db, app.appId, body.userId)))
          throw fail('ObjectNotFound', `userId: there is no user ${body.userId}.`);
        if (stored) assertGift?.(stored);
        const updatedAt = timeOfChange(located, now);
        const byAdmin = 'by_admin' in table.columns ? { by_admin: 0 } : {};
        if (!(await records.update(db, key, { updatedAt }, { created_by: body.userId, ...byAdmin })))
          throw notFound(options);
        const from = located['created_by'] as string | null;
        if (stored) db.afterCommit(() => usage.users.move(app.appId, from, body.userId, stored));
        const answer = JSON.stringify({ result: { updatedAt: isoTime(updatedAt) } });
        return tagged(answer, await newTag(db, records, key));
      });
    },
  });
}

/** It may have been handed over in the meantime. @throws Failure OperationForbidden */
async function assertOwner(
  { records, rules }: Options,
  db: Db,
  { call, key }: { readonly call: Call<unknown, unknown>; readonly key: Key },
): Promise<void> {
  const { ruleLookup, name } = records;
  const where = call.app.rules.of(rules).ownership.bind(call, ruleLookup);
  if (where === undefined) return;
  const owned = sql`${records.match(key)} and ${whereToSql(where, db.dialect.where)}`;
  const row = await db.one(sql`select 1 as found from ${raw(name)} where ${owned}${raw(db.dialect.lockRow)}`);
  if (!row) throw forbidden();
}
