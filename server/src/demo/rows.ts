import { joinSql, listSql, raw, type SqlValue, sql } from '../base/sql.ts';
import type { Db } from '../db/db.ts';
import type { Columns, DbTable, NewCells } from '../db/table.ts';
import { messagePlaces, messageShowings } from '../features/insights/analytics/messages/tables.ts';
import { deliveries, pushes } from '../features/messages/push/resource.ts';
import { logs } from '../features/presence/logs/resource.ts';
import { events, verdicts } from '../features/presence/sightings/traces/events.ts';
import { firings } from '../features/presence/sightings/traces/tables.ts';
import { visits } from '../features/presence/sightings/traces/visits.ts';

type RowCells = readonly SqlValue[];

export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly RowCells[];
}

/** Possible numbers of rows in a statement; only a few, so that few statements are prepared. */
const lengths = [64, 8, 1] as const;

/** Writes rows that do not exist yet. Returns how many were given. */
export async function insertRows(db: Db, { table, columns, rows }: TableRows): Promise<number> {
  const head = sql`insert into ${raw(table)} (${raw(columns.join(', '))}) values `;
  for (let start = 0; start < rows.length; ) {
    const length = lengths.find((candidate) => candidate <= rows.length - start) ?? 1;
    const tuples = rows.slice(start, start + length).map((cells) => sql`(${listSql(cells)})`);
    await db.run(sql`${head}${joinSql(tuples, ', ')} on conflict do nothing`);
    start += length;
  }
  return rows.length;
}

/** The same with named cells; what may be null or has a default may be left out. */
export function insertNew<C extends Columns>(
  db: Db,
  table: DbTable<C>,
  rows: readonly NewCells<NoInfer<C>>[],
): Promise<number> {
  const given = rows as readonly Readonly<Record<string, SqlValue | undefined>>[];
  // A default counts only where no row says otherwise.
  const columns = Object.keys(table.columns).filter((name) => given.some((row) => row[name] !== undefined));
  const cells = given.map((row) => columns.map((name) => row[name] ?? null));
  return insertRows(db, { table: table.name, columns, rows: cells });
}

/** What one tour or push leaves in the app's tables. */
export const demoTables = {
  events: events.table,
  visits: visits.table,
  logs: logs.table,
  verdicts: verdicts.table,
  firings,
  message_showings: messageShowings,
  message_places: messagePlaces,
  deliveries: deliveries.table,
  pushes: pushes.table,
} as const;
export type TraceTable = keyof typeof demoTables;
type TraceRow<T extends TraceTable> = NewCells<(typeof demoTables)[T]['columns']>;

/** Rows by table, collected before they are written together. */
export class Traces {
  readonly #rows = new Map<TraceTable, unknown[]>();

  add<T extends TraceTable>(table: T, ...rows: readonly TraceRow<T>[]): void {
    const known = this.#rows.get(table);
    if (known) known.push(...rows);
    else this.#rows.set(table, [...rows]);
  }

  rowsOf<T extends TraceTable>(table: T): readonly TraceRow<T>[] {
    return (this.#rows.get(table) ?? []) as TraceRow<T>[];
  }

  async write(db: Db): Promise<number> {
    let count = 0;
    for (const [table, rows] of this.#rows) count += await insertNew(db, demoTables[table] as DbTable, rows as never);
    return count;
  }
}
