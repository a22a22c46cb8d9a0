import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createPostgresDatabase } from '../../../test/support/build-app.ts';
import { raw } from '../../base/sql.ts';
import { openPostgres } from './postgres.ts';
import { probePostgresRoom } from './postgres-room.ts';

test('the probe of the room on the disk of PostgreSQL needs some of it', async () => {
  const { url, drop } = await createPostgresDatabase();
  const open = () => openPostgres({ url, poolSize: 1, queryDeadlineMs: 5_000 });
  const first = open();
  try {
    await probePostgresRoom(first);
    // A full disk cannot be had here; the server's own limit for temporary files refuses at the same point.
    const row = await first.one<{ name: string }>(raw('select current_database() as name'));
    await first.run(raw(`alter database "${row?.name}" set temp_file_limit = '1kB'`));
  } finally {
    await first.close();
  }
  const limited = open();
  try {
    await assert.rejects(probePostgresRoom(limited), ({ code, cause }: Error & { code?: unknown }) => {
      assert.equal(code ?? (cause as { code?: unknown }).code, '53400');
      return true;
    });
  } finally {
    await limited.close();
    await drop();
  }
});
