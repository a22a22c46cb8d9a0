import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { createGunzip } from 'node:zlib';
import tar from 'tar-stream';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { npm } from '../../scripts/release/npm.ts';
import { packSdk } from '../../scripts/release/sdk.ts';
import { buildApp, signIn, type TestApp } from '../../server/test/support/build-app.ts';
import { create } from '../../server/test/support/cases.ts';
import { maxSize, sizeWith } from './bundle/size.ts';
import { installConsumers, otherNode } from './install-consumers.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** An app's use of the client; `say` reports the result. */
const program = `
async function main({ PharosClient, PharosError, SightingQueue, where }, settings, say) {
  const pharos = new PharosClient(settings);
  const { results } = await pharos.beacons.list({ where: where().startsWith('name', 'Ha'), order: 'name' });
  const queue = new SightingQueue(pharos, { installationId: 'phone' });
  await queue.add({ beacon: results[0].objectId, event: 'ENTER' });
  await queue.flush();
  const error = await pharos.beacons.get('unknown').catch((error) => error);
  await pharos.push.send({ data: { alert: 'Hello' } });
  say(JSON.stringify([results.map(({ name }) => name), queue.size, error instanceof PharosError, error.name]));
}
`;
const expected = '[["Hall"],0,true,"ObjectNotFound"]';

/** What the interface accepts and the types have to accept, and what they have to refuse. */
const typed = `
import { openLiveStream, operations, PharosClient, PharosError, where, type Beacon, type Body, type LiveEvent } from '@pharos/sdk';

interface Guest { stars: number; note?: string }
interface Opening { alert: string; hall: number }

export async function use(pharos: PharosClient, guest: Guest, opening: Opening): Promise<string> {
  await pharos.bucket('guestbook').create(guest);
  await pharos.bucket('guestbook').update('x', guest);
  await pharos.push.send({ data: opening, where: where().equals('channels', 'news') });
  await pharos.push.send({ data: { alert: 'Open', hall: 3, more: { deep: true } }, where: '{"channels":"news"}' });
  const body: Body<'createBeacon'> = {
    name: 'Hall', uuid: 'u', major: 1, minor: 1, location: { x: 1, y: 2, floor: 3 }, metadata: guest,
  };
  const { objectId } = await pharos.beacons.create(body, { timeout: 5_000 });
  await pharos.beacons.update(objectId, { location: null, radius: null });
  await pharos.call(operations.patchBeacon, { params: { objectId }, body: { location: { x: 2 } } });
  const recent = where<Beacon>().atLeast('createdAt', new Date(0)).lessThan('metadata.until', new Date());
  await pharos.beacons.list({ where: recent }, { signal: new AbortController().signal });
  await pharos.beacons.list({ where: { createdAt: { $gte: new Date(0) }, ...guest } });
  // @ts-expect-error a beacon needs its numbers
  await pharos.beacons.create({ name: 'Hall' });
  // @ts-expect-error a name cannot be cleared
  await pharos.beacons.update(objectId, { name: null });
  // @ts-expect-error a beacon has no such member
  where<Beacon>().equals('nmae', 'Hall');
  // @ts-expect-error a badge is a number
  await pharos.push.send({ data: { badge: 'one' } });
  openLiveStream(pharos, { onEvent: ({ type }: LiveEvent) => type, onError: (error) => error });
  const known = new PharosError('x', { name: 'X', code: 0, status: 0 });
  return known.retriable ? known.name : (await pharos.beacons.get(objectId)).name;
}
`;

/** The examples of its README as one program, after what an app has anyway. */
function examplesOf(readme: string, { baseUrl, appId, appKey }: Readonly<Record<string, string>>): string {
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const imported = blocks.flatMap((block) => block.match(/^import .*$/gm) ?? []);
  return `${imported.join('\n')}
  const kept = new Map<string, string>();
  const localStorage = { getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, text: string) => void kept.set(name, text) };
  const [appId, appKey, email, password] = ['${appId}', '${appKey}', 'vera@example.org', 'open sesame'];
  const [installationId, deviceToken, picture] = ['phone-of-vera', 'a1'.repeat(32), new Blob(['a picture'])];
  const show = (message: object): void => console.log(message);
  const app = new PharosClient({ baseUrl: '${baseUrl}', appId, appKey });
  await app.users.signUp({ firstname: 'Vera', lastname: 'Visitor', email, password });
  await app.users.signIn({ email, password });
  const { objectId: beaconId } = await app.beacons.create({ name: 'Door', uuid: 'u', major: 1, minor: 12 });
  ${blocks
    .join('')
    .replace(/^import .*$/gm, '')
    .replace('https://pharos.example.org', baseUrl ?? '')}
  console.log([near, state, queue.size].map((value) => JSON.stringify(value)).join(' '));`;
}

describe('the packed client, in an empty folder', () => {
  let app: TestApp;
  let settings: string;
  let folder: string;
  let tarball: string;
  let tools: string;
  const tool = (path: string) => join(tools, 'node_modules', path);
  const environment = { PATH: process.env['PATH'], NODE_ENV: 'production', FORCE_COLOR: '0' };
  const node = async (file: string, program = process.execPath) =>
    (await run(program, [file], { cwd: folder, env: environment })).stdout.trim();
  function write(name: string, text: string): string {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  beforeAll(async () => {
    tools = installConsumers();
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    const { headers, token } = await signIn(app);
    await create(app, '/api/v2/beacons', { name: 'Hall', uuid: 'u', major: 1, minor: 1 }, headers);
    await create(app, '/api/v2/installations', { installationId: 'phone', deviceType: 'ios' });
    const baseUrl = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
    settings = JSON.stringify({ baseUrl, appId: app.appId, appKey: app.appKey, token });
    folder = mkdtempSync(join(tmpdir(), 'pharos-consumer-'));
    tarball = await packSdk(join(folder, 'packed'));
    write('package.json', '{ "name": "app", "private": true }');
    // It has no dependencies, so no registry is asked.
    npm(['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', tarball], folder);
    write('app.mjs', `import * as sdk from '@pharos/sdk';${program} await main(sdk, ${settings}, console.log);`);
    write('app.cjs', `const sdk = require('@pharos/sdk');${program} main(sdk, ${settings}, console.log);`);
  });
  afterAll(async () => {
    await app?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test('holds compiled files with their types, and nothing else', async () => {
    const names: string[] = [];
    const texts = new Map<string, string>();
    const entries = createReadStream(tarball).pipe(createGunzip()).pipe(tar.extract());
    for await (const entry of entries) {
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      names.push(entry.header.name);
      texts.set(entry.header.name, Buffer.concat(chunks).toString());
    }
    const allowed =
      /^package\/(README\.md|LICENSE|package\.json|offline\/package\.json|(esm|cjs)\/(package\.json|((services|offline|sensing)\/)?[a-z-]+(\.d\.ts|\.js)))$/;
    assert.deepEqual(
      names.filter((name) => !allowed.test(name)),
      [],
    );
    for (const name of ['README.md', 'LICENSE', 'esm/index.js', 'esm/index.d.ts', 'cjs/index.js', 'cjs/index.d.ts'])
      assert.ok(names.includes(`package/${name}`), name);
    const imported = /(?:from |import\(|require\()["']([^"']+)["']/g;
    for (const [name, text] of texts)
      if (/\.(js|ts)$/.test(name))
        for (const [, path = ''] of text.replaceAll(/^ *\*.*$/gm, '').matchAll(imported))
          assert.match(path, /^\.{1,2}\/.+\.js$/, `in ${name}`);
    const { name, version, license, engines, scripts } = JSON.parse(texts.get('package/package.json') ?? '{}');
    assert.deepEqual([name, license, engines, scripts], ['@pharos/sdk', 'MIT', { node: '>=20' }, undefined]);
    assert.equal(version, JSON.parse(readFileSync(join(root, 'sdk', 'package.json'), 'utf8')).version);
  });

  test('decides offline with the engine that it brings', async () => {
    const use = `.OfflinePhone.open({}, { installation: { objectId: 'x', installationId: 'y' }, onMessage() {},
      storage: () => ({ load: () => null, save() {} }) }).then((phone) => phone.sense({ uuid: 'u' })).then(() => console.log('sensed'));`;
    const program = `sdk${use}`;
    const files = [
      write('offline.mjs', `import * as sdk from '@pharos/sdk/offline'; ${program}`),
      write('offline.cjs', `const sdk = require('@pharos/sdk/offline'); ${program}`),
    ];
    for (const file of files) assert.equal(await node(file), 'sensed', file);
  });

  for (const file of ['app.mjs', 'app.cjs'])
    test(`runs on this Node: ${file}`, async () => assert.equal(await node(file), expected));

  for (const file of ['app.mjs', 'app.cjs'])
    test(`runs on Node 20: ${file}`, async (t) => {
      const program = otherNode(20, tools);
      if (!program) return t.skip(`There is no Node 20 for ${process.platform}-${process.arch} in the lock file.`);
      assert.equal(await node(file, program), expected);
    });

  test('an error is the same whichever of the two copies has made it', async () => {
    const file = write(
      'both.mjs',
      `import { PharosError, PharosClient } from '@pharos/sdk';
       import { createRequire } from 'node:module';
       const other = createRequire(import.meta.url)('@pharos/sdk');
       const options = { name: 'X', code: 0, status: 0 };
       class Own extends PharosError {}
       console.log(other.PharosClient !== PharosClient, new other.PharosError('x', options) instanceof PharosError,
         new Own('x', options) instanceof other.PharosError, new PharosError('x', options) instanceof Own);`,
    );
    assert.equal(await node(file), 'true true true false');
  });

  test('the examples of its README compile, and do what they say', async () => {
    await app.app.buckets.createBucket(app.appId, 'guestbook');
    const readme = readFileSync(join(folder, 'node_modules', '@pharos', 'sdk', 'README.md'), 'utf8');
    const file = write('readme.mts', examplesOf(readme, JSON.parse(settings)));
    const compilerOptions = {
      ...{ target: 'es2022', strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] },
      ...{ lib: ['es2022', 'dom'], module: 'nodenext', moduleResolution: 'nodenext', allowImportingTsExtensions: true },
    };
    const config = write('tsconfig.readme.json', JSON.stringify({ compilerOptions, files: ['readme.mts'] }));
    const compiled = await run(process.execPath, [tool('typescript/bin/tsc'), '-p', config], { cwd: folder }).catch(
      (error) => error,
    );
    assert.equal(compiled.stdout, '');
    const lines = (await node(file)).split('\n');
    assert.match(lines[0] ?? '', /^101 ObjectNotFound There is no beacon with this objectId\./);
    assert.match(lines.join('\n'), /^\{"major":\{"\$gte":3\},.*\} "(accepted|sending|done)" 0$/m);
  });

  test('has types for every way of resolving modules', async () => {
    write('typed.mts', typed);
    write('typed.cts', typed);
    write('typed.ts', typed);
    const old = tool('typescript/bin/tsc');
    const own = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const dom = { lib: ['es2022', 'dom'], types: [] };
    const ofNode = { lib: ['es2022'], types: ['node'], typeRoots: [tool('@types')] };
    const cases = [
      [old, { module: 'node16', moduleResolution: 'node16', ...dom }, ['typed.mts', 'typed.cts']],
      [old, { module: 'nodenext', moduleResolution: 'nodenext', ...ofNode }, ['typed.mts', 'typed.cts']],
      [old, { module: 'esnext', moduleResolution: 'bundler', ...dom }, ['typed.ts']],
      [old, { module: 'commonjs', moduleResolution: 'node', ...dom }, ['typed.ts']],
      [own, { module: 'nodenext', moduleResolution: 'nodenext', ...ofNode }, ['typed.mts', 'typed.cts']],
      [own, { module: 'esnext', moduleResolution: 'bundler', ...dom }, ['typed.ts']],
    ] as const;
    await Promise.all(
      cases.map(async ([compiler, options, files], index) => {
        const compilerOptions = { target: 'es2022', strict: true, noEmit: true, skipLibCheck: false, ...options };
        const config = write(`tsconfig.${index}.json`, JSON.stringify({ compilerOptions, files }));
        const { stdout } = await run(process.execPath, [compiler, '-p', config], { cwd: folder }).catch(
          (error) => error,
        );
        assert.equal(stdout, '', JSON.stringify(options));
      }),
    );
  });

  test('runs in Jest, as Jest is configured by default', async () => {
    write(
      'app.test.js',
      `const sdk = require('@pharos/sdk');${program}
      test('works', async () => {
        let said = '';
        await main(sdk, ${settings}, (text) => { said = text; });
        expect(said).toBe(${JSON.stringify(expected)});
      });`,
    );
    const jest = [tool('jest/bin/jest.js'), '--rootDir', folder, '--runInBand', '--ci', '--no-cache'];
    const { stderr } = await run(process.execPath, jest, { cwd: folder, env: environment });
    assert.match(stderr, /Tests: +1 passed/);
  });

  test('is bundled for browsers, and the bundle runs', async () => {
    const outfile = join(folder, 'browser.mjs');
    const options = ['--bundle', '--format=esm', '--platform=browser', `--outfile=${outfile}`, '--log-level=warning'];
    const { stderr } = await run(tool('.bin/esbuild'), ['app.mjs', ...options], { cwd: folder });
    assert.equal(stderr, '');
    assert.equal(await node(outfile), expected);
  });

  test('takes at most 8 kB of an app that signs in and lists', async () => {
    const size = await sizeWith(join(folder, 'node_modules', '@pharos', 'sdk', 'esm', 'index.js'));
    assert.ok(size <= maxSize, `${size} bytes`);
  });

  /** Metro's own resolver; the globals that React Native lacks are removed, since there is no phone here. */
  test('is found by Metro, and needs nothing that React Native lacks', async () => {
    const { resolve } = createRequire(join(tools, 'package.json'))('metro-resolver') as {
      resolve: (context: object, name: string, platform: string) => { readonly filePath: string };
    };
    for (const [unstable_enablePackageExports, isESMImport] of [
      [true, true],
      [true, false],
      [false, false],
    ]) {
      const { filePath } = resolve(metroContext({ unstable_enablePackageExports, isESMImport }), '@pharos/sdk', 'ios');
      const kind = isESMImport ? 'esm' : 'cjs';
      assert.equal(filePath, join(folder, 'node_modules', '@pharos', 'sdk', kind, 'index.js'));
      const entry = write(`native-${kind}.js`, `globalThis.sdk = require(${JSON.stringify(filePath)});`);
      const options = ['--bundle', '--format=iife', '--platform=neutral', '--target=es2020', '--log-level=warning'];
      const { stdout } = await run(tool('.bin/esbuild'), [entry, ...options], { cwd: folder });
      const told = new Promise<string>((say, fail) => {
        const context = createContext(reactNative());
        runInContext(stdout, context);
        runInContext(`${program}; globalThis.main = main;`, context);
        (context['main'] as typeof Function.prototype)(context['sdk'], JSON.parse(settings), say).catch(fail);
      });
      assert.equal(await told, expected);
    }
  });

  function metroContext(options: object): object {
    return {
      allowHaste: false,
      assetExts: new Set(),
      customResolverOptions: {},
      dev: true,
      disableHierarchicalLookup: false,
      doesFileExist: existsSync,
      extraNodeModules: null,
      fileSystemLookup: (path: string) =>
        existsSync(path) ? { exists: true, type: path.endsWith('.js') ? 'f' : 'd', realPath: path } : { exists: false },
      getPackage: (path: string) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null),
      getPackageForModule: (path: string) => {
        const rootPath = join(folder, 'node_modules', '@pharos', 'sdk');
        if (!path.startsWith(rootPath)) return null;
        const packageJson = JSON.parse(readFileSync(join(rootPath, 'package.json'), 'utf8'));
        return { rootPath, packageJson, packageRelativePath: path.slice(rootPath.length + 1) };
      },
      mainFields: ['react-native', 'browser', 'main'],
      nodeModulesPaths: [],
      originModulePath: join(folder, 'app.js'),
      preferNativePlatform: true,
      redirectModulePath: (path: string) => path,
      resolveAsset: () => undefined,
      resolveHasteModule: () => undefined,
      resolveHastePackage: () => undefined,
      resolveRequest: undefined,
      sourceExts: ['js', 'json', 'ts', 'tsx'],
      unstable_conditionNames: ['react-native'],
      unstable_conditionsByPlatform: { web: ['browser'] },
      unstable_logWarning: (warning: string) => assert.fail(warning),
      ...options,
    };
  }

  /** The globals of React Native that the client may use. Its fetch knows no streams and ignores the signal. */
  function reactNative(): Record<string, unknown> {
    class Controller {
      readonly #inner = new AbortController();
      readonly signal = {
        inner: this.#inner.signal,
        aborted: false,
        addEventListener: (_: string, listener: () => void) => this.#inner.signal.addEventListener('abort', listener),
        removeEventListener: (_: string, listener: () => void) =>
          this.#inner.signal.removeEventListener('abort', listener),
      };
      abort() {
        this.signal.aborted = true;
        this.#inner.abort();
      }
    }
    const plainFetch = async (url: string, { method, headers, body }: RequestInit) => {
      const response = await fetch(url, { method, headers, body } as RequestInit);
      const text = await response.text();
      const { ok, status } = response;
      const get = (name: string) => response.headers.get(name);
      return { ok, status, headers: { get }, text: async () => text, json: async () => JSON.parse(text) as unknown };
    };
    return { fetch: plainFetch, AbortController: Controller, setTimeout, clearTimeout, console };
  }
});
