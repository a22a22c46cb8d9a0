import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { root } from './install.mjs';

const folder = mkdtempSync(join(tmpdir(), 'pharos-runner-'));
const temporary = join(folder, 'tmp');

const fixture = `
import { describe, test } from 'node:test';
describe('a suite that needs something', { skip: 'it is not there' }, () => test('never runs', () => {}));
describe('a suite', () => {
  test('runs', () => {});
  test('does not run', { skip: true }, () => {});
});
`;

before(() => {
  mkdirSync(temporary);
  // PostgreSQL runs as a user of its own when root starts it.
  for (const path of [folder, temporary]) chmodSync(path, 0o755);
  writeFileSync(join(folder, 'fixture.test.mjs'), fixture);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the test command as somebody without a browser does. */
async function runTests(...files) {
  const { NODE_TEST_CONTEXT: _, PHAROS_TEST_POSTGRES_URL: _url, ...environment } = process.env;
  const child = spawn(process.execPath, [join(root, 'scripts', 'test.mjs'), ...files], {
    env: { ...environment, PHAROS_TEST_BROWSER: 'none', TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

describe('the test command without a browser', () => {
  test('says of a file that needs one that it is skipped, and why', async () => {
    const { code, stdout, stderr, lastLine } = await runTests('console/test/beacons.test.ts');
    assert.equal(lastLine, '0 passed, 0 failed, 1 skipped');
    assert.match(stdout, /^– console\/test\/beacons\.test\.ts {2}skipped: it needs Chromium;/m);
    assert.equal(stderr, '');
    assert.equal(code, 1, 'what was asked for did not run');
  });

  test('runs the files that need none, and leaves nothing behind', async () => {
    const { code, lastLine } = await runTests('server/src/query/parse.test.ts');
    assert.match(lastLine, /^\d\d+ passed, 0 failed$/);
    assert.equal(code, 0);
    assert.deepEqual(readdirSync(temporary), []);
  });

  test('names a file that does not exist', async () => {
    const { code, stdout, stderr } = await runTests('server/src/nowhere.test.ts');
    assert.deepEqual([code, stdout, stderr], [1, '', 'There is no test file server/src/nowhere.test.ts.\n']);
  });
});

test('a suite and a test that are skipped are told and counted in the last line', async () => {
  const { code, stdout, lastLine } = await runTests(join(folder, 'fixture.test.mjs'));
  assert.equal(lastLine, '1 passed, 0 failed, 2 skipped');
  assert.match(stdout, /skipped "a suite that needs something": it is not there$/m);
  assert.match(stdout, /skipped "does not run"$/m);
  assert.equal(code, 0);
});
