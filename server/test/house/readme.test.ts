import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { startService } from '../e2e/service.ts';

/** The first block of a page after some text, as a reader would paste it. */
function session(file: string, after: string): string {
  const page = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const block = /```sh\n([\s\S]*?)```/.exec(page.slice(page.indexOf(after)))?.[1] ?? '';
  assert.match(block, /api\/v2/, `${file} has a session`);
  return block;
}

test("the README's first session and that of a phone after it work as pasted", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-readme-'));
  mkdirSync(join(folder, 'data'));
  const service = await startService({ PHAROS_DATA: join(folder, 'data') });
  try {
    const pasted = `${session('README.md', '<!-- first-session')}\necho; echo after\n${session('docs/phones.md', '## The calls')}`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', pasted], {
      cwd: folder,
    });
    assert.equal(stderr, '');
    const [first = [], phone = []] = stdout.split('\nafter\n').map((part) =>
      part
        .replaceAll('}{', '}\n{')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    );
    assert.ok(
      [...first, ...phone].every((answer) => !answer.error),
      stdout,
    );
    assert.deepEqual(first.at(-1).results[0].metadata, { species: 'Kestrel', count: 2 });
    const [, heard, receipts] = phone;
    assert.deepEqual(heard.result.problems, []);
    assert.equal(heard.result.messages[0].notification.message.alertTitle, 'Welcome');
    assert.deepEqual(receipts.result.unknown, []);
  } finally {
    await service.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
});
