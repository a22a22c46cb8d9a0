import { bigint, defineTable, nullable, text } from '../../../../db/table.ts';

/** Tokens with which agents act for an administrator in one app. */
export const adminAgents = defineTable({
  name: 'admin_agents',
  owner: 'admins',
  columns: {
    token_hash: text,
    admin_id: text,
    app_id: text,
    name: text,
    /** 1: it may change what the administrator may. */
    may_write: bigint,
    /** As of the session in which it was made. */
    provider_id: nullable(text),
    factor_proved: bigint,
    created_at: bigint,
    expires_at: bigint,
    last_used_at: nullable(bigint),
  },
  key: ['token_hash'],
  indexes: {
    admin_agents_admin: { on: ['admin_id'] },
    admin_agents_app: { on: ['app_id', 'token_hash'] },
    admin_agents_provider: { on: ['provider_id'] },
  },
});
