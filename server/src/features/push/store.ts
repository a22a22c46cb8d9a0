import type { Db } from '../../db/db.ts';
import { sql } from '../../sql.ts';

export interface PushRecord {
  readonly appId: string;
  readonly pushId: string;
  /** JSON text. */
  readonly data: string;
  /** A where-object as JSON text; null for every installation. */
  readonly audience: string | null;
  readonly userId: string | null;
  readonly now: number;
}

export async function insertPush(db: Db, push: PushRecord): Promise<void> {
  await db.run(sql`insert into pushes (app_id, object_id, data, audience, state, user_id, created_at, updated_at)
    values (${push.appId}, ${push.pushId}, ${push.data}, ${push.audience}, 'accepted', ${push.userId}, ${push.now}, ${push.now})`);
}
