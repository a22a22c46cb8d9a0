import type { Caller, Narrow, Visible } from '../access/caller.ts';
import { type DryRun, isDecidedAtGate, passesGate } from '../access/rules/dry-run.ts';
import type { ResourceName } from '../access/rules/presets.ts';
import { roleOf, type Verb } from '../access/rules/rule-types.ts';
import type { AskedRule } from '../access/rules/rules.ts';
import { fail } from '../base/errors.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { joinSql, raw, type Sql, sql } from '../base/sql.ts';
import type { Db, Row } from '../db/db.ts';
import { matchesRecord } from '../query/match.ts';
import { whereToSql } from '../query/to-sql.ts';
import type { Key, RecordTable } from './table.ts';

/** What rules are asked about: the rows of one table, under the rules of one resource. */
export interface RuledTable {
  readonly rules: ResourceName;
  readonly records: RecordTable;
  /** The rows that belong to a caller, where no member of the row itself names her. */
  readonly narrow?: Narrow;
}

/** The rows that a caller may deal with, as a where or, where that cannot say it, as SQL. */
export type Allowed = AskedRule | { readonly visible: Visible };

/** What the app's rule leaves to the caller; undefined: everything. */
export function allowedTo(
  { rules, records, narrow }: RuledTable,
  verb: Verb,
  caller: Caller,
): MaybePromise<Allowed | undefined> {
  const rule = caller.app.rules.of(rules).rules[verb];
  if (narrow && rule.word === 'owner')
    return andThen(narrow(caller), (visible) => (visible === undefined ? undefined : { visible }));
  return rule.ask(caller, records.ruleLookup);
}

/** A condition for what is allowed, to stand beside those that name the rows. */
export function allowedSql(db: Pick<Db, 'dialect'>, allowed: Allowed): Sql {
  return 'where' in allowed ? whereToSql(allowed.where, db.dialect.where) : allowed.visible.condition;
}

export const forbidden = () => fail('OperationForbidden', "The app's rules do not let you do this with this record.");

/**
 * Finds a row that the caller may get, or do the given thing with; for others it is not there.
 *
 * @throws Failure OperationForbidden for what may be seen, but not changed
 */
export async function findAllowed(db: Db, table: RuledTable, asked: Asked): Promise<Row | undefined> {
  const found = await find(db, table, asked);
  if (found && asked.caller.app.dryRun) noteDryRun(table, asked, found, asked.caller.app.dryRun);
  return found;
}

interface Asked {
  readonly key: Key;
  readonly verb: 'get' | 'update' | 'delete';
  readonly caller: Caller;
}

/** Notes that the rules of a dry run would hide the row. Whose it is has to be said by a member of its own. */
function noteDryRun({ rules, records, narrow }: RuledTable, { verb, caller }: Asked, row: Row, dryRun: DryRun): void {
  const rule = caller.isAdministrator || caller.secretKey ? undefined : dryRun.changed(rules, verb);
  if (!rule || isDecidedAtGate(rule) || !passesGate(rule.gate, caller.user)) return;
  const where = narrow && rule.word === 'owner' ? undefined : rule.bind(caller, records.ruleLookup);
  if (where !== undefined && !matchesRecord(where, records.decode(row)))
    dryRun.note({ subject: rules, verb, caller: roleOf(caller.user) }, 'hidden');
}

async function find(db: Db, table: RuledTable, { key, verb, caller }: Asked): Promise<Row | undefined> {
  const { records } = table;
  const mayGet = await allowedTo(table, 'get', caller);
  const mayDo = verb === 'get' ? mayGet : await allowedTo(table, verb, caller);
  if (!mayDo) return records.find(db, key);
  const selection = sql`select ${records.selection}`;
  const from = sql`from ${raw(records.name)} where ${records.match(key)}`;
  const done = allowedSql(db, mayDo);
  if (verb === 'get') return db.one(sql`${selection} ${from} and ${done}`);
  const seen = mayGet ? sql`(${done} or ${allowedSql(db, mayGet)})` : raw('1 = 1');
  const found = await db.one(sql`${selection}, case when ${done} then 1 else 0 end as may_do ${from} and ${seen}`);
  if (found && !found['may_do']) throw forbidden();
  return found;
}

/**
 * In the transaction that wrote the row: what it is now has to be allowed as well, so that nobody makes of a record what
 * she may not touch. An owner may give it away.
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
  if (!(await db.one(sql`select 1 as found from ${raw(records.name)} where ${condition}`))) throw forbidden();
}

/** Whether a rule has to look at the record that a write makes. */
export function checksResult({ rules }: Pick<RuledTable, 'rules'>, verb: 'create' | 'update', caller: Caller): boolean {
  return caller.app.rules.of(rules).rules[verb].word === undefined;
}
