import { defineTable, number, pointer, text, time } from '../../resources/table.ts';

/** Written by the proximity engine, one row for each installation; it has the objectId of the installation. */
export const positionTable = defineTable('positions', {
  objectId: text('object_id'),
  installationId: pointer('installation_id', '_Installation', { indexed: true }),
  beaconId: pointer('beacon_id', 'Beacon', { indexed: true }),
  distance: number('distance'),
  confidence: number('confidence', { omitNull: true }),
  x: number('x', { omitNull: true }),
  y: number('y', { omitNull: true }),
  floor: number('floor', { omitNull: true }),
  accuracy: number('accuracy', { omitNull: true }),
  occurredAt: time('sensed_at'),
  updatedAt: time('updated_at'),
});
