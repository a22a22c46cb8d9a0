import { timeOfId } from '@pharos/engine';
import { type FieldLookup, isObject } from '@pharos/query';
import type { Caller } from '../../access/caller.ts';
import type { AppPseudonyms, Naming } from '../../access/pseudonyms/pseudonyms.ts';
import { firstIdAt } from '../../base/id.ts';
import { joinSql, raw, type Sql, type SqlValue, sql } from '../../base/sql.ts';
import type { Db, Row } from '../../db/db.ts';
import { type Member, type Members, type OfPhone, showCell } from './members.ts';

/**
 * The one place where rows that identify phones are prepared for a reader: the reader's own as they are, those of others under
 * daily pseudonyms. Which members these are is declared with them (`phone`).
 */

/** What is needed of a `RecordTable` here. */
export interface NamingTable {
  readonly members: Members;
  readonly lookup: FieldLookup;
}

type PhoneMember = Member & { readonly phone: OfPhone };

export const phoneMembers = (members: Members): [name: string, spec: PhoneMember][] =>
  Object.entries(members).filter((entry): entry is [string, PhoneMember] => entry[1].phone !== undefined);

/** How a caller is shown the phones of one table. */
export interface PhoneView {
  readonly pseudonyms: AppPseudonyms;
  /** Since when (ms) installations are the reader's. */
  readonly own: ReadonlyMap<string, number>;
}

type Asking = Pick<Caller, 'app' | 'user'>;

/** Undefined where nothing is hidden: the table names no phone, or the app has never had pseudonyms. */
export async function phoneViewOf(
  { members }: Pick<NamingTable, 'members'>,
  { app, user }: Asking,
): Promise<PhoneView | undefined> {
  if (!app.pseudonyms || phoneMembers(members).length === 0) return undefined;
  return { pseudonyms: app.pseudonyms, own: await ownOf(app.pseudonyms, app.appId, user?.userId) };
}

/** The view of somebody whose app is known only by its id. */
export const viewOf = async (
  pseudonyms: AppPseudonyms,
  appId: string,
  userId: string | undefined,
): Promise<PhoneView> => ({
  pseudonyms,
  own: await ownOf(pseudonyms, appId, userId),
});

async function ownOf(pseudonyms: AppPseudonyms, appId: string, userId: string | undefined) {
  const held = userId === undefined ? [] : await pseudonyms.findHeld(appId, userId);
  return new Map(held.map(({ objectId, heldSince }) => [objectId, heldSince]));
}

export const strangersView = (pseudonyms: AppPseudonyms): PhoneView => ({ pseudonyms, own: new Map() });

/** The time (ms) that decides how a row names its phone. */
function timeOf(phone: OfPhone, members: Members, row: Row): number {
  const value = row[phone.day] ?? null;
  // Without a time there is no daily name.
  if (value === null) return Number.NaN;
  const isTime = Object.values(members).some(({ column, kind }) => column === phone.day && kind === 'time');
  return isTime ? Number(value) : timeOfId(String(value));
}

/** The rows as they are shown; those that need no change are the same objects. */
export async function showPhones(
  db: Db,
  { members }: Pick<NamingTable, 'members'>,
  rows: readonly Row[],
  { pseudonyms, own }: PhoneView,
): Promise<Row[]> {
  const hidden = phoneMembers(members);
  const [first] = hidden;
  if (!first || rows.length === 0) return [...rows];
  const times = rows.map((row) => timeOf(first[1].phone, members, row));
  const naming = await pseudonyms.prepare(db, new Set(times.filter((at) => !Number.isNaN(at))));
  return rows.map((row, place) => {
    const at = times[place] ?? Number.NaN;
    if (!Number.isNaN(at) && (!pseudonyms.covers(at) || isOwn(row, at, own))) return row;
    const cells = hidden.map(([, spec]) => [spec.column, hiddenCell(spec, row, { at, naming })] as const);
    return { ...row, ...Object.fromEntries(cells) };
  });
}

/** Rows from before the phone was the reader's belong to somebody else. */
function isOwn(row: Row, at: number, own: PhoneView['own']): boolean {
  const since = own.get(String(row['installation_id']));
  return since !== undefined && at >= since && Number(row['created_at'] ?? at) >= since;
}

function hiddenCell(
  { column, phone }: PhoneMember,
  row: Row,
  { at, naming }: { readonly at: number; readonly naming: Naming },
): SqlValue {
  const value = row[column] ?? null;
  if (typeof phone.as === 'function') return phone.as(row);
  if (phone.as === 'nothing' || typeof value !== 'string') return null;
  return naming.dayAt(at)?.names.of(value) ?? null;
}

/** The stored objectId of a record that a caller names: if it is a phone's, the caller may only know its pseudonym. */
export function storedId({ members }: Pick<NamingTable, 'members'>, id: string, { pseudonyms }: PhoneView): string {
  if (members['objectId']?.phone === undefined) return id;
  for (const { names } of pseudonyms.days) {
    const found = names.installationOf(id);
    if (found !== undefined && names.of(found) === id) return found;
  }
  return id;
}

/** Shows phones in records sent outside lists: their members as the interface has them. */
export async function showPhonesIn(
  db: Db,
  table: Pick<NamingTable, 'members'>,
  data: EventData,
  view: PhoneView,
): Promise<EventData> {
  const specs = Object.entries(table.members).filter(([name]) => data[name] !== undefined);
  const row: Row = Object.fromEntries(specs.map(([name, spec]) => [spec.column, cellOf(spec, data[name])]));
  const [shown = row] = await showPhones(db, table, [row], view);
  if (shown === row) return data;
  const changed = specs
    .filter(([, spec]) => spec.phone !== undefined)
    .map(([name, spec]) => [name, showCell(spec, shown[spec.column] ?? null)] as const);
  return { ...data, ...Object.fromEntries(changed) };
}

type EventData = Readonly<Record<string, unknown>>;

function cellOf({ kind }: Member, value: unknown): SqlValue {
  if (kind === 'pointer') return isObject(value) ? String(value['objectId']) : null;
  if (kind === 'time') return typeof value === 'string' ? Date.parse(value) : null;
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/**
 * The rows whose phone is shown as it is, in a table whose ids begin with a time: without a phone, from times without pseudonyms, or of
 * the reader's own.
 */
export function shownToOthers(column: string, { pseudonyms, own }: PhoneView): Sql {
  const covered = pseudonyms.periods.map(({ begun, ended }) =>
    ended === Infinity
      ? sql`object_id >= ${firstIdAt(begun)}`
      : sql`(object_id >= ${firstIdAt(begun)} and object_id < ${firstIdAt(ended)})`,
  );
  const hers = [...own].map(([id, since]) => sql`(installation_id = ${id} and object_id >= ${firstIdAt(since)})`);
  const ways = [sql`${raw(column)} is null`, sql`not (${joinSql(covered, ' or ')})`, ...hers];
  return sql`(${joinSql(ways, ' or ')})`;
}
