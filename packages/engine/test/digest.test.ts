import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../scripts/test/runs.ts';
import { digestOf } from '../src/digest.ts';
import { sightingKey, visitIdOf } from '../src/presence/ids.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const hex = (words: Uint32Array) => [...words].map((word) => word.toString(16).padStart(8, '0')).join('');

test('a digest is SHA-256, of any text and length', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 119, 120, 700])
    assert.equal(hex(digestOf('x'.repeat(length))), sha256('x'.repeat(length)).toString('hex'));
  const text = fc.string({ unit: 'binary', maxLength: 300 }).map((given) => given.toWellFormed());
  fc.assert(
    fc.property(text, (given) => assert.equal(hex(digestOf(given)), sha256(given).toString('hex'))),
    runs(2_000),
  );
});

test('ids and keys stay what databases have stored', () => {
  const at = Date.UTC(2026, 2, 2, 12);
  assert.equal(visitIdOf('phone', 'beacon', at), '0VCi7Jj6PtghPPfiyqAs');
  const of = { installation: 'phone', beacon: 'beacon', event: 'ENTER', occurredAt: at };
  const parts = JSON.stringify(['sighting', 'phone', 'beacon', 'ENTER', at]);
  assert.equal(sightingKey(of), sha256(parts).toString('base64url').slice(0, 20));
  assert.equal(
    sightingKey({ ...of, eventId: '7' }),
    sha256('["eventId","phone","7"]').toString('base64url').slice(0, 20),
  );
});
