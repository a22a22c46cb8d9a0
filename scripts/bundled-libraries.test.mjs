import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'vitest';
import { bundleLibraries } from './bundle-libraries.mjs';
import { root } from './install.mjs';

const hook = pathToFileURL(join(root, 'scripts', 'bundled-libraries.mjs')).href;

/** How many files a process reads for what the service takes from TypeBox, and what that makes of a shape. `modules` are loaded first. */
function load(modules) {
  const program = `import { registerHooks } from 'node:module';
    let files = 0;
    registerHooks({ load(url, context, next) { files++; return next(url, context); } });
    for (const module of ${JSON.stringify(modules)}) await import(module);
    const { Type } = await import('typebox');
    const { Compile } = await import('typebox/compile');
    const shape = Compile(Type.Object({ name: Type.String() }));
    console.log(JSON.stringify({ isFew: files < 20, checks: [shape.Check({ name: 'Hall' }), shape.Check({ name: 1 })] }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(root, 'server'),
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

test('a library of hundreds of modules is one file, and does what the library itself does', async () => {
  await bundleLibraries();
  assert.deepEqual(load([hook]), { isFew: true, checks: [true, false] });
  assert.deepEqual(load([]), { isFew: false, checks: [true, false] });
});

test('a service that runs as another user than the one that has installed it can read it, or does without', () => {
  // Other tests are loading the one of this checkout.
  const checkout = mkdtempSync(join(tmpdir(), 'pharos-bundle-'));
  try {
    cpSync(join(root, 'scripts'), join(checkout, 'scripts'), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    const bundle = () => spawnSync(process.execPath, [join(checkout, 'scripts', 'bundle-libraries.mjs')]);
    const hooked = () => load([pathToFileURL(join(checkout, 'scripts', 'bundled-libraries.mjs')).href]);
    bundle();
    const [name = ''] = readdirSync(join(checkout, '.cache'));
    const folder = join(checkout, '.cache', name);
    const isOpen = () => (statSync(folder).mode & 0o777) === (0o777 & ~process.umask());
    assert.ok(isOpen());
    assert.deepEqual(hooked(), { isFew: true, checks: [true, false] });
    // As an earlier version has left it.
    chmodSync(folder, 0o700);
    bundle();
    assert.ok(isOpen());
    rmSync(join(folder, 'typebox.js'));
    assert.deepEqual(hooked(), { isFew: false, checks: [true, false] });
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
});

test('a first start gets as far as installing, on a Node that could load the file', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'pharos-first-start-'));
  try {
    for (const path of ['scripts', 'server/bin', 'server/src/config/settings.ts', 'package.json', 'package-lock.json'])
      cpSync(join(root, path), join(checkout, path), { recursive: true });
    const { stderr } = spawnSync(process.execPath, [join(checkout, 'scripts', 'start.mjs')], {
      env: { PATH: '' },
      encoding: 'utf8',
    });
    assert.match(stderr, /^Installing dependencies/);
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
});
