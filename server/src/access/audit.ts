import { firstIdAt, newObjectId } from '../base/id.ts';
import { joinSql, listSql, raw, type Sql, type SqlValue, sql } from '../base/sql.ts';
import { type Db, fillPage, type Row } from '../db/db.ts';
import { rowsOf } from '../db/statements/row-statements.ts';
import type { RowOf } from '../db/table.ts';
import { audit } from './tables.ts';

/** The person who makes a change in the management console or on the command line. */
export interface Actor {
  /** An administrator's e-mail, `command line`, or `service`. */
  readonly name: string;
  /** The client's address, if there is one. */
  readonly address: string | null;
}

export const service: Actor = Object.freeze({ name: 'service', address: null });
export const commandLine: Actor = Object.freeze({ name: 'command line', address: null });

/** One change. `before` and `after` are small JSON values and never hold a secret. */
export interface Change {
  readonly by: Actor;
  /** `app.create`, `administrator.disable` … */
  readonly action: string;
  /** What was changed: an id or a name. */
  readonly subject: string;
  readonly appId?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly now: number;
}

/** A row of the audit as it is shown to one person: of a change of many, it names nobody else. */
export function withoutOthers(row: Row, ids: readonly string[]): Row {
  if (!String(row['action']).startsWith('many.')) return row;
  const isOwn = (one: unknown) => ids.includes(typeof one === 'string' ? one : (one as { objectId: string }).objectId);
  const own = (text: SqlValue | undefined) => {
    if (typeof text !== 'string') return null;
    const members = Object.entries(JSON.parse(text) as object).filter(([name]) => name !== 'count');
    return JSON.stringify(
      Object.fromEntries(members.map(([name, value]) => [name, Array.isArray(value) ? value.filter(isOwn) : value])),
    );
  };
  return { ...row, subject: 'many', before_state: own(row['before_state']), after_state: own(row['after_state']) };
}

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** Call it in the transaction of the change, so that neither exists without the other. */
export async function recordChange(db: Db, change: Change): Promise<void> {
  await beginRecord(db, change);
}

/** Records a change that goes on. Returns the `auditId`, for {@link lockRecord} and {@link extendRecord}. */
export async function beginRecord(db: Db, change: Change): Promise<string> {
  const { by, action, subject, appId = null, now } = change;
  const auditId = newObjectId(now);
  await db.run(sql`insert into audit (audit_id, app_id, actor, action, subject, before_state, after_state, address, created_at)
    values (${auditId}, ${appId}, ${by.name}, ${action}, ${subject}, ${jsonOrNull(change.before)},
      ${jsonOrNull(change.after)}, ${by.address}, ${now})`);
  return auditId;
}

const auditRows = rowsOf(audit);

/** In a transaction: nobody else extends the record before it ends. */
export const lockRecord = auditRows.lock('audit_id');

/** Replaces what a record says of a change that has gone on. */
export async function extendRecord(
  db: Db,
  auditId: string,
  { subject, before, after }: Pick<Change, 'subject' | 'before' | 'after'>,
): Promise<void> {
  await db.run(sql`update audit set subject = ${subject}, before_state = ${jsonOrNull(before)},
    after_state = ${jsonOrNull(after)} where audit_id = ${auditId}`);
}

export interface Folding {
  readonly change: Omit<Change, 'before' | 'after'>;
  /** For this long after a similar record, only the `after` of that record changes. */
  readonly withinMs: number;
  /** Records of this action within that time; beyond it they are merged, whatever their actor and target. */
  readonly most: number;
  /** Makes the record's new `after` from the earlier one. */
  readonly fold: (earlier: unknown) => unknown;
}

/** Records what outsiders can cause as often as they like: repetitions are merged into one record. */
export async function recordFolded(db: Db, { change, withinMs, most, fold }: Folding): Promise<void> {
  const { by, action, subject, appId = null, now } = change;
  await db.transaction(async (db) => {
    const recent = await db.all<AuditRow>(
      sql`select * from audit where audit_id >= ${firstIdAt(now - withinMs)} and action = ${action}
        order by audit_id limit ${most + 1}`,
    );
    const isLike = (row: AuditRow) =>
      row.subject === subject && row.app_id === appId && row.actor === by.name && row.address === by.address;
    const isOther = (row: AuditRow) => row.subject === others;
    const found = recent.find(isLike) ?? (recent.length >= most ? recent.find(isOther) : undefined);
    const after = fold(found?.after_state ? JSON.parse(found.after_state) : undefined);
    if (found)
      await db.run(sql`update audit set after_state = ${jsonOrNull(after)} where audit_id = ${found.audit_id}`);
    else if (recent.length < most) await recordChange(db, { ...change, after });
    else await recordChange(db, { by: { name: others, address: null }, action, subject: others, after, now });
  });
}

const others = 'others';

export type AuditRow = RowOf<typeof audit>;

export interface AuditFilter {
  readonly appId: string | undefined;
  /** Only changes to these apps; undefined: also to others and to the service itself. */
  readonly within?: readonly string[] | undefined;
  readonly actor: string | undefined;
  /** The part of the action before the dot: `app`, `data`, `session` … */
  readonly kind: string | undefined;
  /** The id of a record or a person, alone or among many. */
  readonly about?: string | undefined;
  /** Epoch milliseconds; `until` is not included. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  readonly before: string | undefined;
}

/** Ids have neither of the characters that mean something in a pattern. */
function aboutOne(id: string): Sql {
  if (!/^[A-Za-z0-9]+$/.test(id)) return raw('1 = 0');
  const named = sql`${`%"${id}"%`}`;
  return sql`(subject = ${id} or (action like 'many.%' and (before_state like ${named} or after_state like ${named})))`;
}

export interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** More may follow the last row. */
  readonly isFull: boolean;
}

/** Characters of a page: one entry about thousands of users may have hundreds of thousands. The page ends with the entry that exceeds it. */
const maxCharacters = 4_000_000;

/** Newest first; `before` is the id at which the last page ended. A page has at most `limit` rows, and fewer where they are long. */
export async function listChanges(db: Db, { limit, ...filter }: AuditFilter & { limit: number }): Promise<AuditPage> {
  const { appId, within, actor, kind, about, from, until, before } = filter;
  if (within?.length === 0) return { rows: [], isFull: false };
  const conditions = [
    raw('1 = 1'),
    ...(appId === undefined ? [] : [sql`app_id = ${appId}`]),
    ...(within === undefined ? [] : [sql`app_id in (${listSql(within)})`]),
    ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
    ...(kind === undefined ? [] : [sql`substr(action, 1, ${kind.length + 1}) = ${`${kind}.`}`]),
    ...(about === undefined ? [] : [aboutOne(about)]),
    ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
    ...(until === undefined ? [] : [sql`created_at < ${until}`]),
    ...(before === undefined ? [] : [sql`audit_id < ${before}`]),
  ];
  // A filter may match little of a long history, so the query may be slow and runs beside the others.
  // A result of few rows would be read as a whole, however long they are.
  const budget = { characters: maxCharacters, rows: Number.MAX_SAFE_INTEGER };
  const rows = await db.all<AuditRow>(
    sql`select * from audit where ${joinSql(conditions, ' and ')} order by audit_id desc limit ${limit}`,
    { tenant: 'audit', within: budget },
  );
  return { rows, isFull: fillPage(rows, limit, budget) };
}
