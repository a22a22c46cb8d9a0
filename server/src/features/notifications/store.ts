import { boolean, defineTable, json, pointer, text, time } from '../../resources/table.ts';

export const notificationTable = defineTable('notifications', {
  objectId: text('object_id'),
  description: text('description'),
  beaconId: pointer('beacon_id', 'Beacon', { indexed: true }),
  event: text('event'),
  type: text('type'),
  message: json('message'),
  isEnabled: boolean('is_enabled'),
  delivery: json('delivery', { omitNull: true }),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
});
