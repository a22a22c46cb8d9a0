import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
const runTests = (...given) => runFrom(root, ...given);

async function runFrom(checkout, ...given) {
  const words = given.filter((word) => typeof word === 'string');
  const own = given.find((word) => typeof word === 'object');
  const {
    NODE_TEST_CONTEXT: _,
    PHAROS_TEST_POSTGRES_URL: _url,
    PHAROS_TEST_POSTGRES: _desk,
    ...environment
  } = process.env;
  const child = spawn(process.execPath, [join(checkout, 'scripts', 'test.mjs'), ...words], {
    // A fault must not go on for ever.
    timeout: 120_000,
    env: { ...environment, PHAROS_TEST_BROWSER: 'none', TMPDIR: temporary, ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

const asking = `
import { test } from 'node:test';
test('asks for PostgreSQL', async () => {
  const answer = await fetch(process.env.PHAROS_TEST_POSTGRES);
  console.error(await answer.text());
});
test('asks for nothing', () => {});
`;

describe('the test command without a browser', () => {
  test('says of a file that needs one that it is skipped, and why', async () => {
    const { code, stdout, stderr, lastLine } = await runTests('console/test/fleet/beacons.test.ts');
    assert.equal(lastLine, '0 passed, 0 failed, 1 skipped');
    assert.match(stdout, /^– console\/test\/fleet\/beacons\.test\.ts {2}skipped: it needs Chromium;/m);
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

test('what failed is told when it happens, and again behind the list of files', async () => {
  mkdirSync(join(folder, 'failing'));
  writeFileSync(join(folder, 'failing', 'a.test.mjs'), "import { test } from 'node:test';\ntest('holds', () => {});\n");
  const wrong = "import { test } from 'node:test';\ntest('breaks', () => { throw new Error('so it is'); });\n";
  writeFileSync(join(folder, 'failing', 'b.test.mjs'), wrong);
  const { code, stdout, lastLine } = await runTests(join(folder, 'failing'));
  assert.deepEqual([code, lastLine], [1, '1 passed, 1 failed']);
  const [, ...parts] = stdout.split(/^✖ breaks$/m);
  assert.equal(parts.length, 2);
  assert.match(parts[0], /b\.test\.mjs:2$[\s\S]*so it is[\s\S]*^✖ .*b\.test\.mjs {2}0, 1 failed/m);
  assert.match(parts[1], /b\.test\.mjs:2$[\s\S]*so it is/m);
});

const uncaught = `
import assert from 'node:assert/strict';
import { executionAsyncId } from 'node:async_hooks';
import { describe, test } from 'node:test';
describe('a suite', () => {
  test('throws later', async () => {
    setTimeout(() => { throw new Error('in a timer'); }, 1);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
  });
  test('rejects later', async () => {
    setTimeout(async () => { await 1; throw new Error('in a promise'); }, 1);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
  });
  test('has promises that no hook follows', async () => {
    await 1;
    assert.equal(executionAsyncId(), 0);
  });
});
`;

test('an error that nobody catches belongs to the test that it comes from, though no promise is followed', async () => {
  mkdirSync(join(folder, 'uncaught'));
  writeFileSync(join(folder, 'uncaught', 'uncaught.test.mjs'), uncaught);
  const { code, stdout, lastLine } = await runTests(join(folder, 'uncaught'));
  assert.deepEqual([code, lastLine], [1, '1 passed, 2 failed']);
  assert.match(stdout, /^✖ throws later$[\s\S]*in a timer[\s\S]*^✖ rejects later$[\s\S]*in a promise/m);
});

test('an error that nobody catches after its test has ended fails the file', async () => {
  const file = join(folder, 'late.test.mjs');
  const late = "setTimeout(() => { throw new Error('too late'); }, 1)";
  const waits = 'new Promise((resolve) => setTimeout(resolve, 200))';
  writeFileSync(
    file,
    `import { test } from 'node:test';\ntest('ends', () => void ${late});\ntest('waits', () => ${waits});\n`,
  );
  const { code, stdout, lastLine } = await runTests(file);
  assert.deepEqual([code, lastLine], [1, '2 passed, 1 failed']);
  assert.match(stdout, /too late/);
});

const member = (place) => `
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
before(() => { globalThis.open = (globalThis.open ?? 0) + 1; });
after(() => { globalThis.open--; });
test('${place} is alone with what its hooks made', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1).unref());
  assert.equal(globalThis.open, 1);
  assert.notEqual(${place}, 7);
});
`;

test('many files share a process, one after the other; each is told by its own name', async () => {
  const many = join(folder, 'many');
  mkdirSync(many);
  for (let place = 0; place < 10; place++) writeFileSync(join(many, `${place}.test.mjs`), member(place));
  writeFileSync(join(many, '10.test.mjs'), "throw new Error('does not load');\n");
  const { code, stdout, lastLine } = await runTests(many);
  assert.deepEqual([code, lastLine], [1, '9 passed, 2 failed']);
  for (const place of [0, 1, 9]) assert.match(stdout, new RegExp(`^✔ .*many/${place}\\.test\\.mjs {2}1 {2}`, 'm'));
  for (const place of [7, 10])
    assert.match(stdout, new RegExp(`^✖ .*many/${place}\\.test\\.mjs {2}0, 1 failed {2}`, 'm'));
  assert.match(stdout, /many\/10\.test\.mjs:\d+$[\s\S]*does not load/m);
});

describe('one file, one folder, one name', () => {
  before(() => {
    mkdirSync(join(folder, 'asking'));
    writeFileSync(join(folder, 'asking', 'asking.test.mjs'), asking);
    // Whatever needs PostgreSQL finds that there is no place for its data.
    writeFileSync(join(folder, 'no-folder'), '');
  });

  /** PostgreSQL cannot start here, so a test passes only where nothing starts it. */
  const runWithoutRoom = (...words) => runTests(...words, { TMPDIR: join(folder, 'no-folder') });

  test('a name runs the tests that match it, and PostgreSQL starts only for a test that asks for it', async () => {
    const { code, lastLine, stderr } = await runWithoutRoom(join(folder, 'asking'), '-t', 'asks for nothing');
    assert.deepEqual([code, lastLine, stderr], [0, '1 passed, 0 failed', '']);
  });

  test('a name that no test has is told', async () => {
    const { code, stdout } = await runTests(join(folder, 'asking'), '-t', 'asks for the moon');
    assert.match(stdout, /^No test is called "asks for the moon"\.$/m);
    assert.equal(code, 1);
  });

  test('a name is not forgotten', async () => {
    const { code, stderr } = await runTests(join(folder, 'asking'), '-t');
    assert.deepEqual([code, stderr], [1, '-t needs the name of a test, or a part of it.\n']);
  });
});

test('it runs where node_modules is a link', async () => {
  const checkout = join(folder, 'checkout');
  mkdirSync(checkout);
  for (const name of ['scripts', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  for (const workspace of ['console', 'sdk', 'server']) {
    mkdirSync(join(checkout, workspace));
    cpSync(join(root, workspace, 'package.json'), join(checkout, workspace, 'package.json'));
  }
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const { code, lastLine } = await runFrom(checkout, join(folder, 'asking'), '-t', 'asks for nothing');
  assert.deepEqual([code, lastLine], [0, '1 passed, 0 failed']);
});
