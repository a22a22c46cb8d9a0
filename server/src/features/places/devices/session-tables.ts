import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

/** On which node a device listens now. */
export const deviceSessions = defineTable({
  name: 'device_sessions',
  owner: 'devices',
  columns: { app_id: text, device_id: text, node: text, session: text, topic: text },
  key: ['app_id', 'device_id'],
  indexes: {
    device_sessions_topic: { on: ['app_id', 'topic'] },
    device_sessions_node: { on: ['node'] },
  },
  childOf: ['devices'],
});

/** Messages on their way from one node to another, for seconds. */
export const deviceHandovers = defineTable({
  name: 'device_handovers',
  owner: 'devices',
  columns: {
    app_id: text,
    message_id: text,
    session: text,
    node: text,
    sender: text,
    payload: nullable(text),
    seconds: bigint,
    timeout_ms: bigint,
    state: text,
    result: nullable(text),
    expires_at: bigint,
  },
  key: ['app_id', 'message_id'],
  indexes: {
    device_handovers_new: { on: ['node'], isPartial: true },
    device_handovers_done: { on: ['sender'], isPartial: true },
    device_handovers_session: { on: ['app_id', 'session'] },
    device_handovers_expiry: { on: ['expires_at'] },
  },
  childOf: ['devices'],
});
