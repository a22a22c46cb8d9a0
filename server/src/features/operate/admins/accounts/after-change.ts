import type { Actor } from '../../../../access/audit.ts';
import type { Db } from '../../../../db/db.ts';
import type { AdminRow } from './store.ts';

export type Standing = Pick<AdminRow, 'role' | 'apps' | 'disabled_at'>;

/** What an administrator can do no longer after a change is taken back, in the transaction that changes them. */
export type AfterAdminChange = (
  db: Db,
  change: { readonly email: string; readonly before: Standing; readonly after: Standing },
  how: { readonly by: Actor; readonly now: number },
) => Promise<void>;
