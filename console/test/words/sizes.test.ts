import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { showBytes } from '../../src/lib/text/bytes.ts';

const source = fileURLToPath(new URL('../../src', import.meta.url));

test('sizes are in the unit that a person would take', () => {
  const shown = [0, 999, 1_000, 48_213, 999_999, 25_000_000, 26_214_400, 21_474_836_480, 3e12].map(showBytes);
  assert.deepEqual(shown, [
    '0 bytes',
    '999 bytes',
    '1 kB',
    '48.2 kB',
    '1000 kB',
    '25 MB',
    '26.2 MB',
    '21.5 GB',
    '3 TB',
  ]);
});

/** What a push may have is counted in bytes, because one decides. */
const exact = ['features/push/push-message.tsx'];

test('no page shows a number of bytes as it is', () => {
  const raw = globSync('**/*.tsx', { cwd: source })
    .filter((file) => !exact.includes(file))
    .filter((file) => /\{\w*[bB]ytes(, number)?\} bytes|# bytes/.test(readFileSync(join(source, file), 'utf8')));
  assert.deepEqual(raw, []);
});
