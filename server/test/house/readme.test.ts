import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { testInFull } from '../../../scripts/test/runs.ts';
import { startService } from '../e2e/service.ts';

/** The first block of a page after some text, as a reader would paste it. */
function session(file: string, after: string): string {
  const page = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const block = /```sh\n([\s\S]*?)```/.exec(page.slice(page.indexOf(after)))?.[1] ?? '';
  assert.match(block, /api\/v2/, `${file} has a session`);
  return block;
}

/** All blocks of a part of a page. */
function commands(file: string, heading: string): string {
  const page = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const part = page.slice(page.indexOf(`\n## ${heading}\n`) + 1).split('\n## ')[0] ?? '';
  const blocks = [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  assert.ok(blocks.length > 0, `${file} has commands under ${heading}`);
  return blocks.join('');
}

testInFull('the commands of the pages on operations and gateways work as pasted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-commands-'));
  const PHAROS_DATA = join(folder, 'data');
  mkdirSync(PHAROS_DATA);
  const service = await startService({ PHAROS_DATA });
  const bash = (text: string) =>
    promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', text], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PHAROS_DATA },
    });
  const program = fileURLToPath(new URL('../../bin/pharos.mjs', import.meta.url));
  const npx = `npx() { shift; '${process.execPath}' '${program}' "$@"; }\n. data/first-app.env\n`;
  try {
    await bash(session('README.md', '<!-- first-session'));
    const { stdout } = await bash(`${npx}npx pharos app list --json`);
    const [app] = JSON.parse(stdout).apps;
    const parts = ['The command line', 'How much it needs', 'Backups'].map((part) =>
      commands('docs/operations.md', part),
    );
    const pasted = parts
      .join('')
      .replace(/\bID\b/g, app.appId)
      .replace(/\bKEYID\b/g, app.keys[0].keyId);
    const done = await bash(npx + pasted);
    assert.equal(done.stderr, '');
    assert.match(done.stdout, /Restored \d+ rows/);
    const key =
      "SECRET_KEY=$(npx pharos app secret-key create $APP_ID --name Hall --scope sightings/hall:create | sed -n 's/.*APP_KEY=//p')";
    const heard = await bash(`${npx}${key}\n${commands('docs/gateways.md', 'By HTTP')}`);
    assert.equal(JSON.parse(heard.stdout).result.problems[0].code, 'unknown_gateway');
    const pharos = `npx pharos export --app ${app.appId} --to guide.tar; PHAROS_DATA=restored npx pharos import --from guide.tar --dry-run`;
    await assert.rejects(bash(npx + pharos), /is there already/);
  } finally {
    await service.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
});

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
