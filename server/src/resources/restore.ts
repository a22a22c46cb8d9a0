import type { Static, TObject } from 'typebox';
import type { Caller } from '../access/caller.ts';
import { Failure, fail } from '../base/errors.ts';
import { type Db, ifTaken } from '../db/db.ts';
import type { Columns } from '../db/table.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Resource, Writing } from './define.ts';
import type { KeptPast } from './keep-past.ts';
import type { Members } from './members/members.ts';
import type { PastRecord } from './past.ts';
import { emptyMembers, type Options, optionsOf, resourceEndpoints, type WriteRules } from './resource.ts';
import type { Key, Values } from './table.ts';

/** Restores a deleted record, in the transaction `db`. */
export type PutBack = (db: Db, caller: Caller, past: PastRecord, now: number) => Promise<void>;

/** The endpoints of a resource whose deleted records can be restored. */
export interface Restorable {
  readonly endpoints: Endpoint[];
  readonly putBack: PutBack;
}

export function restorable<M extends Members, C extends Columns, S extends TObject, B extends TObject>(
  resource: Resource<M, C, S, Writing<B>>,
  rules: WriteRules<Static<S>, Static<B>, C> & { readonly past: KeptPast },
): Restorable {
  return { endpoints: resourceEndpoints(resource, rules), putBack: putBack(optionsOf(resource, rules)) };
}

/**
 * Restores a deleted record as it was, with its objectId, its owner and its creation time. It must be valid by today's rules.
 * What it points to may be gone by now: without the deletion the record would have kept the pointer, and it is shown there.
 *
 * @throws Failure ValidationError; DuplicateValue when such a record exists again
 */
function putBack(options: Options): PutBack {
  const { records, shape } = options;
  return async (db, caller, { objectId, withinId, state, createdBy, createdAt }, now) => {
    const values = shape.readCreate(state) as Values;
    await leaveDangling(options.verify?.(db, caller, values));
    const key = { app_id: caller.app.appId, ...options.parentKey?.({ objectId: withinId }), object_id: objectId };
    await holdParent(options, db, key);
    const maker = 'created_by' in options.table.columns ? { created_by: createdBy } : {};
    await records
      .insert(
        db,
        { ...key, ...options.derive?.(values), ...maker },
        { ...emptyMembers(options), ...values, createdAt, updatedAt: now },
      )
      .catch(ifTaken(() => fail('DuplicateValue', `There is a ${options.noun[0]} with this objectId again.`)));
    await options.onWrite?.(db, key, values, caller);
  };
}

async function leaveDangling(verified: Promise<void> | undefined): Promise<void> {
  try {
    await verified;
  } catch (error) {
    if (!(error instanceof Failure && error.name === 'ObjectNotFound')) throw error;
  }
}

async function holdParent(options: Options, db: Db, key: Key): Promise<void> {
  try {
    await options.holdParent?.(db, key);
  } catch (error) {
    if (!(error instanceof Failure && error.name === 'ObjectNotFound')) throw error;
    const message = 'What it belonged to was deleted too. Restore that first.';
    throw fail('ValidationError', { message, details: [{ field: '', problem: message }] });
  }
}
