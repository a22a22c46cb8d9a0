import { raw, type Sql } from '../../../base/sql.ts';
import { bulkInsert } from '../../../db/bulk.ts';
import type { Dialect } from '../../../db/dialect.ts';
import { type NewPosition, positionRow, positions } from '../traces/positions.ts';

/** Where each installation was last known to be: one row each, written sparsely. */
const savedPositions = bulkInsert(positions.table, {
  conflict: raw(`on conflict (app_id, object_id) do update
    set beacon_id = excluded.beacon_id, distance = excluded.distance, confidence = excluded.confidence, x = excluded.x,
      y = excluded.y, floor = excluded.floor, accuracy = excluded.accuracy, sensed_at = excluded.sensed_at,
      updated_at = excluded.updated_at`),
});

export const savePositions = (dialect: Dialect, rows: readonly NewPosition[]): Sql[] =>
  savedPositions.each(dialect, rows.map(positionRow));
