import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import type { Key } from '../../../resources/table.ts';
import { beaconShape, beacons, gatewayKey, uuidKey } from './resource.ts';

export interface ImportedBeacon {
  readonly appId: string;
  readonly objectId: string;
  /** The body, as the interface takes it. */
  readonly body: unknown;
  /** Epoch ms. */
  readonly createdAt: number;
}

/**
 * The name of a beacon that has this UUID, major and minor already: the same name, if one has it. Nothing is written.
 *
 * @throws Failure ValidationError
 */
export async function findImported(
  db: Db,
  { appId, body }: ImportedBeacon,
): Promise<{ readonly name: string } | undefined> {
  const { uuid, major, minor, name } = beaconShape.readCreate(body);
  const found = await db.all<{ name: string }>(sql`select name from beacons
    where app_id = ${appId} and uuid_key = ${uuidKey(uuid)} and major = ${major} and minor = ${minor} limit 100`);
  return found.find((beacon) => beacon.name === name) ?? found[0];
}

/** `noteChange` is called in the same transaction. */
export async function insertBeacon(
  db: Db,
  { appId, objectId, body, createdAt }: ImportedBeacon,
  noteChange: (db: Db, key: Key) => Promise<void>,
): Promise<void> {
  const values = beaconShape.readCreate(body);
  const key = { app_id: appId, object_id: objectId };
  const cells = { ...key, uuid_key: uuidKey(values.uuid), gateway_key: gatewayKey(values.metadata) };
  await db.transaction(async (db) => {
    await beacons.records.insert(db, cells, { metadata: null, ...values, createdAt, updatedAt: createdAt });
    await noteChange(db, key);
  });
}
