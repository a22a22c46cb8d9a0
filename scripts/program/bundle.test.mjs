import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { root } from '../install.mjs';
import { testInFull } from '../test/runs.ts';

/** Tells at the end of a process how many files it has loaded. */
const counting = `import { registerHooks } from 'node:module';
  import { isMainThread } from 'node:worker_threads';
  let files = 0;
  registerHooks({ load(url, context, next) { files++; return next(url, context); } });
  if (isMainThread) process.on('exit', () => process.stderr.write('files: ' + files + '\\n'));`;

describe('the bundled program', () => {
  let checkout;
  const at = (...path) => join(checkout, ...path);
  beforeAll(() => {
    // Other tests are running the one of this checkout.
    checkout = mkdtempSync(join(tmpdir(), 'pharos-program-'));
    const copied = [
      'scripts',
      'server',
      'packages',
      'sdk',
      'package.json',
      'package-lock.json',
      'console/src/lib/words',
    ];
    for (const path of copied)
      cpSync(join(root, path), at(path), { recursive: true, filter: (file) => !/\.test\.\w+$/.test(file) });
    mkdirSync(at('node_modules', '@pharos'), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules')))
      if (name !== '@pharos') symlinkSync(join(root, 'node_modules', name), at('node_modules', name));
    for (const name of readdirSync(at('packages')))
      symlinkSync(at('packages', name), at('node_modules', '@pharos', name));
    symlinkSync(at('sdk'), at('node_modules', '@pharos', 'sdk'));
    symlinkSync(join(root, 'docs'), at('docs'));
    writeFileSync(at('counting.mjs'), counting);
  });
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  const bundles = () => readdirSync(at('.cache', 'program'));

  async function bundle() {
    const made = spawn(process.execPath, [at('scripts', 'program', 'bundle.mjs')], { stdio: 'inherit' });
    assert.deepEqual(await once(made, 'exit'), [0, null]);
  }

  /** Starts the service of the checkout, asks it for each path, and stops it: the answers, its log, and how many files it has loaded. */
  const serve = (...paths) => serveUntil(undefined, ...paths);

  async function serveUntil(ready, ...paths) {
    const data = mkdtempSync(at('data-'));
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [at('server', 'bin', 'pharos.mjs'), 'serve', '--port', '0'], {
      env: { PATH, HOME, PHAROS_DATA: data, NODE_OPTIONS: `--import=${pathToFileURL(at('counting.mjs')).href}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    const found = Promise.withResolvers();
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        log += text;
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(log) ?? [];
        if (address) found.resolve(address);
      });
    const exited = once(child, 'close');
    void exited.then(() => found.reject(new Error(log)));
    const bodies = [];
    let status;
    for (const path of paths) {
      const answer = await fetch(`${await found.promise}${path}`);
      ({ status } = answer);
      bodies.push(await answer.text());
    }
    await ready;
    child.kill('SIGTERM');
    await exited;
    return { status, bodies, log, files: Number(/files: (\d+)/.exec(log)?.[1]) };
  }

  /** Where the source says that the error was thrown. */
  const thrownAt = ({ log }) => /"stack":"Error: on purpose\\n {4}at [^"]*?\(?(file:[^\\)]*)/.exec(log)?.[1];

  test('is what starts, and answers with the files beside its sources', async () => {
    await bundle();
    const { status, files, log, bodies } = await serve('/handbook/operations', '/readyz');
    assert.deepEqual([status, files < 200], [200, true], log);
    assert.match(bodies[0], /Several PostgreSQL nodes/);
    const [name] = bundles();
    const [folder, mode] = [at('.cache', 'program', name), 0o777 & ~process.umask()];
    assert.equal(statSync(folder).mode & 0o777, mode, 'the service may run as another user');
    // In a script that is kept compiled Node warns of it in the log.
    for (const file of readdirSync(folder).filter((file) => file.endsWith('.cjs')))
      assert.doesNotMatch(readFileSync(join(folder, file), 'latin1'), /\bimport\([`"']/, file);
    const answerOf = (thread, { workerData, task }) =>
      new Promise((resolve, reject) => {
        const worker = new Worker(join(folder, `${thread}-thread.cjs`), { workerData });
        worker.on('error', reject);
        worker.on('message', (answer) => {
          resolve(answer);
          void worker.terminate();
        });
        if (task) worker.postMessage(task);
      });
    const document = { subject: 'Hall', title: 'Hall', subtitle: '', story: [], blocks: [], notes: [], language: 'en' };
    const pdf = await answerOf('pdf', { workerData: { document, madeAt: 0 } });
    assert.equal(Buffer.from(pdf).subarray(0, 5).toString(), '%PDF-', 'threads are bundled, too');
    const { ids } = await answerOf('web-push', { task: [{ id: 7, p256dh: '', auth: '', plaintext: '' }] });
    assert.deepEqual(ids, [7]);
  });

  testInFull('keeps what is compiled at a start, and starts without it if it is broken', async () => {
    await bundle();
    const [name] = bundles();
    const compiled = at('.cache', 'program', name, 'compile');
    rmSync(compiled, { recursive: true, force: true });
    mkdirSync(compiled);
    const keeping = Promise.withResolvers();
    const watcher = watch(compiled, (_, file) => /^main\.cjs-\d+$/.test(file) && keeping.resolve(file));
    const first = await serveUntil(keeping.promise, '/healthz');
    watcher.close();
    const kept = join(compiled, await keeping.promise);
    const contents = readFileSync(kept);
    writeFileSync(kept, contents.fill(0, contents.length / 2));
    const second = await serve('/healthz');
    assert.deepEqual([first.status, second.status], [200, 200], second.log);
  });

  testInFull('is not used once a source has changed, and its errors name the lines of the sources', async () => {
    const file = at('server', 'src', 'http', 'health.ts');
    const source = readFileSync(file, 'utf8');
    const changed = source.replace(
      "async () => ({ status: 'ok' })",
      "async () => {\n    throw new Error('on purpose');\n  }",
    );
    assert.notEqual(changed, source);
    writeFileSync(file, changed);
    const line = changed.slice(0, changed.indexOf('throw new Error(')).split('\n').length;
    const unbundled = await serve('/healthz');
    assert.deepEqual([unbundled.status, unbundled.files > 500], [500, true], unbundled.log);
    assert.equal(thrownAt(unbundled), `${pathToFileURL(file).href}:${line}:11`);
    await bundle();
    const bundled = await serve('/healthz');
    assert.deepEqual([bundled.status, bundled.files < 200], [500, true], bundled.log);
    assert.equal(thrownAt(bundled), thrownAt(unbundled));
    writeFileSync(file, source);
    const before = await serve('/healthz');
    assert.deepEqual([before.status, before.files < 200], [200, true], 'that of the former sources is still there');
  });
});
