import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { root } from './install.mjs';
import { LongestFirst } from './test/longest-first.mjs';
import { testInFull } from './test/runs.ts';

/** As root on Debian. */
const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

const folder = mkdtempSync(join(tmpdir(), 'pharos-runner-'));
const temporary = join(folder, 'tmp');
/** With test files of its own, and a link for its packages. */
const checkout = join(folder, 'checkout');

beforeAll(() => {
  mkdirSync(temporary);
  mkdirSync(checkout);
  // PostgreSQL runs as a user of its own when root starts it.
  for (const path of [folder, temporary]) chmodSync(path, 0o755);
  for (const name of ['scripts', 'package.json', 'package-lock.json', 'vitest.config.mjs'])
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  for (const workspace of ['console', 'sdk', 'server']) {
    mkdirSync(join(checkout, workspace));
    cpSync(join(root, workspace, 'package.json'), join(checkout, workspace, 'package.json'));
  }
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes test files, by name, into a folder of that checkout. */
function write(name, files) {
  mkdirSync(join(checkout, 'server', name));
  for (const [file, lines] of Object.entries(files))
    writeFileSync(
      join(checkout, 'server', name, `${file}.test.mjs`),
      `import { afterAll, beforeAll, describe, test } from 'vitest';\n${lines}`,
    );
}

/** Runs the test command as somebody without a browser does. */
const runTests = (...given) => runFrom(root, ...given);
const runWritten = (name, ...given) => runFrom(checkout, `server/${name}`, ...given);

async function runFrom(checkout, ...given) {
  const words = given.filter((word) => typeof word === 'string');
  const own = given.find((word) => typeof word === 'object');
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|PHAROS_TEST|NODE_ENV|TEST$)/.test(name));
  const child = spawn(process.execPath, [join(checkout, 'scripts', 'test.mjs'), ...words], {
    env: {
      ...Object.fromEntries(inherited),
      NO_COLOR: '1',
      PHAROS_TEST_INSTALL: 'none',
      PHAROS_TEST_BROWSER: '',
      TMPDIR: temporary,
      ...own,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

testInFull('skips the tests that need one, and fails if no others were asked for', async () => {
  const { code, stderr, lastLine } = await runTests('console/test/fleet/beacons.test.ts');
  assert.equal(stderr, 'Without Chromium: the tests in a browser are left out.\n');
  assert.match(lastLine, /^0 passed, 0 failed, \d+ skipped$/);
  assert.equal(code, 1, 'what was asked for did not run');
});

testInFull(
  'says what it is about to install on the machine and why, before any test begins',
  {
    skip: !canInstall,
  },
  async () => {
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'apt-get'), '#!/bin/sh\necho "$@" >&2\n', { mode: 0o755 });
    const PATH = `${programs}:${process.env.PATH}`;
    const missing = { PATH, PHAROS_TEST_NATS: '', PHAROS_TEST_INSTALL: undefined };
    const { code, stderr } = await runTests('server/test/nodes/nodes-bus.test.ts', missing);
    assert.deepEqual(stderr.split('\n').slice(0, 3), [
      'Installing the NATS server with apt-get (once), for the tests of nodes that share a bus.',
      'update -qq',
      'install -y -qq --no-install-recommends nats-server',
    ]);
    assert.match(
      stderr,
      /For the tests of nodes that share a bus install the NATS server, name it in PHAROS_TEST_NATS, or/,
    );
    assert.equal(code, 1, 'it is still not there');
  },
);

testInFull('says that a file does not exist', async () => {
  const { code, stdout, lastLine } = await runTests('server/src/nowhere.test.ts');
  assert.deepEqual([code, lastLine], [1, '0 passed, 0 failed']);
  assert.match(stdout, /^There is no such test file\.$/m);
});

test('what took longest begins first; of what has never run, what starts a program, and then what is largest', async () => {
  const lasted = { 'short.mjs': 5, 'long.mjs': 90_000, 'alone.mjs': 100_000 };
  const cache = { getTestSpecificationResult: ({ moduleId }) => lasted[moduleId] && { duration: lasted[moduleId] } };
  const first = { name: 'all', config: { sequence: { groupOrder: 0 } } };
  const last = { name: 'last', config: { sequence: { groupOrder: 1 } } };
  write('ordered', { large: '/'.repeat(20_000), small: '' });
  const unknown = (name) => join(checkout, 'server', 'ordered', `${name}.test.mjs`);
  const program = join(checkout, 'server/test/e2e/kill.test.ts');
  const files = ['short.mjs', unknown('small'), 'long.mjs', unknown('large'), program];
  const given = [{ moduleId: 'alone.mjs', project: last }, ...files.map((moduleId) => ({ moduleId, project: first }))];
  const sorted = await new LongestFirst({ cache }).sort(given);
  const expected = ['long.mjs', program, unknown('large'), unknown('small'), 'short.mjs', 'alone.mjs'];
  assert.deepEqual(
    sorted.map(({ moduleId }) => moduleId),
    expected,
  );
});

const late = `
test('throws later', async () => {
  setTimeout(() => { throw new Error('in a timer'); }, 1);
  await new Promise((resolve) => setTimeout(resolve, 200));
});
`;

test('what fails is told, be it a test, a file that does not load, or an error that nobody catches', async () => {
  const files = {
    a: "test('breaks', () => { throw new Error('so it is'); });\n",
    b: "throw new Error('no file');\n",
    late,
  };
  write('failing', files);
  const { code, stdout, stderr, lastLine } = await runWritten('failing');
  assert.deepEqual([code, lastLine], [1, '1 passed, 3 failed']);
  const said = stdout + stderr;
  assert.match(said, /Error: so it is[\s\S]*a\.test\.mjs:2/);
  assert.match(said, /Error: no file[\s\S]*b\.test\.mjs:2/);
  assert.match(said, /Error: in a timer[\s\S]*late\.test\.mjs:4[\s\S]*was "throws later"/);
});

const member = `
beforeAll(() => { globalThis.open = (globalThis.open ?? 0) + 1; });
afterAll(() => { globalThis.open--; });
test('is alone with what its hooks made', () => {
  if (globalThis.open !== 1) throw new Error(globalThis.open + ' are open');
  globalThis.members = (globalThis.members ?? 0) + 1;
});
afterAll(() => { if (globalThis.members > 1) console.log('together'); });
`;

const skipping = `
describe('a suite that needs something', { skip: true }, () => test('never runs', () => {}));
test('does not run', { skip: true }, () => {});
`;

test('many files share processes, one after the other; the ten slowest are listed, how long all took, and what was skipped', async () => {
  const names = Array.from({ length: 12 }, (_, place) => `file-${place}`);
  write('many', { ...Object.fromEntries(names.map((name) => [name, member])), 'file-skipping': skipping });
  const { code, stdout, lastLine } = await runWritten('many', '--silent=false');
  assert.deepEqual([code, lastLine], [0, '12 passed, 0 failed, 2 skipped']);
  assert.match(stdout, /together/);
  assert.equal(stdout.match(/^ +\d+\.\d s {2}.*file-.*\.test\.mjs$/gm).length, 10);
  assert.match(stdout, /^\d+\.\d s in all$/m);
  assert.deepEqual(readdirSync(temporary), [], 'nothing is left behind');
});

testInFull('a run is repeated as often as asked, and fails if one of them did', async () => {
  write('repeated', { one: "test('breaks', () => { throw new Error('again'); });\n" });
  const { code, lastLine } = await runWritten('repeated', '--repeat', '2');
  assert.deepEqual([code, lastLine], [1, '2 of 2 runs failed']);
  const often = await runWritten('repeated', '--repeat', 'often');
  assert.deepEqual([often.code, often.stdout, often.stderr], [1, '', '--repeat needs a number.\n']);
});

describe('one folder, one name', () => {
  beforeAll(() => {
    write('asking', {
      one: `
test('asks for PostgreSQL', async () => {
  const answer = await fetch(process.env.PHAROS_TEST_POSTGRES);
  if (!answer.ok) throw new Error(await answer.text());
});
test('asks for nothing', () => {});
`,
    });
    // Whatever needs PostgreSQL finds that there is no place for its data.
    writeFileSync(join(folder, 'no-folder'), '');
  });

  /** PostgreSQL cannot start here, so a test passes only where nothing starts it. */
  const runWithoutRoom = (...words) => runWritten('asking', ...words, { TMPDIR: join(folder, 'no-folder') });

  test('a name runs the tests that match it, and PostgreSQL starts only for a test that asks for it', async () => {
    const { code, lastLine } = await runWithoutRoom('-t', 'asks for nothing');
    assert.deepEqual([code, lastLine], [0, '1 passed, 0 failed']);
    assert.equal((await runWithoutRoom('-t', 'asks for PostgreSQL')).code, 1);
  });

  testInFull('a run in which PostgreSQL was started and a test failed ends as one that failed', async () => {
    write('started', {
      one: `
test('starts PostgreSQL, and fails', async () => {
  const answer = await fetch(process.env.PHAROS_TEST_POSTGRES);
  throw new Error(answer.status + ' ' + await answer.text());
});
`,
    });
    const { code, stderr, lastLine } = await runWritten('started');
    assert.match(stderr, /Error: 200 postgres:/);
    assert.deepEqual([code, lastLine], [1, '0 passed, 1 failed']);
  });

  testInFull('a name that no test has is told', async () => {
    const { code, stdout } = await runWritten('asking', '-t', 'asks for the moon');
    assert.match(stdout, /^No test is called "asks for the moon"\.$/m);
    assert.equal(code, 1);
  });
});
