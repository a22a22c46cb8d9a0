import { raw } from '../../base/sql.ts';
import type { Db } from '../db.ts';

/**
 * Makes PostgreSQL use three megabytes of its disk for a moment: an intermediate result that does not fit into its
 * memory is written to temporary files and leaves neither rows nor log behind. A sort would prove nothing, because it
 * can be done without storing the long texts; neither would an update, which may find room within a page.
 *
 * @throws Failure Timeout, caused by SQLSTATE 53100 when the disk is full
 */
export async function probePostgresRoom(db: Db): Promise<void> {
  await db.transaction(async (db) => {
    await db.run(raw("set local work_mem = '64kB'"));
    await db.all(
      raw(`with filler as materialized (select repeat(md5(n::text), 64) as text from generate_series(1, 1500) n)
        select count(*) as n from filler a where a.text = (select max(b.text) from filler b)`),
    );
  });
}
