import { bigint, defineTable, nullable, text, withDefault } from '../../db/table.ts';

export const admins = defineTable({
  name: 'admins',
  owner: 'admins',
  columns: {
    admin_id: text,
    email: text,
    email_key: text,
    name: text,
    password_hash: text,
    role: text,
    disabled_at: nullable(bigint),
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['admin_id'],
  indexes: { admins_email: { on: ['email_key'], isUnique: true } },
});

export const adminSessions = defineTable({
  name: 'admin_sessions',
  owner: 'admins',
  columns: {
    session_hash: text,
    admin_id: text,
    created_at: bigint,
    last_used_at: bigint,
    expires_at: bigint,
    confirmed_at: withDefault(bigint),
  },
  key: ['session_hash'],
  indexes: { admin_sessions_admin: { on: ['admin_id'] } },
});
