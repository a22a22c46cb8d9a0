import { joinSql, raw, Shapes, type Sql, type SqlValue, sql } from '../../base/sql.ts';
import type { Db, Row } from '../db.ts';
import type { DbTable, NewRowOf, RowOf } from '../table.ts';

/** Statements about rows of one declared table; about many rows at once see `../bulk.ts`. */

type Name<R> = keyof R & string;
/** A cell for each of the columns, in their order. */
type CellsOf<R, By extends readonly Name<R>[]> = { readonly [P in keyof By]: NonNullable<R[By[P]]> };
/** The cells of a new row that a type of rows describes more closely than the table. */
type NewOf<T extends DbTable, R> = { readonly [N in keyof NewRowOf<T>]: N extends keyof R ? R[N] : NewRowOf<T>[N] };

const comma = (parts: readonly Sql[]) => joinSql(parts, ', ');
const assigned = (name: string) => sql`${raw(name)} = ${null}`;

/** Whose rows match: a condition with a parameter for each column. */
const matching = (by: readonly string[]): Sql =>
  by.length === 0 ? sql`` : sql` where ${joinSql(by.map(assigned), ' and ')}`;

/**
 * Makes statements about the rows of a table. Those that find rows by some columns take a cell for each, in their order:
 *
 * @example
 * export const findWebhook = rowsOf(webhooks).find('app_id', 'object_id');
 * const row = await findWebhook(db, appId, objectId);
 */
export function rowsOf<T extends DbTable, R extends object = RowOf<T>>({ name, key, columns }: T) {
  const table = raw(name);
  const others = Object.keys(columns).filter((each) => !key.includes(each));
  const shapes = new Shapes();
  /** Builds each statement's text once: one per function made here, and one per set of columns of new rows. */
  const fixed = (kind: string, names: readonly string[], values: readonly unknown[], make: () => Sql): Sql =>
    shapes.of(`${kind} ${names.join()}`, values as readonly SqlValue[], make);
  const select = (by: readonly string[], cells: readonly unknown[], end = '') =>
    fixed(`select${end}`, by, cells, () => sql`select * from ${table}${matching(by)}${raw(end)}`);
  const remove = (db: Db, by: readonly string[], cells: readonly unknown[]) =>
    db.run(fixed('delete', by, cells, () => sql`delete from ${table}${matching(by)}`));
  const insert = (db: Db, row: object, end: string) => {
    const cells = Object.entries(row).filter(([each, cell]) => each in columns && cell !== undefined);
    const names = cells.map(([each]) => each);
    const values = cells.map(([, cell]) => cell);
    const make = () => {
      const taken = names.filter((each) => !key.includes(each)).map((each) => raw(`${each} = excluded.${each}`));
      const conflict = end === 'save' ? sql` on conflict (${raw(key.join())}) do update set ${comma(taken)}` : raw(end);
      return sql`insert into ${table} (${raw(names.join(', '))}) values (${comma(names.map(() => sql`${null}`))})${conflict}`;
    };
    return db.run(fixed(`insert${end}`, names, values, make));
  };
  const update = (db: Db, row: object, by: readonly string[], set: readonly string[]) => {
    const names = [...set, ...by];
    const cells = names.map((each) => (row as Row)[each]);
    const make = () => sql`update ${table} set ${comma(set.map(assigned))}${matching(by)}`;
    return db.run(fixed(`update ${set.length}`, names, cells, make));
  };
  return {
    find:
      <const By extends readonly Name<R>[]>(...by: By) =>
      (db: Db, ...cells: CellsOf<R, By>): Promise<R | undefined> =>
        db.one<R>(select(by, cells)),
    /** In a transaction: the row cannot change until it ends. */
    lock:
      <const By extends readonly Name<R>[]>(...by: By) =>
      (db: Db, ...cells: CellsOf<R, By>): Promise<R | undefined> =>
        db.one<R>(select(by, cells, db.dialect.lockRow)),
    /** In the order of the columns, the first one first. */
    list: <const By extends readonly Name<R>[]>(by: By, order: readonly (Name<R> | `${Name<R>} desc`)[]) => {
      const end = ` order by ${order.join(', ')}`;
      return (db: Db, ...cells: CellsOf<R, By>): Promise<R[]> => db.all<R>(select(by, cells, end));
    },
    /** Deletes rows; answers how many. */
    remove:
      <const By extends readonly Name<R>[]>(...by: By) =>
      (db: Db, ...cells: CellsOf<R, By>): Promise<number> =>
        remove(db, by, cells),
    /** Deletes a row; false if there is none. */
    take:
      <const By extends readonly Name<R>[]>(...by: By) =>
      async (db: Db, ...cells: CellsOf<R, By>): Promise<boolean> =>
        (await remove(db, by, cells)) > 0,
    /** @throws UniqueViolation */
    insert: async (db: Db, row: NewOf<T, R>): Promise<void> => void (await insert(db, row, '')),
    /** False if a unique value is there already. */
    add: async (db: Db, row: NewOf<T, R>): Promise<boolean> => (await insert(db, row, ' on conflict do nothing')) > 0,
    /** The cells of a row of the same key are replaced by those that are given. */
    save: async (db: Db, row: NewOf<T, R>): Promise<void> => void (await insert(db, row, 'save')),
    /** Changes the cells of these columns. Returns the number of rows. */
    update: <const By extends Name<R>, const Set extends Name<R>>(by: readonly By[], set: readonly Set[]) => {
      return (db: Db, row: Readonly<Pick<R, By | Set>>): Promise<number> => update(db, row, by, set);
    },
    /** In the transaction that has locked the row: writes all of its cells. */
    write: async (db: Db, row: R): Promise<void> => void (await update(db, row, key, others)),
  };
}
