import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startService } from '../e2e/service.ts';

/** The block after the marker, as a reader would paste it. */
function firstSession(): string {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  return /<!-- first-session[^>]*-->\n```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
}

test("the README's first session works as pasted", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-readme-'));
  mkdirSync(join(folder, 'data'));
  const service = await startService({ PHAROS_DATA: join(folder, 'data') });
  try {
    const session = firstSession();
    assert.ok(session.includes('curl'), 'the README has a first session');
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', session], {
      cwd: folder,
    });
    assert.equal(stderr, '');
    const answers = stdout
      .replaceAll('}{', '}\n{')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    assert.ok(
      answers.every((answer) => !answer.error),
      stdout,
    );
    assert.deepEqual(answers.at(-1).results[0].metadata, { species: 'Kestrel', count: 2 });
  } finally {
    await service.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
});
