import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';

/** Node tells a program by what path it was started, on Windows also if that is a link. */
const started = (path) => `Object.defineProperty(process, 'execPath', { value: ${JSON.stringify(path)} });
  if (process.channel) throw new Error('It was started a second time.');`;

describe('a package in a folder whose name has blanks', () => {
  let folder;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos in a folder '));
    for (const path of ['server/bin', 'program']) mkdirSync(join(folder, path), { recursive: true });
    for (const name of ['pharos.mjs', 'process-options.mjs', 'compiled.mjs'])
      copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(folder, 'server', 'bin', name));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'program', 'main.cjs'), 'console.log(JSON.stringify(process.argv.slice(2)));');
    writeFileSync(join(folder, 'program', 'package.json'), '{ "type": "module" }');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (env) =>
    JSON.parse(
      execFileSync(process.execPath, [join(folder, 'server', 'bin', 'pharos.mjs'), '--port', '0'], {
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );

  test('keeps what is compiled beside the program', () => {
    assert.deepEqual(run({}), ['serve', '--port', '0']);
    assert.ok(existsSync(join(folder, 'program', 'compile')));
  });

  test('runs on the Node that was started, also by a link and where a process cannot replace itself', () => {
    const link = join(folder, 'node');
    symlinkSync(process.execPath, link);
    const preload = join(folder, 'preload.mjs');
    writeFileSync(preload, `${started(link)} process.execve = undefined;`);
    const options = { NODE_OPTIONS: `--no-warnings --import=${pathToFileURL(preload)}` };
    assert.deepEqual(run(options), ['serve', '--port', '0']);
  });
});
