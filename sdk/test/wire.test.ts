import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { generateWire } from '../../scripts/generate-wire.ts';

test('what clients know of the interface is what the server declares', async () => {
  for (const [path, wanted] of Object.entries(await generateWire())) {
    const found = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    // Comparing with ok keeps a failure from printing both files.
    assert.ok(found === wanted, `${path} is out of date; run npm run generate`);
  }
});
