import { raw, sql } from '../../../base/sql.ts';
import { bulkDelete, bulkInsert, bulkUpdate } from '../../../db/bulk.ts';
import type { Database, Db } from '../../../db/db.ts';
import { bigint, defineTable, nullable, type RowOf, text } from '../../../db/table.ts';
import { dayMs } from './days/day.ts';
import type { Finding, FindingKind } from './detect/fleet.ts';

/**
 * `open`: somebody has to see to it. `seen`: somebody knows. `done`: somebody has mended it; if it is found three days later all the same, it
 * is open again. `muted`: nobody wants to know, now or later.
 */
export const findingStates = ['open', 'seen', 'done', 'muted'] as const;
export type FindingState = (typeof findingStates)[number];

/** What is found of a beacon now (`found_at`: since when, ms), or what was done about it. */
export const beaconFindings = defineTable({
  name: 'beacon_findings',
  owner: 'fleet',
  columns: {
    app_id: text,
    beacon_id: text,
    kind: text,
    since: bigint,
    facts: text,
    found_at: nullable(bigint),
    state: text,
    state_at: nullable(bigint),
    by_admin: nullable(text),
  },
  key: ['app_id', 'beacon_id', 'kind'],
  stepBy: 'beacon_id',
});

export interface FindingRow extends Omit<RowOf<typeof beaconFindings>, 'kind' | 'state'> {
  readonly kind: FindingKind;
  readonly state: FindingState;
}

/** How long after the repair it may still be found. */
const mendingMs = 3 * dayMs;
/** How long the change of a battery stays known. */
const doneKeptMs = 120 * dayMs;

const inserted = bulkInsert(beaconFindings);
const saved = bulkUpdate(beaconFindings, {
  by: ['app_id', 'beacon_id', 'kind'],
  set: ['since', 'facts', 'found_at', 'state', 'state_at', 'by_admin'],
});
const deleted = bulkDelete(beaconFindings, ['app_id', 'beacon_id', 'kind']);

export async function listFindings(db: Db, appId: string): Promise<readonly FindingRow[]> {
  return db.all<FindingRow>(
    sql`select * from beacon_findings where app_id = ${appId} order by found_at, beacon_id, kind`,
  );
}

/** Replaces the findings, and keeps what somebody has done about them. */
export async function saveFindings(db: Database, appId: string, found: readonly Finding[], now: number): Promise<void> {
  await db.transaction(async (db) => {
    const rows = await db.all<FindingRow>(sql`select * from beacon_findings where app_id = ${appId}
      order by beacon_id, kind${raw(db.dialect.lockRow)}`);
    const known = new Map(rows.map((row) => [keyOf(row.beacon_id, row.kind), row]));
    const next = found.map((one) => rowOf(appId, one, known.get(keyOf(one.beaconId, one.kind)), now));
    const isFound = new Set(next.map((row) => keyOf(row.beacon_id, row.kind)));
    const gone = rows.filter((row) => !isFound.has(keyOf(row.beacon_id, row.kind)));
    const isKept = ({ state, state_at: at }: FindingRow) =>
      state === 'muted' || (state === 'done' && now - (at ?? 0) < doneKeptMs);
    const statements = [
      ...inserted.each(
        db.dialect,
        next.filter((row) => !known.has(keyOf(row.beacon_id, row.kind))),
      ),
      ...saved.each(db.dialect, [
        ...next.filter((row) => known.has(keyOf(row.beacon_id, row.kind))),
        ...gone.filter((row) => isKept(row) && row.found_at !== null).map((row) => ({ ...row, found_at: null })),
      ]),
      ...deleted.each(
        db.dialect,
        gone.filter((row) => !isKept(row)),
      ),
    ];
    for (const statement of statements) await db.run(statement);
  });
}

const keyOf = (beaconId: string, kind: string) => `${beaconId} ${kind}`;

function rowOf(
  appId: string,
  { beaconId, kind, since, facts }: Finding,
  known: FindingRow | undefined,
  now: number,
): FindingRow {
  const isOver = known?.state === 'done' && now - (known.state_at ?? 0) > mendingMs;
  const { state, state_at, by_admin } =
    known && !isOver ? known : ({ state: 'open', state_at: null, by_admin: null } as const);
  return {
    ...{ app_id: appId, beacon_id: beaconId, kind, facts: JSON.stringify(facts), state, state_at, by_admin },
    since: known?.found_at ? Math.min(known.since, since) : since,
    found_at: known?.found_at ?? now,
  };
}

/** False if there is no such finding. */
export async function setState(
  db: Db,
  { appId, beaconId, kind }: { readonly appId: string; readonly beaconId: string; readonly kind: string },
  { state, by, now }: { readonly state: FindingState; readonly by: string; readonly now: number },
): Promise<boolean> {
  const changed = await db.run(sql`update beacon_findings
    set state = ${state}, state_at = ${state === 'open' ? null : now}, by_admin = ${state === 'open' ? null : by}
    where app_id = ${appId} and beacon_id = ${beaconId} and kind = ${kind}`);
  return changed > 0;
}
