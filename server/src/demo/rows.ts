import { joinSql, raw, type SqlValue, sql } from '../base/sql.ts';
import type { Db } from '../db/db.ts';

/** Many rows in few statements. */

export type Cells = readonly SqlValue[];

export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
}

/** Possible numbers of rows in a statement; only a few, so that few statements are prepared. */
const lengths = [64, 8, 1] as const;

/** Writes rows that do not exist yet. Returns how many were given. */
export async function insertRows(db: Db, { table, columns, rows }: TableRows): Promise<number> {
  const head = sql`insert into ${raw(table)} (${raw(columns.join(', '))}) values `;
  for (let start = 0; start < rows.length; ) {
    const length = lengths.find((candidate) => candidate <= rows.length - start) ?? 1;
    const tuples = rows.slice(start, start + length).map((cells) => {
      const values = cells.map((cell) => sql`${cell}`);
      return sql`(${joinSql(values, ', ')})`;
    });
    await db.run(sql`${head}${joinSql(tuples, ', ')} on conflict do nothing`);
    start += length;
  }
  return rows.length;
}

/** What one tour or push leaves in the app's tables. */
export const traceColumns = {
  events:
    'app_id object_id event beacon_id installation_id visit_id occurred_at distance entered_at left_at cause inferred created_at',
  visits:
    'app_id object_id beacon_id installation_id entered_at left_at dwell is_open source ended_by inferred created_at updated_at',
  logs: 'app_id object_id module_type event beacon_id installation_id occurred_at event_id created_at updated_at',
  verdicts:
    'app_id object_id event_id trigger_id kind event beacon_id installation_id visit_id outcome reason explanation decided_at due_at delivery_id created_at',
  firings: 'app_id installation_id fired_at event_id trigger_id visit_id',
  deliveries:
    'app_id object_id push_id event_id trigger_id installation_id state reason sender attempts run_at expires_at sent_at received_at opened_at created_at updated_at',
  pushes:
    'app_id object_id data audience state user_id expires_at expanded_to audience_count sent_count failed_count expired_count no_target_count created_at updated_at',
} as const;
export type TraceTable = keyof typeof traceColumns;

/** Rows by table, collected before they are written together. */
export class Traces {
  readonly #rows = new Map<TraceTable, Cells[]>();

  add(table: TraceTable, ...rows: readonly Cells[]): void {
    const known = this.#rows.get(table);
    if (known) known.push(...rows);
    else this.#rows.set(table, [...rows]);
  }

  rowsOf(table: TraceTable): readonly Cells[] {
    return this.#rows.get(table) ?? [];
  }

  async write(db: Db): Promise<number> {
    let count = 0;
    for (const [table, rows] of this.#rows)
      count += await insertRows(db, { table, columns: traceColumns[table].split(' '), rows });
    return count;
  }
}
