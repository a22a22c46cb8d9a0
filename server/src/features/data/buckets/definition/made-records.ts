import { timePrefix } from '@pharos/engine';
import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import { findBucket } from './bucket-store.ts';

interface MadeRecord {
  /** What the document says: the objectId of an installation, or its own id. */
  readonly installationId: string | undefined;
  readonly userId: string | undefined;
  /** Epoch ms. */
  readonly at: number;
}

const madePage = 500;

/** Who made records of a bucket in a period (ms, end excluded), a page at a time, oldest first. Ids begin with the time. */
export async function* recordsMade(
  db: Db,
  asked: { readonly appId: string; readonly bucket: string; readonly from: number; readonly until: number },
): AsyncGenerator<readonly MadeRecord[]> {
  const { appId, bucket, from, until } = asked;
  const found = await findBucket(db, appId, bucket);
  let after = timePrefix(from);
  while (found) {
    const rows = await db.all<{ object_id: string; doc: string; created_by: string | null; created_at: number }>(
      sql`select object_id, doc, created_by, created_at from records where app_id = ${appId}
        and bucket_id = ${found.object_id} and object_id > ${after} and object_id < ${timePrefix(until)}
        order by object_id limit ${madePage}`,
    );
    yield rows.map(({ doc, created_by, created_at }) => ({
      installationId: installationOf(doc),
      userId: created_by ?? undefined,
      at: created_at,
    }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < madePage) return;
    after = last.object_id;
  }
}

function installationOf(doc: string): string | undefined {
  const { installationId } = JSON.parse(doc) as { readonly installationId?: unknown };
  if (typeof installationId === 'string') return installationId;
  const { objectId } = (installationId ?? {}) as { readonly objectId?: unknown };
  return typeof objectId === 'string' ? objectId : undefined;
}
