import { sql } from '../../../../base/sql.ts';
import type { Database } from '../../../../db/db.ts';

/** Records that one statement counts. */
const countStep = 20_000;

/** How many records belong to a user, and the bytes of their documents. */
export async function countRecordsOf(db: Database, appId: string, userId: string) {
  let [records, recordBytes] = [0, 0];
  const buckets = await db.all<{ object_id: string }>(sql`select object_id from buckets where app_id = ${appId}`);
  for (const { object_id: bucketId } of buckets)
    for (let last = ''; ; ) {
      const [step] = await db.all<{ n: number; bytes: number; last: string | null }>(
        sql`select count(*) as n, coalesce(sum(octet_length(doc)), 0) as bytes, max(object_id) as last from
          (select object_id, doc from records where app_id = ${appId} and bucket_id = ${bucketId}
            and created_by = ${userId} and object_id > ${last} order by object_id limit ${countStep}) as step`,
        { tenant: appId },
      );
      records += Number(step?.n ?? 0);
      recordBytes += Number(step?.bytes ?? 0);
      if (Number(step?.n ?? 0) < countStep) break;
      last = step?.last ?? '';
    }
  return { records, recordBytes };
}
