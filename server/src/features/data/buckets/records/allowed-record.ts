import { type Field, type Literal, readsColumns, recordToSql, slotOf, type Where, whereToSql } from '@pharos/query';
import type { AskedRule } from '../../../../access/rules/rule.ts';
import { BoundedMap } from '../../../../base/caches/bounded-map.ts';
import { randomText } from '../../../../base/id.ts';
import { asLiteral, raw, replaceInValues, Sql, sql } from '../../../../base/sql.ts';
import type { Dialect } from '../../../../db/dialect.ts';
import type { RecordKey } from '../definition/record-store.ts';
import { recordTable } from '../definition/tables.ts';

/**
 * Statements that read one record if rules allow it, without reading hidden documents, so that the response time does not reveal their
 * size.
 */

export interface AllowedRecord {
  readonly key: RecordKey;
  /** Any of them allows it. */
  readonly rules: readonly AskedRule[];
  /** Whether the row is about to be changed in this transaction. */
  readonly isLocked: boolean;
}

const maxKnown = 1_000;
/** Only letters and digits, and longer than any id. */
const someId = `record${randomText(32)}`;

interface Known {
  readonly statement: Sql;
  /** Where the record's id stands among the statement's values. */
  readonly ids: readonly number[];
}

/** By the rules, which belong to one bucket: the statement for all users and records, or null where documents have to be read. */
const known = new WeakMap<Dialect, BoundedMap<string, Known | null>>();

/** Undefined if columns and indexes do not say who may read the record. */
export function allowedRecord(dialect: Dialect, { key, rules, isLocked }: AllowedRecord): Sql | undefined {
  let name = isLocked ? 'lock' : 'read';
  for (const { general } of rules) {
    if (!general) return statementOf(dialect, { key, isLocked, where: anyOf(rules.map(({ where }) => where)) });
    name += ` ${general.key}`;
  }
  const statements = known.get(dialect) ?? new BoundedMap<string, Known | null>(maxKnown);
  known.set(dialect, statements);
  let found = statements.get(name);
  if (found === undefined) {
    const where = anyOf(rules.flatMap(({ general }) => general?.where ?? []));
    const made = statementOf(dialect, { key: { ...key, objectId: someId }, isLocked, where });
    found = made ? { statement: asLiteral(made), ids: idsIn(made) } : null;
    statements.set(name, found);
  }
  return found ? fill(found, key.objectId, rules) : undefined;
}

const idsIn = ({ values }: Sql) => values.flatMap((value, place) => (value === someId ? place : []));

function fill({ statement, ids }: Known, objectId: string, rules: readonly AskedRule[]): Sql {
  const general = rules[0]?.general;
  const own = general ? replaceInValues(statement, general.standIn, general.value) : statement;
  const values = [...own.values];
  for (const place of ids) values[place] = objectId;
  return new Sql(own.strings, values);
}

const anyOf = (wheres: readonly Where[]): Where =>
  wheres.length === 1 ? (wheres[0] as Where) : { kind: 'any', parts: wheres };

interface Reading {
  readonly key: RecordKey;
  readonly where: Where;
  readonly isLocked: boolean;
}

function statementOf(dialect: Dialect, { key, where, isLocked }: Reading): Sql | undefined {
  const from = dialect.passesLongTexts ? recordByIndexes(dialect, key, where) : recordIf(dialect, key, where);
  return from && sql`select ${recordTable.selection} from ${from}${raw(isLocked ? dialect.lockRow : '')}`;
}

const bucketOf = ({ appId, bucketId }: RecordKey) => sql`app_id = ${appId} and bucket_id = ${bucketId}`;

/** Reads the row by its key, and checks the columns there. */
function recordIf({ where: dialect }: Dialect, key: RecordKey, where: Where): Sql | undefined {
  const { objectId } = key;
  const condition = recordToSql(where, dialect, { objectId, ask: (_field, condition) => condition });
  return condition && sql`records where ${bucketOf(key)} and object_id = ${objectId} and ${condition}`;
}

/**
 * SQLite reads all pages of a document to get to the columns stored after it. So conditions on values are checked in the columns' indexes,
 * and the row is read only if they hold. No index entry leads to a hidden row, just as none leads to an absent one.
 */
function recordByIndexes(dialect: Dialect, key: RecordKey, where: Where): Sql | undefined {
  const { objectId } = key;
  const own = indexOfValues(where);
  if (own !== undefined)
    return sql`${by(own, key)} and ${whereToSql(where, dialect.where)} and object_id = ${objectId}`;
  const allowed = recordToSql(where, dialect.where, {
    objectId,
    ask: (field, condition, isOfValues) => {
      const column = isOfValues ? indexedColumn(field) : undefined;
      if (column === undefined) return undefined;
      return sql`exists (select 1 from ${by(column, key)} and ${condition} and object_id = ${objectId})`;
    },
  });
  if (allowed) return sql`records where ${bucketOf(key)} and object_id = case when ${allowed} then ${objectId} end`;
  // A range of values or a pattern: the index of the column cannot look it up for a single record.
  return readsColumns(where, dialect.where) ? recordByNearest(dialect, key, where) : undefined;
}

/** The document does not fit into the row's own page; the condition of the index of large records (migration 340). */
const isLarge = raw('octet_length(doc) > 1800');

/**
 * Looks at the record with the id or, if there is none, at the one before it, and compares ids only after the condition. So the same is
 * done whether a record is hidden or absent. Columns of large records are read in an index that has them without the document.
 */
function recordByNearest(dialect: Dialect, key: RecordKey, where: Where): Sql {
  const { objectId } = key;
  const allowed = whereToSql(where, dialect.where);
  const ofLarge = sql`(select ${allowed} from records as large indexed by records_large
    where ${bucketOf(key)} and ${isLarge} and object_id = nearest.object_id)`;
  const nearest = sql`select case when case when ${isLarge} then ${ofLarge} else ${allowed} end then object_id end
    from records as nearest where ${bucketOf(key)} and object_id <= ${objectId} order by object_id desc limit 1`;
  return sql`records where ${bucketOf(key)} and object_id = case when (${nearest}) = ${objectId} then ${objectId} end`;
}

const maker = 'created_by';

/** The column of a field whose index ends with the id of the record. */
function indexedColumn(field: Field): string | undefined {
  if (field.from === 'member') return slotOf(field);
  return field.column === maker || field.column === 'object_id' ? field.column : undefined;
}

/** The records of the bucket by the index of a column. Those of slots are partial. */
function by(column: string, key: RecordKey): Sql {
  if (column === 'object_id') return sql`records where ${bucketOf(key)}`;
  const isSet = column === maker ? raw('') : sql` and ${raw(column)} is not null`;
  return sql`records indexed by ${raw(`records_${column}`)} where ${bucketOf(key)}${isSet}`;
}

/** The column of a `where` that compares only this column, with one or more values. */
function indexOfValues(where: Where): string | undefined {
  if (where.kind !== 'condition') return undefined;
  const { operator, operand, field } = where;
  const literals =
    operator === '$eq' ? [operand as Literal] : operator === '$in' ? (operand as readonly Literal[]) : [];
  if (literals.length === 0 || literals.some(({ kind }) => kind === 'null')) return undefined;
  const column = indexedColumn(field);
  return column === 'object_id' ? undefined : column;
}
