import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { describe } from '../../src/features/audit/describe.ts';

/** As the server's code writes them; those that it puts together are not found here. */
function actions(): readonly string[] {
  const cwd = fileURLToPath(new URL('../../../server/src', import.meta.url));
  const files = globSync('**/*.ts', { cwd }).filter((file) => !file.endsWith('.test.ts'));
  const written = /(?:action: |#audit\(db, by, )'([a-zA-Z-]+\.[a-zA-Z]+)'/g;
  const found = files.flatMap((file) => [...readFileSync(`${cwd}/${file}`, 'utf8').matchAll(written)]);
  return [...new Set(found.map(([, action = '']) => action))];
}

test('every change that the audit records is written as a sentence', () => {
  const all = actions();
  assert.ok(all.length > 30, `${all.length} actions`);
  const entry = { auditId: '1', appId: 'app', subject: 'subject', before: null, after: null };
  const silent = all.filter((action) => describe({ ...entry, action } as never, 'Museum').startsWith(action));
  assert.deepEqual(silent, []);
});

test('a push that goes out later was scheduled, not sent', () => {
  const createdAt = '2026-05-04T09:30:00.000Z';
  const entry = { auditId: '1', appId: 'app', subject: 'id', before: null, action: 'data.sendPush', createdAt };
  const told = (after: object | null) => describe({ ...entry, after } as never, 'Museum');
  assert.equal(told({ sendAt: '2026-05-05T09:30:00.000Z' }), 'scheduled a push in Museum.');
  for (const after of [{ sendAt: '2026-05-04T09:00:00.000Z' }, { data: {} }, null])
    assert.equal(told(after), 'sent a push in Museum.');
});
