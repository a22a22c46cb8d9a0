import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { bigint, defineTable, nullable, text as textColumn, withDefault } from '../../../db/table.ts';
import { topicFault } from '../../../delivery/mqtt/mqtt-message.ts';
import { madeRecord } from '../../../http/answers.ts';
import { defineShape, sentence } from '../../../http/shape.ts';
import { defineResource } from '../../../resources/define.ts';
import { madeMembers, text } from '../../../resources/members/members.ts';

const members = {
  deviceName: Type.String({ minLength: 3, maxLength: 64 }),
  manufacture: Type.String({ minLength: 3, maxLength: 64 }),
  topic: Type.String({
    minLength: 3,
    maxLength: 64,
    description: 'The topic that the device listens to, without wildcards',
  }),
};

const deviceShape = defineShape(Type.Object(members), {
  rules: ({ topic }) => {
    const fault = topic === undefined ? undefined : topicFault(topic);
    return fault === undefined ? [] : [{ field: 'topic', problem: fault }];
  },
  // The specification has its own error for the name, and none for the other members.
  failure: (details) => {
    const name = details.some(({ field }) => field === 'deviceName') ? 'deviceName' : 'ValidationError';
    return fail(name, { message: sentence(details), details });
  },
});

export const deviceExample = { deviceName: 'Gateway 3', manufacture: 'Acme', topic: 'museum/gateway-3' };

const deviceRecord = madeRecord(members, deviceExample);

export const devices = defineResource({
  owner: 'devices',
  table: 'devices',
  noun: ['device', 'devices'],
  tag: {
    name: 'Devices',
    description: 'Devices that listen to a topic.',
    place: 160,
    console: { read: 'devices.read', write: 'devices.write' },
  },
  path: '/device',
  record: deviceRecord,
  body: {
    shape: deviceShape,
    example: deviceExample,
    errors: ['deviceName', 'ValidationError'],
    wrapsInArray: true,
  },
  members: {
    objectId: text('object_id'),
    deviceName: text('device_name'),
    manufacture: text('manufacture'),
    topic: text('topic'),
    ...madeMembers,
  },
  internal: { by_admin: withDefault(bigint) },
  indexes: {
    devices_topic: { on: ['app_id', 'topic'] },
    devices_created_by: { on: ['app_id', 'created_by', 'object_id'] },
  },
  users: ['created_by'],
  rules: 'devices',
});

/** What a device shows when it connects by MQTT. */
export const deviceCredentials = defineTable({
  name: 'device_credentials',
  owner: 'devices',
  columns: {
    app_id: textColumn,
    device_id: textColumn,
    /** Empty when the credentials were revoked. */
    password_hash: textColumn,
    issued_at: bigint,
    /** For which they were issued; null: for any, from before this column. */
    topic: nullable(textColumn),
    /** What somebody has revoked or replaced, for as long as it can be brought back. */
    former_hash: nullable(textColumn),
    former_issued_at: nullable(bigint),
    former_at: nullable(bigint),
  },
  key: ['app_id', 'device_id'],
  childOf: ['devices'],
});
