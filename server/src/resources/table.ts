import { joinSql, raw, Sql, type SqlValue, sql } from '../base/sql.ts';
import type { Db, Row } from '../db/db.ts';
import type { ColumnField, FieldLookup, FieldType } from '../query/fields.ts';
import { isoTime } from '../query/instant.ts';
import type { Pairs } from '../query/plan.ts';

/** How a member of the interface is kept in a column, and shown again. */
export interface ColumnSpec {
  readonly column: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'time' | 'json' | 'pointer';
  /** For pointers: the class that the stored id belongs to. */
  readonly className?: string;
  /** Left out of answers while it is null, instead of shown as null. */
  readonly omitNull?: true;
  /** Never in answers, but a where and an order may name it. */
  readonly hidden?: true;
  /** JSON text that stands for "nothing given", such as `{}`. */
  readonly empty?: string;
  /** Has an index that begins with app_id and ends with object_id (or is unique), so that a filter on it is cheap. */
  readonly indexed?: true | 'unique';
  /** Never null, so that its index serves its order on every database. */
  readonly isSet?: true;
}

type Options = Omit<ColumnSpec, 'column' | 'kind'>;
const column =
  (kind: ColumnSpec['kind']) =>
  (name: string, options: Options = {}): ColumnSpec => ({ column: name, kind, ...options });
export const text = column('text');
export const number = column('number');
export const boolean = column('boolean');
export const time = column('time');
export const json = column('json');
export const pointer = (name: string, className: string, options: Options = {}) =>
  column('pointer')(name, { className, ...options });

/** The columns that make a row findable: always `app_id`, and what else the table's primary key has. */
export type Key = Readonly<Record<string, SqlValue>>;

export type Values = Readonly<Record<string, unknown>>;

export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnSpec>>;
  /** Names that a where and an order may use. */
  readonly lookup: FieldLookup;
  /** The column list of a select. */
  readonly selection: Sql;
  /**
   * By the column that leads the partial index `<table>_<column>` (`where <column> is not null`): all columns that the
   * index holds, so that no row is read for them. Where the database does not know sizes by itself.
   */
  readonly held: Readonly<Record<string, readonly string[]>>;
  /** Indexes over two columns. */
  readonly pairs: Pairs;
  /** One row as the interface shows it, as JSON text. */
  render(row: Row): string;
  /** One row as the interface shows it. */
  decode(row: Row): Record<string, unknown>;
  /** `a = ? and b = ?` */
  match(key: Key): Sql;
  find(db: Db, key: Key): Promise<Row | undefined>;
  insert(db: Db, key: Key, values: Values): Promise<void>;
  /**
   * Replaces the members in `values`, and columns that no member shows; undefined members are left alone.
   * False when there is no such row.
   */
  update(db: Db, key: Key, values: Values & { readonly updatedAt: number }, columns?: Key): Promise<boolean>;
  remove(db: Db, key: Key): Promise<boolean>;
}

export function pointerText(className: string, objectId: string): string {
  return `{"__type":"Pointer","className":${JSON.stringify(className)},"objectId":${JSON.stringify(objectId)}}`;
}

function renderValue(spec: ColumnSpec, value: SqlValue): string {
  if (value === null) return 'null';
  switch (spec.kind) {
    case 'text':
      return JSON.stringify(value);
    case 'number':
      return String(value);
    case 'boolean':
      return value === 0 ? 'false' : 'true';
    case 'time':
      return `"${isoTime(value as number)}"`;
    case 'json':
      return value as string;
    case 'pointer':
      return pointerText(spec.className ?? '', value as string);
  }
}

/** What a member of the interface is in the database. Times are given as epoch milliseconds. */
export function encodeValue(spec: ColumnSpec, value: unknown): SqlValue {
  if (value === null || value === undefined) return spec.empty ?? null;
  switch (spec.kind) {
    case 'boolean':
      return value ? 1 : 0;
    case 'json':
      return JSON.stringify(value);
    case 'pointer':
      return (value as { objectId: string }).objectId;
    default:
      return value as SqlValue;
  }
}

const fieldTypes: Record<ColumnSpec['kind'], FieldType> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  time: 'date',
  json: 'json',
  pointer: 'pointer',
};

/** A lookup over columns. A `json` column is reachable with a path below it, such as `location.x`. */
export function columnLookup(columns: Readonly<Record<string, ColumnSpec>>): FieldLookup {
  const fields = new Map(Object.entries(columns).map(([name, spec]) => [name, fieldOf(name, spec)]));
  return (name) => {
    const [head = '', ...path] = name.split('.');
    const field = fields.get(head);
    if (!field || path.length === 0) return field;
    return field.type === 'json' ? { ...field, path } : undefined;
  };
}

function fieldOf(name: string, spec: ColumnSpec): ColumnField {
  // The last column of every primary key.
  const indexed = name === 'objectId' ? 'unique' : spec.indexed;
  const className = spec.className === undefined ? {} : { className: spec.className };
  return {
    from: 'column',
    column: spec.column,
    type: fieldTypes[spec.kind],
    ...className,
    ...(indexed ? { indexed } : {}),
    ...(spec.isSet ? { isSet: true } : {}),
  };
}

function haveSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let place = 0; place < some.length; place++) if (some[place] !== others[place]) return false;
  return true;
}

/**
 * A table whose rows are records of the interface: where each member is kept is said once, and reading, writing,
 * filtering and rendering follow from it.
 */
export function defineTable(
  name: string,
  columns: Readonly<Record<string, ColumnSpec>>,
  { held = {}, pairs = {} }: Partial<Pick<Table, 'held' | 'pairs'>> = {},
): Table {
  const specs = Object.entries(columns)
    .filter(([, spec]) => !spec.hidden)
    .map(([member, spec]) => ({ label: `${JSON.stringify(member)}:`, ...spec }));
  const selection = raw(specs.map((spec) => spec.column).join(', '));
  const table = raw(name);

  function render(row: Row): string {
    let body = '';
    for (const spec of specs) {
      const value = row[spec.column] ?? null;
      if (value === null && spec.omitNull) continue;
      body += `${body === '' ? '' : ','}${spec.label}${renderValue(spec, value)}`;
    }
    return `{${body}}`;
  }

  function encode(values: Values): [string, SqlValue][] {
    return Object.entries(values).flatMap(([member, value]) => {
      const spec = columns[member];
      return spec && value !== undefined ? [[spec.column, encodeValue(spec, value)] as [string, SqlValue]] : [];
    });
  }

  const match = (key: Key) =>
    joinSql(
      Object.entries(key).map(([part, value]) => sql`${raw(part)} = ${value}`),
      ' and ',
    );
  // Keys of one table have the same parts in the same order, or one of very few: to compare them costs less than a text.
  const finds: { readonly parts: readonly string[]; readonly strings: readonly string[] }[] = [];
  const findStatement = (key: Key): Sql => {
    const parts = Object.keys(key);
    let known = finds.find((find) => haveSame(find.parts, parts));
    if (!known) {
      const { strings } = sql`select ${selection} from ${table} where ${match(key)}`;
      known = { parts, strings: Object.freeze([...strings]) };
      finds.push(known);
    }
    return new Sql(known.strings, Object.values(key));
  };

  return {
    name,
    columns,
    lookup: columnLookup(columns),
    selection,
    held,
    pairs,
    render,
    decode: (row) => JSON.parse(render(row)) as Record<string, unknown>,
    match,
    find: (db, key) => db.one(findStatement(key)),
    async insert(db, key, values) {
      const cells = [...Object.entries(key), ...encode(values)];
      const names = raw(cells.map(([part]) => part).join(', '));
      await db.run(
        sql`insert into ${table} (${names}) values (${joinSql(
          cells.map(([, value]) => sql`${value}`),
          ', ',
        )})`,
      );
    },
    async update(db, key, { updatedAt, ...values }, extra = {}) {
      const cells = [...encode(values), ...Object.entries(extra)].map(([part, value]) => sql`${raw(part)} = ${value}`);
      // Two updates may be committed in another order than they arrived; the time still never goes back.
      const stamp = sql`updated_at = case when updated_at > ${updatedAt} then updated_at else ${updatedAt} end`;
      return (await db.run(sql`update ${table} set ${joinSql([...cells, stamp], ', ')} where ${match(key)}`)) > 0;
    },
    async remove(db, key) {
      return (await db.run(sql`delete from ${table} where ${match(key)}`)) > 0;
    },
  };
}
