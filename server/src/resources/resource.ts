import type { Static, TObject } from 'typebox';
import type { Caller } from '../access/caller.ts';
import { naming } from '../access/venue-limit.ts';
import type { ErrorName } from '../base/errors.ts';
import { newObjectId } from '../base/id.ts';
import type { Db, Row } from '../db/db.ts';
import type { Cells, Columns } from '../db/table.ts';
import { created, createdAnswer, deletedAnswer, inArray, isoTime, updatedAnswer } from '../http/answers.ts';
import { type BodySpec, type Call, type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Changes, Shape } from '../http/shape.ts';
import { assertAllowed, checksResult } from './allowed.ts';
import { mergePatchSchema, replacementSchema } from './change-schemas.ts';
import type { Resource, Writing } from './define.ts';
import { newTag, readIfMatch, tagged, tagOfRow, timeOfChange } from './entity-tag.ts';
import { type KeptPast, type NoteRemoval, noteChange, notingRemoval } from './keep-past.ts';
import type { Members } from './members/members.ts';
import { mergePatch } from './merge-patch.ts';
import {
  getEndpoint,
  listEndpoint,
  locateRow,
  lockRow,
  notFound,
  onePath,
  type ReadOptions,
  rowKey,
} from './read-endpoints.ts';
import type { Key, Values } from './table.ts';

/** What a write sends: all members of a new record, or those that change; null clears one. */
type Sent<T> = { readonly [K in keyof T]?: T[K] | null };

/** What is specific to a resource when its records are written, beyond its declaration. */
export interface WriteRules<Record, Body, C extends Columns>
  extends Pick<ReadOptions, 'db' | 'parentKey' | 'narrow' | 'showTo' | 'locateParent'> {
  /**
   * Checks what only the database can tell: pointers, and rules between what was sent and what is `stored`.
   * @throws Failure ObjectNotFound, ValidationError
   */
  readonly verify?: (db: Db, caller: Caller, values: Partial<Body>, stored?: Record) => Promise<void>;
  /**
   * Comes first in the transaction of every write, and locks what has to be locked before the record. Ensures that the parent that the path
   * names exists until the transaction ends: otherwise a record could be written while its parent is deleted, and would stay for good.
   * @throws Failure ObjectNotFound
   */
  readonly holdParent?: (db: Db, key: Key) => Promise<void>;
  /** Columns that follow from what was sent, such as a search key. */
  readonly derive?: (values: Sent<Body>) => Partial<Cells<C>>;
  /** What else is written when a record is created or changed, in the same transaction; `values` is what was sent. */
  readonly onWrite?: (db: Db, key: Key, values: Sent<Body>, caller: Caller) => Promise<void>;
  /** What else is deleted with a record, in the same transaction. */
  readonly onRemove?: (db: Db, key: Key, caller: Caller) => Promise<void>;
  /** Keeps records as they were before a change or a deletion. */
  readonly past?: KeptPast;
  /** What `onRemove` may refuse with. */
  readonly removeErrors?: readonly ErrorName[];
}

/** The options of any resource, for the functions below. */
export type Options = ReadOptions & Writing<TObject> & WriteRules<Values, Values, Columns> & Pick<Resource, 'table'>;

/**
 * The six endpoints of a resource whose records are rows of one table: list, create, get, PUT, PATCH, delete.
 * What is specific to a resource is in its declaration and rules; what applies to all of them is here once.
 */
export function resourceEndpoints<M extends Members, C extends Columns, S extends TObject, B extends TObject>(
  resource: Resource<M, C, S, Writing<B>>,
  rules: WriteRules<Static<S>, Static<B>, C>,
): Endpoint[] {
  const options = optionsOf(resource, rules);
  return [
    listEndpoint(options, { idsFollowCreation: true }),
    create(options),
    getEndpoint(options),
    put(options),
    patch(options),
    removeEndpoint({ ...options, ...notingRemoval(options) }),
  ];
}

/** The types of the rules have been checked against the declaration by now. */
export function optionsOf<M extends Members, C extends Columns, S extends TObject, B extends TObject>(
  resource: Resource<M, C, S, Writing<B>>,
  rules: WriteRules<Static<S>, Static<B>, C>,
): Options {
  return { ...resource, ...resource.body, ...rules } as unknown as Options;
}

function create(options: Options): Endpoint {
  const { db, records, shape, locateParent } = options;
  return endpoint({
    method: 'POST',
    path: options.path,
    operationId: `create${options.title[0]}`,
    tag: options.tag,
    summary: `Create a ${options.noun[0]}`,
    grant: { of: options.rules, verb: 'create' },
    parameters: options.parameters,
    body: shape.body(options.example),
    answer: createdAnswer,
    errors: [
      ...(options.errors ?? ['ValidationError']),
      ...(options.verify || locateParent ? (['ObjectNotFound'] as const) : []),
    ],
    repeat: created,
    locate: async (call) => locateParent?.(call, call.params),
    handle: async (call) => {
      const { app, params, body, now } = call;
      const values = body as Values;
      await options.verify?.(db, naming(call, { of: options.rules, verb: 'create' }), values);
      const { objectId = newObjectId(now) } = call;
      const key = { app_id: app.appId, ...options.parentKey?.(params), object_id: objectId };
      await together(options, checksResult(options, 'create', call), async (db) => {
        await options.holdParent?.(db, key);
        await records.insert(
          db,
          { ...key, ...options.derive?.(values), ...makerColumns(options, call) },
          { ...emptyMembers(options), ...values, createdAt: now, updatedAt: now },
        );
        await options.onWrite?.(db, key, values, call);
        await assertAllowed(db, options, { key, verb: 'create', caller: call });
      });
      return created({ objectId, now });
    },
  });
}

/** The columns that say who created a record. What a secret key creates is the managers', like what is created in the console. */
export function makerColumns({ table }: Pick<Resource, 'table'>, { user, isAdministrator, secretKey }: Caller): Key {
  return {
    ...('created_by' in table.columns ? { created_by: user?.userId ?? null } : {}),
    ...('by_admin' in table.columns ? { by_admin: isAdministrator || secretKey ? 1 : 0 } : {}),
  };
}

/** One statement needs no transaction of its own. */
function together<T>(options: Options, isChecked: boolean, work: (db: Db) => Promise<T>): Promise<T> {
  return options.onWrite || options.holdParent || isChecked ? options.db.transaction(work) : work(options.db);
}

/** Members with a stored default, so that a record never lacks them. */
export function emptyMembers(options: Options): Values {
  return Object.fromEntries(
    Object.entries(options.records.members).flatMap(([member, spec]) => (spec.empty ? [[member, null]] : [])),
  );
}

async function updated(options: Options, db: Db, { key, updatedAt }: Write) {
  const result = { updatedAt: isoTime(updatedAt) };
  const answer = { result: options.wrapsInArray ? [result] : result };
  return tagged(JSON.stringify(answer), await newTag(db, options.records, key));
}

/**
 * Locks the record and compares it with If-Match. Returns it if needed.
 *
 * @throws Failure PreconditionFailed, ObjectNotFound
 */
async function assertMatch(
  options: Options,
  db: Db,
  { key, headers }: { readonly key: Key; readonly headers: Call<unknown, unknown>['headers'] },
): Promise<Row | undefined> {
  const assertUnchanged = readIfMatch(headers);
  if (!assertUnchanged && !options.past) return undefined;
  const row = await lockRow(options, db, key);
  assertUnchanged?.(tagOfRow(options.records, row));
  return row;
}

const updating = ({ rules }: Options, caller: Caller) => naming(caller, { of: rules, verb: 'update' });

/** What both ways to change a record have in common. */
function changing(options: Options) {
  const errors: readonly ErrorName[] = [...(options.errors ?? ['ValidationError']), 'ObjectNotFound'];
  return {
    path: onePath(options),
    tag: options.tag,
    grant: { of: options.rules, verb: 'update' },
    parameters: options.parameters,
    answer: options.wrapsInArray ? inArray(updatedAnswer) : updatedAnswer,
    takesIfMatch: true,
    errors,
    locate: locateRow(options, 'update'),
  } as const;
}

function put(options: Options): Endpoint {
  const { db, records, shape } = options;
  const body: BodySpec<Changes<Values>> = {
    schema: replacementSchema(shape.schema),
    example: options.example,
    read: (sent) => shape.readUpdate(sent) as Changes<Values>,
  };
  return endpoint<Changes<Values>, Row>({
    method: 'PUT',
    ...changing(options),
    operationId: `update${options.title[0]}`,
    summary: `Update a ${options.noun[0]}`,
    description: 'Replaces the members that are sent and keeps the others; null clears an optional member.',
    body,
    handle: async (call) => {
      const { app, params, body: changes, located, now, headers } = call;
      const values = { ...changes.set, ...Object.fromEntries(changes.cleared.map((member) => [member, null])) };
      await options.verify?.(db, updating(options, call), changes.set, records.decode(located));
      const key = rowKey(options, app.appId, params);
      return db.transaction(async (db) => {
        await options.holdParent?.(db, key);
        const before = await assertMatch(options, db, { key, headers });
        return write(options, db, call, { key, values, updatedAt: timeOfChange(before ?? located, now), before });
      });
    },
  });
}

interface Write {
  readonly key: Key;
  readonly values: Values;
  readonly updatedAt: number;
  readonly before: Row | undefined;
}

async function write(options: Options, db: Db, call: Call<unknown, Row>, change: Write) {
  const { key, values, updatedAt, before } = change;
  if (!(await options.records.update(db, key, { ...values, updatedAt }, options.derive?.(values))))
    throw notFound(options);
  await options.onWrite?.(db, key, values, call);
  await assertAllowed(db, options, { key, verb: 'update', caller: call });
  await noteChange(options, db, call, { key, before });
  return updated(options, db, change);
}

function patch(options: Options): Endpoint {
  const { db, records, shape } = options;
  const body: BodySpec<unknown> = {
    schema: mergePatchSchema(shape.schema),
    example: options.example,
    read: (sent) => sent,
  };
  return endpoint<unknown, Row>({
    method: 'PATCH',
    ...changing(options),
    operationId: `patch${options.title[0]}`,
    summary: `Merge changes into a ${options.noun[0]}`,
    description: 'JSON Merge Patch (RFC 7396): objects are merged member by member, null removes a member.',
    body,
    handle: async (call) => {
      const { app, params, body: changes, now, headers } = call;
      const key = rowKey(options, app.appId, params);
      return db.transaction(async (db) => {
        await options.holdParent?.(db, key);
        const row = await lockRow(options, db, key);
        readIfMatch(headers)?.(tagOfRow(records, row));
        const merged = shape.readCreate(mergePatch(records.decode(row), changes)) as Values;
        await options.verify?.(db, updating(options, call), merged, records.decode(row));
        const values = { ...absentAsNull(shape), ...merged };
        return write(options, db, call, { key, values, updatedAt: timeOfChange(row, now), before: row });
      });
    },
  });
}

function absentAsNull(shape: Shape<TObject>): Values {
  return Object.fromEntries(Object.keys(shape.schema.properties).map((member) => [member, null]));
}

/** What deleting needs to know. */
export type RemoveOptions = ReadOptions &
  Pick<Writing<TObject>, 'wrapsInArray'> &
  Pick<WriteRules<Values, Values, Columns>, 'onRemove' | 'holdParent' | 'removeErrors'> & {
    /** Keeps what is about to be deleted, in the same transaction. */
    readonly noteRemoval?: NoteRemoval;
  };

export function removeEndpoint(options: RemoveOptions): Endpoint {
  const { db, records, onRemove, holdParent, noteRemoval } = options;
  const removeAll = async (db: Db, key: Key, call: Call<undefined, Row>) => {
    await holdParent?.(db, key);
    // Before what belongs to it: from here on nothing can be added.
    const row = await lockRow(options, db, key);
    readIfMatch(call.headers)?.(tagOfRow(records, row));
    await noteRemoval?.(db, call, key, row);
    await onRemove?.(db, key, call);
    return records.remove(db, key);
  };
  return endpoint<undefined, Row>({
    method: 'DELETE',
    path: onePath(options),
    operationId: `delete${options.title[0]}`,
    tag: options.tag,
    summary: `Delete a ${options.noun[0]}`,
    grant: { of: options.rules, verb: 'delete' },
    parameters: options.parameters,
    answer: options.wrapsInArray ? inArray(deletedAnswer) : deletedAnswer,
    takesIfMatch: true,
    errors: [...(options.removeErrors ?? []), 'ObjectNotFound'],
    locate: locateRow(options, 'delete'),
    handle: async (call) => {
      const key = rowKey(options, call.app.appId, call.params);
      const isOne = !onRemove && !holdParent && !noteRemoval && call.headers['if-match'] === undefined;
      const removed = isOne ? await records.remove(db, key) : await db.transaction((db) => removeAll(db, key, call));
      if (!removed) throw notFound(options);
      return { result: options.wrapsInArray ? [{}] : {} };
    },
  });
}
