import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { rowsOf } from '../../../../db/statements/row-statements.ts';
import type { RowOf } from '../../../../db/table.ts';
import { sessionIdLength } from '../accounts/store.ts';
import { adminAgents } from './tables.ts';

export type AgentRow = RowOf<typeof adminAgents>;

const adminAgentRows = rowsOf(adminAgents);
export const insertAgent = adminAgentRows.insert;
export const findAgent = adminAgentRows.find('token_hash');

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
