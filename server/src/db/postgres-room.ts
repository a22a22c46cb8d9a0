import { raw } from '../sql.ts';
import type { Db } from './db.ts';

/**
 * Makes PostgreSQL need some megabytes on its disk for a moment: a sort that does not fit into its memory is written to
 * temporary files, which leaves neither rows nor log behind. An update may find room within a page and proves nothing.
 *
 * @throws Failure Timeout, caused by SQLSTATE 53100 when the disk is full
 */
export async function probePostgresRoom(db: Db): Promise<void> {
  await db.transaction(async (db) => {
    await db.run(raw("set local work_mem = '64kB'"));
    await db.all(
      raw(`select count(*) from (select repeat(md5(n::text), 64) as filler
        from generate_series(1, 1500) n order by filler offset 0) sorted`),
    );
  });
}
