import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { readJson, root } from '../install.mjs';
import { manifestOf } from './package.mjs';

/** Where the npm package runs, as docs/operations.md says. */
const platforms = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { os: 'linux', cpu: 'x64', libc: 'musl' },
  { os: 'linux', cpu: 'arm64', libc: 'musl' },
  { os: 'darwin', cpu: 'x64' },
  { os: 'darwin', cpu: 'arm64' },
  { os: 'win32', cpu: 'x64' },
  { os: 'win32', cpu: 'arm64' },
];
const lowestNode = 22;

const { packages } = readJson(join(root, 'package-lock.json'));
const { dependencies } = manifestOf(packages);

/** All that an installation brings, and what it brings on some platforms only, by the package that has it. */
function installed() {
  const found = new Map();
  const visit = (name) => {
    const one = packages[`node_modules/${name}`];
    assert.ok(one, name);
    if (found.has(name)) return;
    found.set(name, one);
    for (const other of Object.keys(one.dependencies ?? {})) visit(other);
  };
  for (const name of Object.keys(dependencies)) visit(name);
  return found;
}

test('an installation compiles and downloads nothing, and has the binaries of each platform', () => {
  const binaries = [];
  for (const [name, { hasInstallScript, engines, optionalDependencies = {} }] of installed()) {
    assert.notEqual(hasInstallScript, true, name);
    const [, major = '0'] = /^>= ?(\d+)/.exec(engines?.node ?? '>=0') ?? [];
    assert.ok(Number(major) <= lowestNode, `${name} needs Node ${engines?.node}`);
    const parts = Object.keys(optionalDependencies).map((part) => packages[`node_modules/${part}`]);
    if (parts.length === 0) continue;
    binaries.push(name);
    for (const platform of platforms) {
      const fits = (part) =>
        Object.entries(platform).every(([key, value]) => part[key]?.includes(value) ?? key === 'libc');
      assert.ok(parts.some(fits), `${name} has no binary for ${Object.values(platform).join(' ')}`);
    }
  }
  assert.deepEqual(binaries.sort(), ['@node-rs/argon2', '@node-rs/bcrypt']);
  // SQLite brings those of all in one package.
  for (const { os, cpu, libc } of platforms) {
    const file = `${os}${libc === 'musl' ? 'musl' : ''}-${cpu}.node`;
    assert.ok(existsSync(join(root, 'node_modules/better-sqlite3/prebuilds', file)), file);
  }
});
