import type { ColumnField, FieldLookup, FieldType } from '@pharos/query';
import { venueOfBeacon } from '../access/venue-limit.ts';
import { joinSql, raw, Sql, type SqlValue, sql } from '../base/sql.ts';
import type { Db, Row } from '../db/db.ts';
import type { Cells, Columns, DbTable, Index } from '../db/table.ts';
import type { ListedTable } from './lists/listed-table.ts';
import type { Pairs } from './lists/plan.ts';
import {
  encodeValue,
  isLeftOut,
  isSet,
  type Member,
  type MemberKind,
  type Members,
  type MemberValues,
  showCell,
} from './members/members.ts';
import { compileRender } from './members/render.ts';

/** The columns that make a row findable: always `app_id`, and what else the table's primary key has. */
export type Key = Readonly<Record<string, SqlValue>>;

export type Values = Readonly<Record<string, unknown>>;

/** The rows of a table as records of the interface. */
export interface RecordTable<M extends Members = Members, C extends Columns = Columns> extends ListedTable {
  readonly members: M;
  /**
   * Names that rules may use: those of lists, `byAdmin` of tables that note it, and `venueId`, the venue of the beacon that
   * a row names.
   */
  readonly ruleLookup: FieldLookup;
  decode(row: Row): Record<string, unknown>;
  /** Renders a row that is not read from the database; missing cells are left out. */
  show(cells: Partial<Cells<C>>): Record<string, unknown>;
  /** `a = ? and b = ?` */
  match(key: Key): Sql;
  find(db: Db, key: Key): Promise<Row | undefined>;
  /** @throws Error for a member or a column that the declaration does not know */
  insert(db: Db, cells: Partial<Cells<C>>, values: MemberValues<M>): Promise<void>;
  /**
   * Replaces the members in `values`, and the columns in `cells`; undefined members are left alone. False when there is no
   * such row.
   *
   * @throws Error for a member or a column that the declaration does not know
   */
  update(
    db: Db,
    key: Key,
    values: MemberValues<M> & { readonly updatedAt: number },
    cells?: Partial<Cells<C>>,
  ): Promise<boolean>;
  remove(db: Db, key: Key): Promise<boolean>;
}

const fieldTypes: Record<MemberKind, FieldType> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  time: 'date',
  json: 'json',
  pointer: 'pointer',
};

/** Which indexes of a table lists may rely on. */
interface Promised {
  readonly indexed: ReadonlyMap<string, true | 'unique'>;
  readonly pairs: Pairs;
}

const nothing: Promised = { indexed: new Map(), pairs: {} };

/** Of the indexes that begin with app_id and end with object_id, or hold at most one row or few rows for each value. */
function promisedBy(table: Pick<DbTable, 'indexes'>): Promised {
  const indexed = new Map<string, true | 'unique'>();
  const pairs: Record<string, string> = {};
  for (const index of Object.values(table.indexes ?? {})) {
    const [app, column, next, last] = index.on;
    if (app !== 'app_id' || column === undefined || index.isPartial) continue;
    const promise = promiseOf(index);
    if (promise) indexed.set(column, promise);
    else if (next !== undefined && last === 'object_id') pairs[column] = next;
  }
  return { indexed, pairs };
}

function promiseOf({ on, isUnique, hasFew }: Index): true | 'unique' | undefined {
  const [, , next] = on;
  if (isUnique) return on.length === 2 ? 'unique' : undefined;
  return next === 'object_id' || (hasFew && next === undefined) ? true : undefined;
}

/** A lookup over members. One of kind `json` is reachable with a path below it, such as `location.x`. */
export function memberLookup(members: Members, { indexed }: Pick<Promised, 'indexed'> = nothing): FieldLookup {
  const fields = new Map(
    Object.entries(members).map(([name, spec]) => [name, fieldOf(name, spec, indexed.get(spec.column))]),
  );
  return (name) => {
    const [head = '', ...path] = name.split('.');
    const field = fields.get(head);
    if (!field || path.length === 0) return field;
    return field.type === 'json' ? { ...field, path } : undefined;
  };
}

function fieldOf(name: string, spec: Member, index: true | 'unique' | undefined): ColumnField {
  // The last column of every primary key.
  const indexed = name === 'objectId' ? 'unique' : index;
  const className = spec.className === undefined ? {} : { className: spec.className };
  return {
    from: 'column',
    column: spec.column,
    type: fieldTypes[spec.kind],
    ...className,
    ...(indexed ? { indexed } : {}),
    ...(isSet(spec) ? { isSet: true } : {}),
  };
}

function haveSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let place = 0; place < some.length; place++) if (some[place] !== others[place]) return false;
  return true;
}

const match = (key: Key): Sql =>
  joinSql(
    Object.entries(key).map(([part, value]) => sql`${raw(part)} = ${value}`),
    ' and ',
  );

/** The statement that reads the row with a key. Its text is joined once for each set of parts. */
function finder(table: Sql, selection: Sql): (key: Key) => Sql {
  // Keys of one table have the same parts in the same order, or one of very few: comparing them costs less than building a text.
  const finds: { readonly parts: readonly string[]; readonly strings: readonly string[] }[] = [];
  return (key) => {
    const parts = Object.keys(key);
    let known = finds.find((find) => haveSame(find.parts, parts));
    if (!known) {
      const { strings } = sql`select ${selection} from ${table} where ${match(key)}`;
      known = { parts, strings: Object.freeze([...strings]) };
      finds.push(known);
    }
    return new Sql(known.strings, Object.values(key));
  };
}

/** Made in the management console. */
const byAdmin: ColumnField = Object.freeze({ from: 'column', column: 'by_admin', type: 'boolean', isSet: true });

/** What rules may speak of beside the members. */
function ruleFields(table: string, columns: Columns, members: Members, lookup: FieldLookup): FieldLookup {
  const beacon = Object.entries(members).find(([name, { className }]) => name === 'beaconId' && className === 'Beacon');
  const venueId: ColumnField | undefined =
    beacon === undefined || 'venueId' in members
      ? undefined
      : { from: 'column', column: venueOfBeacon(table, beacon[1].column), type: 'pointer', className: 'Venue' };
  if (!('by_admin' in columns) && venueId === undefined) return lookup;
  return (name) => {
    if (name === 'byAdmin' && 'by_admin' in columns) return byAdmin;
    return name === 'venueId' && venueId !== undefined ? venueId : lookup(name);
  };
}

type Extras = Partial<Pick<RecordTable, 'held' | 'pairs'>>;

/**
 * Rows of a table as records: where each member is kept is declared once, and reading, writing, filtering and rendering follow
 * from it.
 */
export function recordsOf<const M extends Members, C extends Columns>(
  table: DbTable<C>,
  members: M & { readonly [K in keyof M]: { readonly column: keyof C } },
  { held = {}, pairs }: Extras = {},
): RecordTable<M, C> {
  const promised = promisedBy(table);
  const shown = Object.entries<Member>(members).filter(([, spec]) => !spec.hidden);
  const selection = raw(shown.map(([, spec]) => spec.column).join(', '));
  const name = raw(table.name);
  const render = compileRender(shown);
  const findStatement = finder(name, selection);

  function show(cells: object): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    for (const [member, spec] of shown) {
      const value = (cells as Partial<Row>)[spec.column];
      if (value === undefined || (value === null && isLeftOut(spec))) continue;
      record[member] = showCell(spec, value);
    }
    return record;
  }

  function encode(values: object): [string, SqlValue][] {
    return Object.entries(values).flatMap(([member, value]) => {
      const spec: Member | undefined = members[member];
      if (!spec) throw new Error(`The records of ${table.name} have no member ${member}.`);
      return value === undefined ? [] : [[spec.column, encodeValue(spec, value)] as [string, SqlValue]];
    });
  }

  function known(cells: object): [string, SqlValue][] {
    const given = Object.entries(cells) as [string, SqlValue][];
    const unknown = given.find(([column]) => !(column in table.columns));
    if (unknown) throw new Error(`The table ${table.name} has no column ${unknown[0]}.`);
    return given;
  }

  const lookup = memberLookup(members, promised);
  return {
    name: table.name,
    members,
    lookup,
    ruleLookup: ruleFields(table.name, table.columns, members, lookup),
    selection,
    held,
    pairs: pairs ?? promised.pairs,
    render,
    decode: (row) => JSON.parse(render(row)) as Record<string, unknown>,
    show,
    match,
    find: (db, key) => db.one(findStatement(key)),
    async insert(db, given, values) {
      const cells = [...known(given), ...encode(values)];
      const names = raw(cells.map(([part]) => part).join(', '));
      await db.run(
        sql`insert into ${name} (${names}) values (${joinSql(
          cells.map(([, value]) => sql`${value}`),
          ', ',
        )})`,
      );
    },
    async update(db, key, { updatedAt, ...values }, extra = {}) {
      // A column is assigned once, whatever both say: PostgreSQL refuses a second time.
      const assigned = new Map([...encode(values), ...known(extra)]);
      const cells = [...assigned].map(([part, value]) => sql`${raw(part)} = ${value}`);
      // Two updates may be committed in a different order from their arrival; the time still never goes back.
      const stamp = sql`updated_at = case when updated_at > ${updatedAt} then updated_at else ${updatedAt} end`;
      return (await db.run(sql`update ${name} set ${joinSql([...cells, stamp], ', ')} where ${match(key)}`)) > 0;
    },
    async remove(db, key) {
      return (await db.run(sql`delete from ${name} where ${match(key)}`)) > 0;
    },
  };
}
