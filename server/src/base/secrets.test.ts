import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { Failure } from './errors.ts';
import { createSecretBox } from './secrets.ts';

describe('the box for secrets', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('opens what it sealed, and the sealed text is unreadable', () => {
    const box = createSecretBox({ keys: [randomBytes(32)], folder: undefined });
    const sealed = box.seal('-----BEGIN KEY-----', 'app/fcm');
    assert.ok(!sealed.includes('BEGIN') && !Buffer.from(sealed.split('.')[2] ?? '', 'base64url').includes('BEGIN'));
    assert.equal(box.open(sealed, 'app/fcm'), '-----BEGIN KEY-----');
    assert.notEqual(box.seal('same', 'x'), box.seal('same', 'x'));
  });

  test('refuses a text that was moved, changed or sealed with another key', () => {
    const box = createSecretBox({ keys: [randomBytes(32)], folder: undefined });
    const sealed = box.seal('secret', 'one/fcm');
    const [version, key, text = ''] = sealed.split('.');
    const bytes = Buffer.from(text, 'base64url');
    bytes[14] = (bytes[14] ?? 0) ^ 1;
    for (const [name, wrong, context] of [
      ['moved', sealed, 'two/fcm'],
      ['changed', `${version}.${key}.${bytes.toString('base64url')}`, 'one/fcm'],
      ['cut', sealed.slice(0, -8), 'one/fcm'],
      ['another version', sealed.replace('v1', 'v2'), 'one/fcm'],
    ] as const)
      assert.throws(() => box.open(wrong, context), name);
    const other = createSecretBox({ keys: [randomBytes(32)], folder: undefined });
    assert.throws(() => other.open(sealed, 'one/fcm'), /not configured here/);
  });

  test('still opens old texts after the key was replaced', () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const sealed = createSecretBox({ keys: [old], folder: undefined }).seal('secret', 'x');
    const box = createSecretBox({ keys: [fresh, old], folder: undefined });
    assert.equal(box.open(sealed, 'x'), 'secret');
    assert.throws(() => createSecretBox({ keys: [old], folder: undefined }).open(box.seal('new', 'x'), 'x'));
  });

  test('makes a key of its own for one data folder, for its owner only, and says when it cannot', () => {
    const sealed = createSecretBox({ keys: [], folder }).seal('secret', 'x');
    assert.equal(createSecretBox({ keys: [], folder }).open(sealed, 'x'), 'secret');
    assert.deepEqual(readdirSync(folder), ['secret.key']);
    assert.equal(statSync(join(folder, 'secret.key')).mode & 0o777, 0o600);
    assert.throws(
      () => createSecretBox({ keys: [], folder: undefined }).seal('secret', 'x'),
      (error) => error instanceof Failure && error.entry.code === 119 && error.message.includes('PHAROS_SECRET_KEY'),
    );
  });
});
