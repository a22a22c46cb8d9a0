import { matchesRecord, parseWhereValue, whereToSql } from '@pharos/query';
import type { Caller, Narrow } from '../access/caller.ts';
import { type DryRun, isDecidedAtGate, passesGate } from '../access/rules/dry-run.ts';
import type { ResourceName } from '../access/rules/presets.ts';
import { roleOf, type Verb } from '../access/rules/rule-types.ts';
import { beaconsOf, outside, type VenueLink, venuesFor } from '../access/venue-limit.ts';
import { fail } from '../base/errors.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { joinSql, raw, type Sql, sql } from '../base/sql.ts';
import type { Db, Row } from '../db/db.ts';
import type { Allowed } from './lists/list.ts';
import type { Key, RecordTable } from './table.ts';

/** What rules are applied to: the rows of one table, under the rules of one resource. */
export interface RuledTable {
  readonly rules: ResourceName;
  readonly records: RecordTable;
  /** The rows that belong to a caller, if no member of the row itself names the caller. */
  readonly narrow?: Narrow;
  /** How the rows belong to venues. A caller limited to venues finds no rows that belong to none. */
  readonly venue?: VenueLink;
}

/** What the app's rule allows the caller; undefined: everything. */
export function allowedTo(table: RuledTable, verb: Verb, caller: Caller): MaybePromise<Allowed | undefined> {
  const { rules, records, narrow } = table;
  const venues = venuesFor(caller, rules, verb);
  if (venues && !isOpenTo(table, verb)) return ofVenues(table, caller.app.appId, venues);
  const rule = caller.app.rules.of(rules).rules[verb];
  if (narrow && rule.word === 'owner')
    return andThen(narrow(caller), (visible) => (visible === undefined ? undefined : { visible }));
  return rule.ask(caller, records.ruleLookup);
}

const isOpenTo = ({ venue }: RuledTable, verb: Verb) =>
  venue !== undefined && 'open' in venue && venue.open.includes(verb);

const none: Allowed = { visible: { condition: sql`(1 = 0)` } };

/** What belongs to the venues. It replaces the app's rule: callers limited to venues pass the others. */
function ofVenues({ records, venue }: RuledTable, appId: string, venues: readonly string[]): Allowed {
  if (!venue || 'open' in venue || venues.length === 0) return none;
  if ('beacon' in venue) return { visible: { condition: beaconsOf(raw(venue.beacon), appId, venues) } };
  const { member } = venue;
  const toVenue = (objectId: string) => ({ __type: 'Pointer', className: 'Venue', objectId });
  const named = member === 'objectId' ? venues : venues.map(toVenue);
  const where = parseWhereValue({ [member]: { $in: named } }, records.ruleLookup);
  return where ? { where } : none;
}

/** A condition for what is allowed, to be joined with those that name the rows. */
export function allowedSql(db: Pick<Db, 'dialect'>, allowed: Allowed): Sql {
  return 'where' in allowed ? whereToSql(allowed.where, db.dialect.where) : allowed.visible.condition;
}

export const forbidden = () => fail('OperationForbidden', "The app's rules do not let you do this with this record.");

/**
 * Finds a row that the caller may get, or do the given thing with; otherwise it does not exist.
 *
 * @throws Failure OperationForbidden for what may be seen, but not changed
 */
export async function findAllowed(db: Db, table: RuledTable, asked: Asked): Promise<Row | undefined> {
  const found = await find(db, table, asked);
  const { dryRun } = asked.caller.app;
  // A transaction may be tried again.
  if (found && dryRun) db.afterCommit(() => noteDryRun(table, asked, found, dryRun));
  return found;
}

/** Whether the caller may list any of the rows of `scope`. */
export async function listsAny(db: Db, table: RuledTable, scope: Sql, caller: Caller): Promise<boolean> {
  const allowed = await allowedTo(table, 'list', caller);
  const seen = allowed ? allowedSql(db, allowed) : raw('1 = 1');
  const from = sql`from ${raw(table.records.name)} where ${scope} and ${seen}`;
  return (await db.one(sql`select 1 as found ${from} limit 1`)) !== undefined;
}

interface Asked {
  readonly key: Key;
  readonly verb: 'get' | 'update' | 'delete';
  readonly caller: Caller;
}

/** Notes that the rules of a dry run would hide the row. One of its members must name the owner. */
function noteDryRun({ rules, records, narrow }: RuledTable, { verb, caller }: Asked, row: Row, dryRun: DryRun): void {
  const rule = caller.isAdministrator || caller.secretKey ? undefined : dryRun.changed(rules, verb);
  if (!rule || isDecidedAtGate(rule) || !passesGate(rule.gate, caller.user)) return;
  const where = narrow && rule.word === 'owner' ? undefined : rule.bind(caller, records.ruleLookup);
  // Only the database knows the venue of the row's beacon.
  if (rule.text.includes('"venueId"') && !('venueId' in records.members)) return;
  if (where !== undefined && !matchesRecord(where, records.decode(row)))
    dryRun.note({ subject: rules, verb, caller: roleOf(caller.user) }, 'hidden');
}

async function find(db: Db, table: RuledTable, { key, verb, caller }: Asked): Promise<Row | undefined> {
  const { records } = table;
  // Another's venue does not exist, whatever a secret key may do elsewhere.
  const seenBy = venuesFor(caller, table.rules, verb) ? verb : 'get';
  const mayGet = await allowedTo(table, seenBy, caller);
  const mayDo = verb === seenBy ? mayGet : await allowedTo(table, verb, caller);
  if (!mayDo) return records.find(db, key);
  const selection = sql`select ${records.selection}`;
  const from = sql`from ${raw(records.name)} where ${records.match(key)}`;
  const done = allowedSql(db, mayDo);
  if (verb === seenBy) return db.one(sql`${selection} ${from} and ${done}`);
  const seen = mayGet ? sql`(${done} or ${allowedSql(db, mayGet)})` : raw('1 = 1');
  const found = await db.one(sql`${selection}, case when ${done} then 1 else 0 end as may_do ${from} and ${seen}`);
  if (found && !found['may_do']) throw forbidden();
  return found;
}

/**
 * In the transaction that wrote the row: its new state must be allowed as well, so that nobody turns a record into one that they
 * may not touch. An owner may give it away.
 *
 * @throws Failure OperationForbidden
 */
export async function assertAllowed(
  db: Db,
  table: RuledTable,
  { key, verb, caller }: { readonly key: Key; readonly verb: 'create' | 'update'; readonly caller: Caller },
): Promise<void> {
  const allowed = checksResult(table, verb, caller) ? await allowedTo(table, verb, caller) : undefined;
  if (!allowed) return;
  const { records } = table;
  const condition = joinSql([records.match(key), allowedSql(db, allowed)], ' and ');
  if (!(await db.one(sql`select 1 as found from ${raw(records.name)} where ${condition}`)))
    throw venuesFor(caller, table.rules, verb) ? outside() : forbidden();
}

/** Whether a rule must see the record that a write makes. */
export function checksResult({ rules }: Pick<RuledTable, 'rules'>, verb: 'create' | 'update', caller: Caller): boolean {
  return venuesFor(caller, rules, verb) !== undefined || caller.app.rules.of(rules).rules[verb].word === undefined;
}
