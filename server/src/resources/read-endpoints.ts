import type { TSchema } from 'typebox';
import type { Caller, Narrow } from '../access/caller.ts';
import type { ResourceName } from '../access/rules/presets.ts';
import type { VenueLink } from '../access/venue-limit.ts';
import { type ErrorName, fail } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { raw, sql } from '../base/sql.ts';
import type { Db, Row } from '../db/db.ts';
import { listAnswer, recordAnswer } from '../http/answers.ts';
import { type Endpoint, endpoint, JsonText, type Tag } from '../http/endpoint.ts';
import { allowedTo, findAllowed } from './allowed.ts';
import { tagged, tagOfRow } from './entity-tag.ts';
import { type ListOptions, listParameters } from './lists/list.ts';
import { listing } from './lists/listing.ts';
import { phoneViewOf, shownToOthers, showPhones, storedId } from './members/phone-view.ts';
import type { Key, RecordTable } from './table.ts';

export type Params = Readonly<Record<string, string>>;

/** What listing and getting the rows of one table need to know. A resource says most of it. */
export interface ReadOptions {
  readonly db: Db;
  readonly records: RecordTable;
  /** Singular and plural as in a sentence: `beacon`, `beacons`. */
  readonly noun: readonly [singular: string, plural: string];
  /** For operation ids: `Beacon`, `Beacons`. */
  readonly title: readonly [singular: string, plural: string];
  readonly tag: Tag;
  readonly path: string;
  /** The path parameter of one record; `objectId` unless the path has that name already. */
  readonly idName?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** A record as answers show it. */
  readonly record: { readonly schema: TSchema; readonly example: Readonly<Record<string, unknown>> };
  /** Whose rules say who may read them. */
  readonly rules: ResourceName;
  readonly venue?: VenueLink;
  readonly defaultLimit: number;
  /** Key columns beside `app_id` and `object_id`, from the path (a scenario's storyline). */
  readonly parentKey?: (params: Params) => Readonly<Record<string, string>>;
  /** The records that belong to a caller, if none of their members says so. */
  readonly narrow?: Narrow;
  /** How each caller is shown a record of a list, as JSON text; the table's columns without it. */
  readonly showTo?: (caller: Caller) => MaybePromise<((row: Row) => string) | undefined>;
  /**
   * In apps with pseudonyms, rows in which this column is set are shown only to their own users: their ids, or their order, would
   * reveal the phone.
   */
  readonly ownOnly?: string;
  /** Checks what the path names above the records, before the body is read. @throws Failure ObjectNotFound */
  readonly locateParent?: (caller: Caller, params: Params) => Promise<void>;
}

/** What is specific to one of the two endpoints. */
export interface ListDetails
  extends Pick<ListOptions, 'defaultOrder' | 'idsFollowCreation' | 'idsFollowOccurrence'>,
    Partial<Pick<Endpoint, 'summary' | 'description'>> {}

export interface GetDetails extends Partial<Pick<Endpoint, 'summary'>> {
  /** What an answer shows when it is more than the list does. */
  readonly record?: ReadOptions['record'];
  /** ObjectNotFound unless it asks for more than one row. */
  readonly errors?: readonly ErrorName[];
  /** The record as JSON text; the table's columns without it. */
  readonly render?: (row: Row, caller: Caller) => Promise<string>;
  /** The tag for this caller, where it must not depend on all of the row. */
  readonly tagFor?: (row: Row, caller: Caller) => string;
}

export function rowKey(options: ReadOptions, appId: string, params: Params): Key {
  return { app_id: appId, ...options.parentKey?.(params), object_id: params[options.idName ?? 'objectId'] ?? '' };
}

export function onePath(options: ReadOptions): string {
  return `${options.path}/:${options.idName ?? 'objectId'}`;
}

export function notFound({ noun }: Pick<ReadOptions, 'noun'>) {
  return fail('ObjectNotFound', `There is no ${noun[0]} with this objectId.`);
}

/** Inside a transaction: the row, which stays as it is until the transaction ends. @throws Failure ObjectNotFound */
export async function lockRow(options: ReadOptions, db: Db, key: Key): Promise<Row> {
  const { records } = options;
  const row = await db.one(
    sql`select ${records.selection} from ${raw(records.name)} where ${records.match(key)}${raw(db.dialect.lockRow)}`,
  );
  if (!row) throw notFound(options);
  return row;
}

/**
 * Existence is checked before the body is read: the path comes before the body. What may not be seen does not exist.
 */
export function locateRow(options: ReadOptions, verb: 'get' | 'update' | 'delete' = 'get') {
  return async (call: Caller & { readonly params: Params }): Promise<Row> => {
    const key = rowKey(options, call.app.appId, call.params);
    const row = await findAllowed(options.db, options, { key, verb, caller: call });
    if (row) return row;
    await options.locateParent?.(call, call.params);
    throw notFound(options);
  };
}

/** GET of all records of the app, or of those below what the path names. */
export function listEndpoint(options: ReadOptions, details: ListDetails): Endpoint {
  const { db, records, locateParent } = options;
  const { summary = `List ${options.noun[1]}`, description, ...how } = details;
  return endpoint<undefined, void>({
    method: 'GET',
    path: options.path,
    operationId: `list${options.title[1]}`,
    tag: options.tag,
    summary,
    ...(description === undefined ? {} : { description }),
    grant: { of: options.rules, verb: 'list' },
    parameters: options.parameters,
    query: listParameters,
    answer: listAnswer(options.record.schema, options.record.example),
    errors: ['InvalidQuery', 'Timeout', ...(locateParent ? (['ObjectNotFound'] as const) : [])],
    locate: async (call) => locateParent?.(call, call.params),
    ...listing<void>(async (call) => {
      const { app, params, query } = call;
      const all = records.match({ app_id: app.appId, ...options.parentKey?.(params) });
      const phones = await phoneViewOf(records, call);
      const scope = phones && options.ownOnly ? sql`${all} and ${shownToOthers(options.ownOnly, phones)}` : all;
      const render = await options.showTo?.(call);
      const asked: ListOptions = {
        scope,
        allowed: await allowedTo(options, 'list', call),
        phones,
        ...(render ? { render } : {}),
        query,
        defaultLimit: options.defaultLimit,
        tenant: app.appId,
        ...how,
      };
      return { db, table: records, options: asked };
    }),
  });
}

interface Shown {
  /** As the caller is shown it. */
  readonly row: Row;
  readonly isWhole: boolean;
}

/** The record that the path names, by the id under which the caller is shown it. @throws Failure ObjectNotFound */
async function shownRow(options: ReadOptions, call: Caller & { readonly params: Params }): Promise<Shown> {
  const phones = await phoneViewOf(options.records, call);
  if (!phones) return { row: await locateRow(options)(call), isWhole: true };
  const name = options.idName ?? 'objectId';
  const id = call.params[name] ?? '';
  const params = { ...call.params, [name]: storedId(options.records, id, phones) };
  const row = await locateRow(options)({ ...call, params });
  const [shown = row] = await showPhones(options.db, options.records, [row], phones);
  const isHidden = shown !== row && options.ownOnly !== undefined && row[options.ownOnly] !== null;
  if (isHidden || shown['object_id'] !== id) throw notFound(options);
  return { row: shown, isWhole: shown === row };
}

export function getEndpoint(options: ReadOptions, details: GetDetails = {}): Endpoint {
  const { summary = `Get a ${options.noun[0]}`, record = options.record, errors = ['ObjectNotFound'] } = details;
  const render = details.render ?? (async (row: Row) => options.records.render(row));
  const tagFor = details.tagFor ?? ((row: Row) => tagOfRow(options.records, row));
  return endpoint<undefined, Shown>({
    method: 'GET',
    path: onePath(options),
    operationId: `get${options.title[0]}`,
    tag: options.tag,
    summary,
    grant: { of: options.rules, verb: 'get' },
    parameters: options.parameters,
    answer: recordAnswer(record.schema, record.example),
    errors,
    locate: async (call) => shownRow(options, call),
    hasEntityTag: true,
    handle: async (call) => {
      const { row, isWhole } = call.located;
      const text = `{"result":${await render(row, call)}}`;
      // A tag is derived from the whole record: somebody who knows ids of phones could try them.
      return isWhole ? tagged(text, tagFor(row, call)) : new JsonText(text);
    },
  });
}
