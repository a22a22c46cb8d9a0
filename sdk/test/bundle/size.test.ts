import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { maxSize, sizeWith } from './size.ts';

test('an app that signs in and lists takes at most 8 kB of the client', async () => {
  const size = await sizeWith(fileURLToPath(new URL('../../src/index.ts', import.meta.url)));
  assert.ok(size <= maxSize, `${size} bytes`);
});
