import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import type { NewRowOf, RowOf } from '../../../../db/table.ts';
import { sessionIdLength } from '../accounts/store.ts';
import type { adminAgents } from './tables.ts';

export type AgentRow = RowOf<typeof adminAgents>;

export async function insertAgent(db: Db, row: NewRowOf<typeof adminAgents>): Promise<void> {
  await db.run(sql`insert into admin_agents (token_hash, admin_id, app_id, name, may_write, provider_id, factor_proved,
      created_at, expires_at)
    values (${row.token_hash}, ${row.admin_id}, ${row.app_id}, ${row.name}, ${row.may_write}, ${row.provider_id ?? null},
      ${row.factor_proved}, ${row.created_at}, ${row.expires_at})`);
}

export function findAgent(db: Db, tokenHash: string): Promise<AgentRow | undefined> {
  return db.one(sql`select * from admin_agents where token_hash = ${tokenHash}`);
}

/** Those that still count, the newest first. */
export function listAgents(db: Db, adminId: string, now: number): Promise<AgentRow[]> {
  return db.all(sql`select * from admin_agents where admin_id = ${adminId} and expires_at > ${now}
    order by created_at desc, token_hash`);
}

export async function noteAgentUse(db: Db, tokenHash: string, now: number): Promise<void> {
  await db.run(sql`update admin_agents set last_used_at = ${now} where token_hash = ${tokenHash}`);
}

/** Undefined if this administrator has no such agent. In a transaction. */
export async function deleteAgent(db: Db, adminId: string, agentId: string): Promise<AgentRow | undefined> {
  const row = await db.one<AgentRow>(sql`select * from admin_agents where admin_id = ${adminId}
    and substr(token_hash, 1, ${sessionIdLength}) = ${agentId}`);
  if (row) await db.run(sql`delete from admin_agents where token_hash = ${row.token_hash}`);
  return row;
}

export async function deleteEndedAgents(db: Db, now: number): Promise<void> {
  await db.run(sql`delete from admin_agents where expires_at <= ${now}`);
}
