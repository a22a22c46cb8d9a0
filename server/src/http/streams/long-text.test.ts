import assert from 'node:assert/strict';
import { test } from 'vitest';
import { LongText } from './long-text.ts';

test('a long text arrives byte by byte, in chunks of bounded size, and what has been read is no longer held', async () => {
  // Pieces of many sizes, a few of them longer than a chunk, with characters of one to four bytes.
  const pieces = Array.from({ length: 2_000 }, (_, n) => `${n} Ä€😀`.repeat(n % 500 === 0 ? 40_000 : n % 90));
  const whole = Buffer.from(pieces.join(''));
  const text = new LongText(pieces);
  assert.equal(text.bytes, whole.length);
  assert.equal(text.left, whole.length);

  const longest = Math.max(...pieces.map((piece) => Buffer.byteLength(piece)));
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of text.stream) {
    chunks.push(chunk);
    read += chunk.length;
    assert.ok(chunk.length < 1_100_000 + longest, `a chunk of ${chunk.length} bytes`);
    // The stream reads ahead, but never more than it has given out and one chunk.
    if (read < whole.length)
      assert.ok(text.left < whole.length - read + 1, `${text.left} bytes are held after ${read}`);
  }
  assert.ok(chunks.length >= 4 && chunks.length < 100, `${chunks.length} chunks`);
  assert.ok(Buffer.concat(chunks).equals(whole));
  assert.equal(text.left, 0);
});

test('a text that nobody reads to its end is not held once its stream is closed', () => {
  const text = new LongText(['x'.repeat(1_000_000)]);
  assert.equal(text.left, 1_000_000);
  text.stream.destroy();
  assert.equal(text.left, 0);
});
