import { defineTable, text, time } from '../../resources/table.ts';

export const deviceTable = defineTable('devices', {
  objectId: text('object_id'),
  deviceName: text('device_name'),
  manufacture: text('manufacture'),
  topic: text('topic'),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
});
