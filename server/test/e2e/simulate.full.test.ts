import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createMigratedPostgres, databases } from '../support/build-app.ts';
import { call, firstCredentials, type Service, startService } from './service.ts';

const pharos = fileURLToPath(new URL('../../bin/pharos.mjs', import.meta.url));
type Environment = Readonly<Record<string, string>>;

function start(environment: Environment, ...words: string[]) {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
  const child = spawn(process.execPath, [pharos, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const exited = once(child, 'exit') as Promise<[number | null]>;
  return { child, exited, output: () => output };
}

function run(environment: Environment, ...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [pharos, ...words], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

/** A visitor at 1 m for 20 s and then at 20 m for 30 s, one signal a second. */
const recording = Array.from({ length: 50 }, (_, second) => ({
  at: Date.UTC(2024, 0, 1, 12) + second * 1000,
  visitor: 'anna',
  beacon: 'Hall',
  rssi: second < 20 ? -59 : -85,
}));

for (const database of databases) {
  describe(`pharos simulate and pharos replay on ${database}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-simulate-'));
    let drop: (() => Promise<void>) | undefined;
    let settings: Environment;
    let service: Service;
    let environment: Environment;
    let headers: Environment;

    beforeAll(async () => {
      const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
      drop = postgres?.drop;
      settings = { PHAROS_DATA: join(folder, 'data'), ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}) };
      service = await startService(settings);
      const credentials = firstCredentials(join(folder, 'data'));
      const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'open sesame' };
      await call(service, 'POST', '/api/v2/users', { headers: credentials, body: account });
      const signedIn = await call(service, 'POST', '/api/v2/users/signin', { headers: credentials, body: account });
      const { accessToken } = signedIn.body;
      headers = { ...credentials, authorization: `Bearer ${accessToken}` };
      environment = {
        APP_ID: credentials['x-service-appid'] ?? '',
        APP_KEY: credentials['x-service-appkey'] ?? '',
        BASE_URL: service.baseUrl,
        TOKEN: accessToken,
      };
    });
    afterAll(async () => {
      await service.stop('SIGKILL');
      await drop?.();
      rmSync(folder, { recursive: true, force: true });
    });
    const list = async (path: string) => {
      const answer = await call(service, 'GET', `/api/v2/${path}`, { headers });
      assert.equal(answer.status, 200);
      return answer.body.results;
    };

    test('without beacons, or without the right to read them, it says what to do', async () => {
      const { TOKEN: _none, ...without } = environment;
      const unread = await run(without, 'simulate');
      assert.equal(unread.code, 1);
      assert.match(unread.err, /Pass --token or set TOKEN[\s\S]*readContent=app[\s\S]*--plan FILE/);
      const empty = await run(environment, 'simulate');
      assert.match(empty.err, /The app has no beacons\. Add some with POST \/beacons/);
      const body = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
      assert.equal((await call(service, 'POST', '/api/v2/beacons', { headers, body })).status, 201);
      const placeless = await run(environment, 'simulate');
      assert.match(placeless.err, /None of the app's 1 beacons has a location/);
      const [hall] = await list('beacons');
      const place = { body: { location: { x: 0, y: 0 } }, headers };
      assert.equal((await call(service, 'PUT', `/api/v2/beacons/${hall.objectId}`, place)).status, 200);
    });

    test('a replay confirms what was recorded, again changes nothing, and its removal leaves nothing', async () => {
      const file = join(folder, 'walk.jsonl');
      writeFileSync(file, recording.map((one) => JSON.stringify(one)).join('\n'));
      const words = ['replay', file, '--speed', 'max', '--run', 'walk', '--at', '2026-01-05T10:00:00Z', '--json'];
      const first = await run(environment, ...words);
      assert.equal(first.code, 0, first.err);
      const { events, sightings, errors, openVisits } = JSON.parse(first.out);
      assert.deepEqual([sightings, errors, openVisits], [50, 0, 0]);
      assert.match(first.err, /2024-01-01T12:00:\d\d\.000Z {2}anna {2}ENTER {6}Hall {2}[\d.]+ m/);
      const visits = await list('visits');
      assert.equal(visits.length, 1);
      assert.match(visits[0].enteredAt, /^2026-01-05T10:00:0\d/);
      assert.ok(visits[0].dwell > 15 && visits[0].dwell < 35, `${visits[0].dwell}`);
      assert.ok(events >= 4, 'ENTER, NEAR, EXIT, FAR');

      const second = JSON.parse((await run(environment, ...words)).out);
      assert.deepEqual([second.events, second.sightings], [0, 50]);
      assert.equal((await list('visits')).length, 1);

      const removed = await run(environment, 'simulate', '--remove', 'walk', '--json');
      assert.deepEqual(JSON.parse(removed.out), { removed: 1, run: 'walk' });
      assert.deepEqual(await list('installations'), []);
      const left = async () =>
        (await list('visits')).length + (await list('events')).length + (await list('logs')).length;
      while ((await left()) > 0) await pause(50);
    });

    test('what cannot be replayed is said with the file and the line', async () => {
      const file = join(folder, 'broken.csv');
      writeFileSync(file, 'at,visitor,beacon,rssi\n2026-05-04T09:30:00Z,anna,Hall,loud\n');
      const broken = await run(environment, 'replay', file);
      assert.deepEqual([broken.code, broken.err.trim()], [2, `${file}, line 2: rssi is a number, not "loud".`]);
      writeFileSync(file, 'at,visitor,beacon,rssi\n2026-05-04T09:30:00Z,anna,Moa,-60\n');
      const unknown = await run(environment, 'replay', file);
      assert.equal(unknown.code, 2);
      assert.match(unknown.err, /no beacon for Moa of the recording\. Map them with --beacon Moa=OBJECTID/);
      const missing = await run(environment, 'replay', join(folder, 'nowhere.csv'));
      assert.equal(missing.code, 1);
      assert.match(missing.err, /nowhere\.csv/);
    });

    test('virtual visitors go on over a restart of the service, and Ctrl-C ends them with a summary', async () => {
      const { port } = new URL(service.baseUrl);
      const walking = start(environment, 'simulate', '--visitors', '5', '--run', 'live');
      const heard = async () => (await list('installations')).length;
      while ((await heard()) < 5) await pause(50);
      await service.stop('SIGTERM');
      service = await startService(settings, port);
      const line = /^\d\d:\d\d:\d\d {2}5 visitors, \d+ sightings\/s, \d+ events, \d+ messages, 0 errors$/m;
      while (!line.test(walking.output())) await Promise.race([once(walking.child.stdout, 'data'), walking.exited]);
      walking.child.kill('SIGINT');
      const [code] = await walking.exited;
      assert.equal(code, 0, walking.output());
      assert.match(
        walking.output(),
        /Sent \d+ sightings in \d+ s: .*\nRemove what it created: pharos simulate --remove live/,
      );
      const removed = await run(environment, 'simulate', '--remove');
      assert.match(removed.out, /Removed 5 virtual visitors of all runs/);
    });
  });
}
