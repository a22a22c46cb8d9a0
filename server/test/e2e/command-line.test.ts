import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createMigratedPostgres, databases } from '../support/build-app.ts';
import { testInFull } from '../support/depth.ts';
import { call, firstCredentials, runCommand, type Service, startService } from './service.ts';

const pharos = fileURLToPath(new URL('../../bin/pharos.mjs', import.meta.url));
const start = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(settings: Readonly<Record<string, string>>, ...words: string[]): Promise<Ran> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [pharos, ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

const secrets = /APP_KEY|console\/setup#/;

for (const database of databases) {
  describe(`pharos beside a running service on ${database}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-line-'));
    let settings: Readonly<Record<string, string>>;
    let drop: (() => Promise<void>) | undefined;
    let service: Service;
    beforeAll(async () => {
      const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
      drop = postgres?.drop;
      settings = { PHAROS_DATA: join(folder, 'data'), ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}) };
      service = await startService(settings);
    });
    afterAll(async () => {
      await service.stop('SIGKILL');
      await drop?.();
      rmSync(folder, { recursive: true, force: true });
    });
    const data = () => join(folder, 'data');

    test('the first start prints the set-up link and the credentials of an app, and writes them to a file', async () => {
      const output = service.output();
      assert.ok(output.includes(`listens on ${service.baseUrl}`));
      assert.match(output, /To open it to the network, set PHAROS_HOST=0\.0\.0\.0/);
      const file = join(data(), 'first-app.env');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      assert.deepEqual(
        lines.map((line) => line.split('=')[0]),
        ['export APP_ID', 'export APP_KEY', 'export BASE_URL'],
      );
      assert.equal(lines[2], `export BASE_URL=${service.baseUrl}`);
      for (const line of lines) assert.ok(output.includes(line), line);
      assert.ok(output.includes(`\n  . ${file}\n`), 'outside the working folder, by its whole path');
      assert.equal((await call(service, 'GET', '/api/v2/users', { headers: firstCredentials(data()) })).status, 200);
    });

    test('a key that is rotated out by the command line is refused by the very next request', async () => {
      const first = firstCredentials(data());
      const users = (key: string) =>
        call(service, 'GET', '/api/v2/users', { headers: { ...first, 'x-service-appkey': key } });
      const rotate = async () => {
        const words = ['app', 'rotate-key', '--app', first['x-service-appid'] ?? '', '--json'];
        const { code, output } = await runCommand(words, settings);
        assert.equal(code, 0, output);
        return JSON.parse(output).appKey as string;
      };
      const original = first['x-service-appkey'] ?? '';
      const second = await rotate();
      assert.deepEqual([(await users(original)).status, (await users(second)).status], [200, 200]);
      const third = await rotate();
      if (database === 'postgres') await untilRefused(() => users(original));
      assert.equal((await users(original)).status, 404);
      assert.deepEqual([(await users(second)).status, (await users(third)).status], [200, 200]);
    });

    test('a backup of the running service can be taken', async () => {
      const { code, output } = await runCommand(['backup', '--to', join(folder, 'backup'), '--json'], settings);
      assert.equal(code, 0, output);
      assert.ok(JSON.parse(output).rows > 0);
    });

    test('the second start prints no secret, and the link of the first one still works once', async () => {
      const token = /console\/setup#(\w+)/.exec(service.output())?.[1];
      assert.equal(await service.stop('SIGTERM'), 0, 'a graceful stop is no failure');
      service = await startService(settings);
      assert.doesNotMatch(service.output(), secrets);
      assert.match(service.output(), /There is no administrator yet.*pharos admin create/);
      const setUp = () =>
        call(service, 'POST', '/console/api/setup', {
          headers: { origin: service.baseUrl },
          body: { token, email: 'ada@museum.example', password: 'a long secret', name: 'Ada' },
        });
      assert.equal((await setUp()).status, 201);
      assert.equal((await setUp()).status, 403);
    });

    test('after kill -9 it starts again, and with an administrator says nothing of setting up', async () => {
      await service.stop('SIGKILL');
      service = await startService(settings);
      assert.doesNotMatch(service.output(), secrets);
      assert.doesNotMatch(service.output(), /administrator/);
      assert.equal((await call(service, 'GET', '/readyz', { headers: {} })).status, 200);
    });
  });
}

/** A node over the network learns of a change within half a second; until then it may still answer. */
async function untilRefused(ask: () => Promise<{ status: number }>): Promise<void> {
  while ((await ask()).status === 200);
}

describe('a service that drains, and others beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-line-'));
  const data = join(folder, 'a');
  let service: Service;
  beforeAll(async () => {
    service = await startService({ PHAROS_DATA: data, PHAROS_DRAIN_MS: '2000' });
  });
  afterAll(() => {
    service.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('a second service on its data folder is refused in one sentence; other commands work beside it', async () => {
    const same = await run({ PHAROS_DATA: data }, 'serve', '--port', '0');
    assert.deepEqual([same.code, same.stdout], [1, '']);
    assert.match(same.stderr, /^Another Pharos serves the data folder .*\n$/);
    const { output } = await runCommand(['app', 'list', '--json'], { PHAROS_DATA: data });
    assert.equal(JSON.parse(output).apps.length, 1);
  });

  test('what could not be printed, such as a key that is shown once, is a failure; a reader that has seen enough is none', async () => {
    const into = async (stdout: number | 'pipe') => {
      const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PHAROS_DATA: data };
      const words = [pharos, 'app', 'create', '--name', 'Museum'];
      const child = spawn(process.execPath, words, { env, stdio: ['ignore', stdout, 'pipe'] });
      child.stdout?.destroy();
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const [code] = await once(child, 'close');
      return { code, said };
    };
    const full = openSync('/dev/full', 'w');
    const lost = await into(full);
    closeSync(full);
    assert.deepEqual(lost, { code: 1, said: 'What the command printed could not be written (ENOSPC).\n' });
    assert.deepEqual(await into('pipe'), { code: 0, said: '' });
  });

  testInFull(
    'what is wrong with where another one listens, or with a setting, is told in one sentence each',
    async () => {
      const garbage = join(folder, 'garbage.pem');
      writeFileSync(garbage, 'no certificate');
      const taken = new URL(service.baseUrl).port;
      const listening: readonly (readonly [words: readonly string[], said: RegExp])[] = [
        [['--port', taken], new RegExp(`^The address 127\\.0\\.0\\.1:${taken} is in use\\. .*$`)],
        [
          ['--port', '0', '--mqtt-port', taken],
          new RegExp(`^The address 127\\.0\\.0\\.1:${taken} is in use\\. .*--mqtt-port or PHAROS_MQTT_PORT\\.$`),
        ],
        [
          ['--port', '0', '--host', '192.0.2.1'],
          /^This machine has no address 192\.0\.2\.1\. .*--host or PHAROS_HOST\.$/,
        ],
        [
          ['--port', '0', '--mqtt-port', '0', '--mqtt-host', '192.0.2.1'],
          /^This machine has no address 192\.0\.2\.1\. .*--mqtt-host or PHAROS_MQTT_HOST\.$/,
        ],
      ];
      const runs = listening.map(([words], index) =>
        run({ PHAROS_DATA: join(folder, `b${index}`), PHAROS_LOG_LEVEL: 'silent' }, 'serve', ...words),
      );
      for (const [index, { code, stdout, stderr }] of (await Promise.all(runs)).entries()) {
        assert.match(stderr.trimEnd(), listening[index]?.[1] ?? assert.fail());
        assert.deepEqual([code, stdout], [1, '']);
      }
      const settings: readonly (readonly [settings: Readonly<Record<string, string>>, said: RegExp])[] = [
        [{ PHAROS_TRUST_PROXY: 'maybe' }, /^The configuration has a problem:\n {2}PHAROS_TRUST_PROXY must [^\n]+$/],
        [{ PHAROS_CORS_ORIGINS: 'app.example.org' }, /^[^\n]+:\n {2}PHAROS_CORS_ORIGINS must [^\n]+$/],
        [
          { PHAROS_MQTT_PORT: '0', PHAROS_MQTT_CERT: garbage, PHAROS_MQTT_KEY: join(folder, 'none') },
          /^[^\n]+:\n {2}PHAROS_MQTT_KEY: [^\n]+none cannot be read \(ENOENT\)$/,
        ],
        [
          { PHAROS_MQTT_PORT: '0', PHAROS_MQTT_CERT: garbage, PHAROS_MQTT_KEY: garbage },
          /^[^\n]+:\n {2}PHAROS_MQTT_CERT [^\n]+ must be a certificate and its key in PEM [^\n]+$/,
        ],
      ];
      for (const [own, said] of settings) {
        const { code, output } = await runCommand(['serve'], { PHAROS_DATA: join(folder, 'c'), ...own });
        assert.match(output, said);
        assert.equal(code, 2);
      }
    },
  );

  test('on SIGTERM a request that has begun is finished, checks of a load balancer are no errors, and it ends without a failure', async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const headers = { ...firstCredentials(data), 'content-type': 'text/plain', 'content-length': '10' };
    const upload = request({ hostname, port, method: 'POST', path: '/api/v2/files/a.txt', headers });
    upload.write('first');
    const ready = () => call(service, 'GET', '/readyz', { headers: {} });
    // A request that was sent later has been answered: the upload has been accepted by now.
    assert.equal((await ready()).status, 200);
    const ended = service.stop('SIGTERM');
    while ((await ready()).status === 200);
    const { status, body } = await ready();
    assert.deepEqual([status, body.code], [503, 124]);
    await untilClosed(service.baseUrl);
    upload.end(' half');
    const [answer] = (await once(upload, 'response')) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.statusCode, 201);
    assert.equal(await ended, 0);
    assert.doesNotMatch(service.output(), /"level":50/);
  });
});

testInFull(
  "the start's messages come before the log, and say what to do behind a proxy and in a folder whose name a shell would split",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-line-'));
    const out = openSync(join(folder, 'out.txt'), 'w');
    const data = join(folder, "the museum's data");
    // One file for both streams keeps the order that a terminal would show.
    const child = spawn(process.execPath, [pharos, 'serve', '--port', '0', '--data', data], {
      env: { PATH: process.env['PATH'], PHAROS_PUBLIC_URL: 'https://127.0.0.1:8443' },
      stdio: ['ignore', out, out],
    });
    const ended = once(child, 'exit');
    const watcher = watch(folder);
    try {
      const seen = () => readFileSync(join(folder, 'out.txt'), 'utf8');
      while (!seen().includes('Server listening') && child.exitCode === null)
        await Promise.race([once(watcher, 'change'), ended]);
      const output = seen();
      assert.match(output, /^Pharos \S+ listens on [^{]*\n\{"level":30,[^\n]*Server listening/);
      assert.match(
        output,
        /Only this machine can reach it, such as a proxy that serves https:\/\/127\.0\.0\.1:8443\.\n/,
      );
      assert.doesNotMatch(output, /set PHAROS_/);
      const [, command = ''] = /for your shell:\n\n {2}(.+)\n/.exec(output) ?? [];
      const shown = await promisify(execFile)('sh', ['-c', `${command} && echo $BASE_URL`]);
      assert.equal(shown.stdout.trim(), 'https://127.0.0.1:8443');
    } finally {
      watcher.close();
      child.kill('SIGTERM');
      await ended;
      closeSync(out);
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** New connections are refused from the moment the stop begins. */
async function untilClosed(baseUrl: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${baseUrl}/healthz`, { headers: { connection: 'close' } }).catch(() => undefined);
    if (!answer) return;
  }
}

test('npm start passes flags and signals on, and the service does not outlive it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-line-'));
  const begin = async () => {
    const child = spawn(process.execPath, [start, '--port', '0', '--data', join(folder, 'data'), '--json'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    });
    const ended = once(child, 'exit').then(([code]) =>
      assert.fail(`npm start ended with ${code} before it said anything`),
    );
    const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
    ended.catch(() => undefined);
    return { child, started: JSON.parse(line.toString()) as { url: string; setupUrl?: string; app?: object } };
  };
  try {
    const first = await begin();
    assert.ok(first.started.setupUrl && first.started.app);
    first.child.kill('SIGTERM');
    assert.deepEqual(await once(first.child, 'exit'), [0, null]);
    const second = await begin();
    assert.deepEqual(Object.keys(second.started), ['url']);
    second.child.kill('SIGKILL');
    // The folder is free again as soon as the service behind the killed script has stopped.
    const third = await begin();
    await assert.rejects(fetch(`${second.started.url}/healthz`));
    third.child.kill('SIGINT');
    assert.deepEqual(await once(third.child, 'exit'), [0, null]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
