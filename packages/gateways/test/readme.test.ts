import assert from 'node:assert/strict';
import { test } from 'vitest';
import { runReadmeExample } from '../../../scripts/test/readme-example.ts';

test('the example of the README runs', () => {
  const { printed, promised } = runReadmeExample(new URL('../README.md', import.meta.url));
  assert.equal(printed, promised);
});
