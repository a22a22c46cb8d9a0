import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { makeFolder } from './make-folder.ts';

test('several make the same folder at once, and one of them is told what was made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-folder-'));
  try {
    for (let round = 0; round < 20; round++) {
      const [first, path] = [join(folder, String(round)), join(folder, String(round), 'a', 'b')];
      const made = await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)));
      assert.ok(existsSync(path));
      assert.deepEqual(
        made.filter((one) => one === first),
        [first],
      );
      assert.equal(await makeFolder(path), undefined);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
