import { raw, sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { blobKeyOf } from './place/file-name.ts';

const pageSize = 500;

interface StoredRow {
  readonly app_id: string;
  readonly object_id: string;
  readonly stored_name: string;
}

/** The files of all apps, page by page, with the keys of their bytes. */
export async function* storedFiles(db: Db): AsyncGenerator<{ readonly blobKey: string; readonly name: string }> {
  for (let last: StoredRow | undefined; ; ) {
    const behind = last ? sql`where (app_id, object_id) > (${last.app_id}, ${last.object_id})` : raw('');
    const page = await db.all<StoredRow>(
      sql`select app_id, object_id, stored_name from files ${behind} order by app_id, object_id limit ${pageSize}`,
    );
    for (const { app_id, stored_name } of page) yield { blobKey: blobKeyOf(app_id, stored_name), name: stored_name };
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}
