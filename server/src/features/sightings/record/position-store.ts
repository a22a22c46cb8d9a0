import { raw, type Sql } from '../../../base/sql.ts';
import type { Dialect } from '../../../db/dialect.ts';
import { insertRows } from '../../../db/rows.ts';
import type { Whereabouts } from '../decide/whereabouts.ts';

/** Where each installation was last known to be: one row each, written sparsely. */

export interface NewPosition {
  readonly appId: string;
  readonly installationId: string;
  readonly whereabouts: Whereabouts;
  readonly now: number;
}

const positions = insertRows(
  [
    'text',
    'text',
    'text',
    'text',
    'double precision',
    'double precision',
    'double precision',
    'double precision',
    'double precision',
    'double precision',
    'bigint',
    'bigint',
  ],
  raw(
    `positions (app_id, object_id, installation_id, beacon_id, distance, confidence, x, y, floor, accuracy, sensed_at, updated_at)`,
  ),
  raw(`on conflict (app_id, object_id) do update
    set beacon_id = excluded.beacon_id, distance = excluded.distance, confidence = excluded.confidence, x = excluded.x,
      y = excluded.y, floor = excluded.floor, accuracy = excluded.accuracy, sensed_at = excluded.sensed_at,
      updated_at = excluded.updated_at`),
);

export function savePositions(dialect: Dialect, rows: readonly NewPosition[]): Sql[] {
  return positions.each(
    dialect,
    rows.map(({ appId, installationId, now, whereabouts: { beaconId, distance, confidence, position, sensedAt } }) => [
      appId,
      installationId,
      installationId,
      beaconId,
      distance,
      confidence ?? null,
      position?.x ?? null,
      position?.y ?? null,
      position?.floor ?? null,
      position?.accuracy ?? null,
      sensedAt,
      now,
    ]),
  );
}
