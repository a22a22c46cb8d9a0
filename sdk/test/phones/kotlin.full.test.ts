import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest';
import { create } from '../../../server/test/support/cases.ts';
import { openSite, pointer, type Site, uuid } from '../../../server/test/support/site.ts';
import { installConsumers } from '../install-consumers.ts';

/** The Kotlin client, compiled here and run against the service. It needs a Java of version 17 or newer (Debian: openjdk-17-jre-headless). */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const hasJava = spawnSync('java', ['-version']).status === 0;

/** Line by line, as `sdk/kotlin/test/Check.kt` reads it. */
class Phone {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(classPath: string, args: readonly string[]) {
    this.#process = spawn('java', ['-cp', classPath, 'pharos.CheckKt', ...args]);
    this.#process.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async tell(command: object): Promise<Record<string, unknown>> {
    this.#process.stdin.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#lines.next();
    assert.ok(!done, 'the program has ended');
    return JSON.parse(value);
  }

  async ask(command: object): Promise<never> {
    const { answer, error } = await this.tell(command);
    assert.equal(error, undefined);
    return answer as never;
  }

  /** As the system ends an app. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }
}

describe.skipIf(!hasJava)('the Kotlin client, against the service', () => {
  let folder: string;
  let classPath: string;
  let site: Site;
  let baseUrl: string;
  let phone: Phone;
  let phoneFolder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-kotlin-'));
    const library = join(installConsumers(), 'node_modules/kotlin-compiler/lib');
    const compiled = join(folder, 'client.jar');
    classPath = [compiled, join(library, 'kotlin-stdlib.jar')].join(delimiter);
    await run('java', [
      ...['-cp', join(library, 'kotlin-compiler.jar'), 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler'],
      ...['-no-reflect', '-no-stdlib', '-cp', join(library, 'kotlin-stdlib.jar'), '-jvm-target', '17', '-Werror'],
      ...['-d', compiled, join(root, 'sdk/kotlin/src'), join(root, 'sdk/kotlin/test'), join(root, 'examples/kotlin')],
    ]);
    site = await openSite('sqlite');
    await site.app.app.server.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(site.app.app.server.server.address() as AddressInfo).port}`;
    await site.app.app.apps.change(site.app.appId, { policy: { readContent: 'app' } });
    await site.notification();
    await site.beacon({ minor: 2 });
  });
  afterAll(async () => {
    await site?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    site.app.clock.now += 3_600_000;
    phoneFolder = mkdtempSync(join(folder, 'phone-'));
    phone = start();
  });
  afterEach(() => phone.kill());

  const start = (appId = site.app.appId) => new Phone(classPath, [baseUrl, appId, site.app.appKey, phoneFolder]);
  const setClock = () => phone.ask({ do: 'clock', at: site.now });

  async function stand(seconds: number): Promise<void> {
    for (let second = seconds; second > 0; second--)
      await phone.ask({ do: 'sense', uuid, minor: 1, rssi: -55, at: site.now - second * 1_000 });
  }

  test('is shown by the example on the command line', async () => {
    const args = ['-cp', classPath, 'VisitKt', baseUrl, site.app.appId, site.app.appKey, join(phoneFolder, 'example')];
    const { stdout } = await run('java', args);
    assert.match(
      stdout,
      /^\d+ regions to monitor\nnear .*:1:1\nENTER at \w{20}\n(\w+ at \w{20}\n)*message: .*\n0 sightings wait\.\n$/,
    );
    const refused = await run('java', args.with(5, 'wrong')).catch((error) => error);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^\w+: /);
  });

  test('registers, senses, shows the message once and says that it was opened', async () => {
    await setClock();
    await phone.ask({ do: 'register', members: { localeIdentifier: 'de-AT' } });
    await stand(8);
    await phone.ask({ do: 'sense', uuid, minor: 1, rssi: -55, at: site.now, motion: 'still' });
    const { events, messages } = (await phone.ask({ do: 'flush' })) as { events: string[]; messages: string[] };
    assert.ok(events.includes('ENTER'), JSON.stringify(events));
    assert.equal(messages.length, 1);
    await phone.ask({ do: 'opened', deliveryId: messages[0] });
    assert.equal(await phone.ask({ do: 'size' }), 0);
    assert.equal((await site.rows('installations')).at(-1)?.['motion'], 'still');
    const [delivery] = await site.list('deliveries', { where: JSON.stringify({ objectId: messages[0] }) });
    assert.ok(delivery === undefined || delivery.openedAt !== undefined);
  });

  test('keeps what it sensed through a dead network, a killed app and half a written line, and nothing counts twice', async () => {
    await setClock();
    await phone.ask({ do: 'register', members: {} });
    await phone.ask({ do: 'network', is: 'down' });
    await stand(8);
    assert.deepEqual(await phone.tell({ do: 'flush' }), { error: 'Unreachable', code: 0, isRetriable: true });
    const installation = await phone.ask({ do: 'installation' });
    phone.kill();
    writeFileSync(join(phoneFolder, site.app.appId, 'sightings.jsonl'), '{"uuid":"B94', { flag: 'a' });
    phone = start();
    await setClock();
    assert.equal(await phone.ask({ do: 'installation' }), installation);
    assert.equal(await phone.ask({ do: 'size' }), 8);
    await phone.ask({ do: 'sense', uuid, minor: 1, rssi: -55, at: site.now });
    await phone.ask({ do: 'restart' });
    assert.equal(await phone.ask({ do: 'size' }), 9, 'nothing went on behind the half line');
    await phone.ask({ do: 'network', is: 'hotel' });
    assert.equal((await phone.tell({ do: 'flush' }))['error'], 'Unreadable');
    await phone.ask({ do: 'network', is: 'answer lost' });
    assert.equal((await phone.tell({ do: 'flush' }))['error'], 'Unreachable');
    await phone.ask({ do: 'network', is: 'up' });
    const visits = async () => (await site.list('visits')).length;
    const before = await visits();
    const { problems } = (await phone.ask({ do: 'flush' })) as { problems: string[] };
    assert.deepEqual([problems, await phone.ask({ do: 'size' }), await visits()], [[], 0, before]);
  });

  test('knows the place without a network, after a restart, and when something of it has changed or gone', async () => {
    const records = async (list: string) => ((await phone.ask({ do: 'records', list })) as string[]).sort();
    const listed = async () =>
      (await site.list('beacons')).map(({ objectId }: { objectId: string }) => objectId).sort();
    assert.deepEqual(await records('beacons'), []);
    await phone.ask({ do: 'refresh' });
    assert.deepEqual(await records('beacons'), await listed());
    assert.equal((await records('notifications')).length, 1);
    await phone.ask({ do: 'network', is: 'down' });
    await phone.ask({ do: 'restart' });
    assert.deepEqual(await phone.tell({ do: 'refresh' }), { error: 'Unreachable', code: 0, isRetriable: true });
    assert.deepEqual(await records('beacons'), await listed());
    await phone.ask({ do: 'network', is: 'up' });
    const added = await site.beacon({ minor: 77 });
    await phone.ask({ do: 'refresh' });
    assert.deepEqual(await records('beacons'), await listed());
    await site.ask({ method: 'DELETE', url: `/api/v2/beacons/${added}` });
    await phone.ask({ do: 'refresh' });
    assert.deepEqual(await records('beacons'), await listed());
    await phone.ask({ do: 'refresh', venues: ['unknown'] });
    assert.deepEqual(await records('beacons'), []);
  });

  test('is told which regions to monitor, and reports that it has entered a venue', async () => {
    await setClock();
    await phone.ask({ do: 'register', members: {} });
    const venue = await create(site.app, '/api/v2/venues', { name: 'Pier' }, site.user.headers);
    const own = 'F7826DA6-4FA2-4E98-8024-BC5B71E0893E';
    for (const minor of [1, 2]) await site.beacon({ uuid: own, minor, venueId: pointer('Venue', venue) });
    const regions = (await phone.ask({ do: 'regions', maxRegions: 2 })) as readonly {
      readonly identifier: string;
      readonly venueId: string | null;
    }[];
    assert.deepEqual(
      regions.map(({ identifier, venueId }) => [identifier, venueId]).sort(),
      [
        [own, venue],
        [uuid, null],
      ].sort(),
    );
    await phone.ask({ do: 'place', venueId: venue, at: site.now - 1_000 });
    assert.deepEqual((await phone.ask({ do: 'flush' })) as object, {
      events: [],
      messages: [],
      problems: [],
      dropped: [],
    });
    assert.deepEqual(
      (await site.rows('venue_entries')).map(({ venue_id }) => venue_id),
      [venue],
    );
  });

  test('says what was wrong: an unknown installation keeps the sightings, and its secret protects it', async () => {
    await setClock();
    await stand(2);
    assert.deepEqual(await phone.tell({ do: 'flush' }), { error: 'ObjectNotFound', code: 101, isRetriable: false });
    assert.equal(await phone.ask({ do: 'size' }), 2);
    await phone.ask({ do: 'register', members: {} });
    const installationId = String(await phone.ask({ do: 'installation' }));
    const stolen = { method: 'POST', url: '/api/v2/sightings', body: { installationId, sightings: [] } } as const;
    assert.equal(
      (await site.app.send({ ...stolen, body: { ...stolen.body, sightings: [site.decided('ENTER')] } })).status,
      403,
    );
    assert.ok(readFileSync(join(phoneFolder, site.app.appId, 'secret'), 'utf8').length >= 32);
    await phone.ask({ do: 'flush' });
    assert.equal(await phone.ask({ do: 'size' }), 0);
  });

  test('keeps what is of one app from another', async () => {
    await setClock();
    await phone.ask({ do: 'register', members: {} });
    await phone.ask({ do: 'refresh' });
    await stand(2);
    const name = await phone.ask({ do: 'installation' });
    phone.kill();
    phone = start('another');
    assert.deepEqual([await phone.ask({ do: 'size' }), await phone.ask({ do: 'records', list: 'beacons' })], [0, []]);
    assert.notEqual(await phone.ask({ do: 'installation' }), name);
    phone.kill();
    phone = start();
    assert.deepEqual([await phone.ask({ do: 'size' }), await phone.ask({ do: 'installation' })], [2, name]);
  });

  test('reads and writes JSON as everybody does', async () => {
    const texts = [
      '{"a":[1,-2.5,1e3,true,false,null,"\\u00e4\\ud83d\\ude00\\"\\\\/\\b\\f\\n\\r\\t"],"b":{}}',
      '[]',
      '"é😀"',
      '9007199254740993',
    ];
    for (const text of texts) assert.deepEqual(await phone.ask({ do: 'json', text }), JSON.parse(text), text);
    for (const text of [
      '{',
      '[1,]',
      '{"a" 1}',
      '01',
      'nul',
      '"\\x"',
      '"\n"',
      '1 2',
      `${'['.repeat(200)}${']'.repeat(200)}`,
    ])
      assert.match(String((await phone.tell({ do: 'json', text }))['error']), /^This is not JSON/, text);
  });
});
