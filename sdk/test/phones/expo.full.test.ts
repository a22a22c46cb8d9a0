import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { packSdk } from '../../../scripts/release/sdk.ts';
import { platformEntries } from '../../src/index.ts';
import { installed } from '../install-consumers.ts';

/** The example of an app for iOS and Android: against the packages that it names, and as far as there is no phone. */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const example = join(root, 'examples', 'expo');

describe('the app of examples/expo', () => {
  let folder: string;

  beforeAll(async () => {
    const packages = installed(example, 'expo', 'install');
    folder = mkdtempSync(join(tmpdir(), 'pharos-expo-'));
    const modules = join(folder, 'node_modules');
    cpSync(example, folder, { recursive: true });
    cpSync(join(packages, 'node_modules'), modules, { recursive: true, verbatimSymlinks: true });
    const tarball = await packSdk(join(folder, 'packed'));
    const sdk = join(modules, '@pharos', 'sdk');
    mkdirSync(sdk, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', sdk, '--strip-components=1']);
  });
  afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

  test('fits the types of React Native, Expo, the two libraries and the packed client', async () => {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [tsc, '--noEmit', '-p', folder]).catch((error) => error);
    assert.equal(stdout, '');
  });

  test('is bundled by Metro and compiled by the compiler of Hermes, for both platforms', async () => {
    const cli = join(folder, 'node_modules', 'expo', 'bin', 'cli');
    const env = { ...process.env, CI: '1', EXPO_NO_TELEMETRY: '1', EXPO_OFFLINE: '1', NODE_ENV: 'production' };
    const options = ['export', '--platform', 'android', '--platform', 'ios', '--output-dir', 'out'];
    await run(process.execPath, [cli, ...options], { cwd: folder, env });
    const compiled = globSync('out/_expo/static/js/*/*.hbc', { cwd: folder });
    assert.deepEqual(compiled.map((file) => file.split('/')[4]).sort(), ['android', 'ios']);
    for (const file of compiled) {
      const code = readFileSync(join(folder, file));
      // The first bytes of Hermes' bytecode.
      assert.equal(code.subarray(0, 8).toString('hex'), 'c61fbc03c103191f');
      assert.ok(code.includes('waiting-'), 'the offline client is in it');
    }
  });

  test('asks in both systems for what the client needs', () => {
    const { ios, android } = JSON.parse(readFileSync(join(example, 'app.json'), 'utf8')).expo;
    const { infoPlist, androidManifest } = platformEntries({ purpose: 'To tell you.' });
    const keys = [...infoPlist.matchAll(/^<key>(.*?)<\/key>/gm)].map(([, key]) => key);
    assert.deepEqual(Object.keys(ios.infoPlist), keys);
    const names = [...androidManifest.matchAll(/android\.permission\.(\w+)/g)].map(([, name]) => name);
    assert.deepEqual(android.permissions, names);
  });
});
