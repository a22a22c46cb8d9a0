import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, test } from 'vitest';
import { testInFull } from '../support/depth.ts';
import { call, runCommand, type Service, startService } from './service.ts';

const run = (...words: string[]) => runCommand(words, {});

const written = (folder: string, name: string) =>
  new RegExp(`export ${name}=(\\S+)`).exec(readFileSync(join(folder, 'demo.env'), 'utf8'))?.[1] ?? '';

const credentials = (folder: string) => ({
  'x-service-appid': written(folder, 'APP_ID'),
  'x-service-appkey': written(folder, 'APP_KEY'),
});

/** The start-up text comes a moment after the service listens. */
async function printed(service: Service, pattern: RegExp): Promise<string> {
  for (;;) {
    const found = pattern.exec(service.output());
    if (found) return found[1] ?? '';
    await delay(50);
  }
}

async function signInToConsole({ baseUrl }: Service, email: string, password: string) {
  const headers = { 'content-type': 'application/json', origin: baseUrl };
  const body = JSON.stringify({ email, password });
  const answer = await fetch(`${baseUrl}/console/api/session`, { method: 'POST', headers, body });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { status: answer.status, cookie };
}

/** Each continues where the previous one stopped. */
describe('pharos serve --demo', () => {
  const parent = mkdtempSync(join(tmpdir(), 'pharos-demo-'));
  const folder = join(parent, 'data-demo');
  let service: Service | undefined;
  let password = '';
  afterAll(async () => {
    await service?.stop('SIGKILL');
    rmSync(parent, { recursive: true, force: true });
  });
  // The environment must not expose a demo, which prints a password, to the network.
  const start = () => startService({ PHAROS_DATA: folder, PHAROS_HOST: '0.0.0.0' }, '0', '--demo');

  test('a folder with something else in it is refused and left alone', async () => {
    writeFileSync(join(parent, 'letter.txt'), 'mine');
    const refused = await run('serve', '--demo', '--port', '0', '--data', parent);
    assert.equal(refused.code, 1);
    assert.match(refused.output, /is not empty: it holds letter\.txt\. Nothing was changed\. Choose an empty folder/);
    assert.deepEqual(existsSync(join(parent, 'pharos.db')), false);
    assert.match((await run('demo', 'remove', '--data', parent)).output, /There is no demo in/);
  });

  test('it prints a sign-in that works, and the console is told that this is a demo', async () => {
    service = await start();
    password = await printed(service, /password {2}(\S+)/);
    assert.match(service.output(), /This is a demo: a museum that does not exist/);
    assert.equal(statSync(join(folder, 'demo.env')).mode & 0o777, 0o600);
    const { status, cookie } = await signInToConsole(service, written(folder, 'DEMO_EMAIL'), password);
    assert.equal(status, 201);
    const answer = await fetch(`${service.baseUrl}/console/api/session`, { headers: { cookie } });
    const { result } = (await answer.json()) as { result: { demo: boolean } };
    assert.equal(result.demo, true);
  });

  test('somebody walks in, and what the phone hears becomes events', async () => {
    const listening = await fetch(`${service?.baseUrl}/console/api/session`);
    assert.equal(listening.status, 403, 'without a session there is nothing to see');
    const { cookie } = await signInToConsole(service as Service, written(folder, 'DEMO_EMAIL'), password);
    const condition = { cause: 'samples', occurredAt: { $gte: new Date(Date.now() - 60_000).toISOString() } };
    const path = `/console/api/apps/${written(folder, 'APP_ID')}/v2/events?where=${encodeURIComponent(JSON.stringify(condition))}`;
    for (;;) {
      const answer = await fetch(service?.baseUrl + path, { headers: { cookie } });
      assert.equal(answer.status, 200);
      const { results } = (await answer.json()) as { results: unknown[] };
      if (results.length > 0) return;
      await delay(250);
    }
  });

  test('it cannot be removed while it runs, and stops without a complaint', async () => {
    const refused = await run('demo', 'remove', '--data', folder);
    assert.equal(refused.code, 1);
    assert.match(refused.output, /Another Pharos serves the data folder/);
    assert.equal(await service?.stop('SIGTERM'), 0);
    assert.doesNotMatch(service?.output() ?? '', /"level":(40|50)/);
  });

  testInFull(
    'started again it goes on: the same museum, the same sign-in, until somebody chooses a password',
    async () => {
      const appId = written(folder, 'APP_ID');
      service = await start();
      assert.equal(await printed(service, /password {2}(\S+)/), password);
      assert.equal(written(folder, 'APP_ID'), appId);
      const beacons = await call(service, 'GET', '/api/v2/beacons', { headers: credentials(folder) });
      assert.equal(beacons.body.results.length, 24);
      await service.stop('SIGTERM');
      await run(
        'admin',
        'reset-password',
        '--email',
        written(folder, 'DEMO_EMAIL'),
        '--password',
        'my own choice',
        '--data',
        folder,
      );
      service = await start();
      assert.equal(await printed(service, /password {2}(.+)/), 'the one that you chose');
      assert.doesNotMatch(service.output(), new RegExp(password));
      assert.equal((await signInToConsole(service, 'demo@skerrypoint.example', 'my own choice')).status, 201);
      await service.stop('SIGTERM');
    },
  );

  test('one command removes it, unless there is more in it than the demo', async () => {
    const other = JSON.parse((await run('app', 'create', '--name', 'Mine', '--json', '--data', folder)).output);
    const refused = await run('demo', 'remove', '--yes', '--data', folder);
    assert.match(refused.output, /other apps besides the demo in .*: Mine \(\w+\)\. Nothing was removed/);
    await run('app', 'delete', '--app', other.appId, '--yes', '--data', folder);
    // Where the console stores a backup that somebody has requested.
    mkdirSync(join(folder, 'backups'));
    writeFileSync(join(folder, 'backups', 'today.tar'), 'rows');
    const removed = await run('demo', 'remove', '--yes', '--data', folder);
    assert.equal(removed.code, 0, removed.output);
    assert.equal(existsSync(folder), false);
  });
});
