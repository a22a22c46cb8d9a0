import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type MqttClient } from 'mqtt';
import { test } from 'vitest';
import { commandLine } from '../../../src/access/audit.ts';
import { createServices } from '../../../src/app/services.ts';
import { joinSql, sql } from '../../../src/base/sql.ts';
import { openDatabase } from '../../../src/cli/commands/storage.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Db } from '../../../src/db/db.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { startMosquitto } from '../../support/servers/mosquitto.ts';
import { freePort } from '../../support/socket.ts';
import { type Service, startService } from '../service.ts';

/**
 * Gateways send 5,000 advertisements a second with QoS 1, half of them to the service's own port and half to a broker, while the service
 * is killed with -9, the broker restarts, and one more gateway floods. PHAROS_TEST_GATEWAY_SECONDS=600 takes ten minutes of it.
 */
const seconds = Number(process.env['PHAROS_TEST_GATEWAY_SECONDS'] ?? 45);
const gateways = 20;
/** Tags that stay at each gateway, heard ten times a second. */
const staying = 24;
const perSecond = 10;
/** One more tag is in each message alone, for as many seconds as make a visit: so each message leaves its trace. */
const passingSamples = 10;
/** Seconds. */
const measuredEvery = Math.ceil(seconds / 48);
const uuid = 'E2C56DB5DFFB48D2B060D0F5A71096E0';

const nameOf = (gateway: number) => `AC233F${gateway.toString(16).padStart(6, '0').toUpperCase()}`;
/** Of the passing tag of a message; staying tags have a major above all gateways. */
const numbersOf = (gateway: number, second: number) => ({ major: gateway, minor: second });

async function prepare(db: Db, appId: string): Promise<void> {
  for (let gateway = 0; gateway < gateways; gateway++)
    await db.run(sql`insert into beacons (app_id, object_id, name, uuid, uuid_key, major, minor, metadata, gateway_key, created_at, updated_at)
      values (${appId}, ${`Gateway${gateway}`}, 'Hall', 'u', 'u', 1, ${gateway}, '{}', ${nameOf(gateway).toLowerCase()}, 0, 0)`);
  const tags = Array.from({ length: gateways }, (_, gateway) => [
    ...Array.from({ length: seconds }, (_, second) => ({ kind: 'Passing', ...numbersOf(gateway, second) })),
    ...Array.from({ length: staying }, (_, minor) => ({ kind: 'Staying', major: 1_000 + gateway, minor })),
  ]).flat();
  for (let from = 0; from < tags.length; from += 500) {
    const rows = tags.slice(from, from + 500).map(({ kind, major, minor }) => {
      const id = `${kind}${String(major).padStart(6, '0')}x${String(minor).padStart(6, '0')}`;
      const key = `${uuid.toLowerCase()}:${major}:${minor}`;
      return sql`(${appId}, ${id}, ${id}, 'embedded', '[]', '{}', ${key}, 0, 0)`;
    });
    await db.run(sql`insert into installations
      (app_id, object_id, installation_id, device_type, channels, metadata, advertised_key, created_at, updated_at)
      values ${joinSql(rows, ', ')}`);
  }
}

/** What a Minew gateway sends each second. */
function messageOf(gateway: number, second: number): string {
  const now = Date.now();
  const heard = (major: number, minor: number, at: number) =>
    `{"timestamp":"${new Date(at).toISOString()}","type":"iBeacon","mac":"${(0xc3e12 * 2 ** 28 + (major % 2_000) * 2 ** 14 + minor).toString(16).padStart(12, '0').toUpperCase()}",` +
    `"ibeaconUuid":"${uuid}","ibeaconMajor":${major},"ibeaconMinor":${minor},"rssi":-52,"ibeaconTxPower":-59,"battery":0}`;
  const all = [
    `{"timestamp":"${new Date(now).toISOString()}","type":"Gateway","mac":"${nameOf(gateway)}","gatewayLoad":0.1}`,
  ];
  for (let minor = 0; minor < staying; minor++)
    for (let part = 0; part < perSecond; part++) all.push(heard(1_000 + gateway, minor, now - part * 100));
  const { major, minor } = numbersOf(gateway, second);
  for (let part = passingSamples; part > 0; part--) all.push(heard(major, minor, now - part * 1_000));
  return `[${all.join(',')}]`;
}

/** Waits for what is sent again until it is acknowledged. */
class Publisher {
  readonly #client: MqttClient;
  readonly #under = new Set<Promise<unknown>>();
  readonly took: number[] = [];

  constructor(url: string, username: string, password: string) {
    this.#client = connect(url, {
      ...{ username, password, protocolVersion: 4, reconnectPeriod: 200, clean: false },
      clientId: `load-${Math.random().toString(36).slice(2)}`,
    });
    this.#client.on('error', () => undefined);
  }

  publish(topic: string, message: string): void {
    const begun = performance.now();
    const done = this.#client
      .publishAsync(topic, message, { qos: 1 })
      .then(() => this.took.push(performance.now() - begun));
    this.#under.add(done);
    void done.finally(() => this.#under.delete(done));
  }

  /** How many messages nobody has acknowledged within four minutes. */
  async end(): Promise<number> {
    const late = new AbortController();
    await Promise.race([
      Promise.all(this.#under),
      delay(240_000, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    await this.#client.endAsync(true);
    return this.#under.size;
  }
}

const quantile = (values: readonly number[], share: number) =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0);
/**
 * What a service has in use of its memory, MB: resident, without what V8 keeps of its heap for later. How much that is depends on when it
 * last collected the whole heap; what nobody gives back shows in what is left. Undefined if the service is gone.
 */
function megabytes({ output }: Service): Promise<number | undefined> {
  const socket = new WebSocket([...output().matchAll(/ws:\S+/g)].at(-1)?.[0] ?? '');
  const expression =
    'process.getBuiltinModule("v8").setFlagsFromString("--expose-gc"); process.getBuiltinModule("vm").runInNewContext("gc")(); (({ rss, heapTotal, heapUsed }) => rss - heapTotal + heapUsed)(process.memoryUsage())';
  return new Promise((resolve) => {
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
    socket.onmessage = ({ data }) => {
      resolve(Math.round(JSON.parse(data).result.result.value / 2 ** 20));
      socket.close();
    };
    socket.onclose = () => resolve(undefined);
  });
}

test(
  'of 5,000 advertisements a second none is lost over a kill and a restart of the broker, and memory stays flat',
  async ({ annotate, onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-gateways-'));
    const broker = await startMosquitto({ isPersistent: true });
    const settings: Record<string, string> = {
      PHAROS_DATA: folder,
      PHAROS_MQTT_HOST: '127.0.0.1',
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
    };
    const port = await freePort();
    const db = await openDatabase(readConfig(settings));
    await migrate(db, Date.now());
    const services = createServices({ db, now: Date.now });
    const { appId } = await services.apps.create('Museum');
    const scopes = [{ resource: 'sightings', verbs: ['create'] }];
    const { secretKey } = await services.secretKeys.create(appId, { name: 'Gateways', scopes }, commandLine);
    await prepare(db, appId);
    await db.close();
    Object.assign(settings, {
      PHAROS_MQTT_PORT: String(port),
      PHAROS_GATEWAY_BROKER_URL: broker.url.replace(
        '//',
        `//${broker.username}:${encodeURIComponent(broker.password)}@`,
      ),
      PHAROS_GATEWAY_BROKER_TOPICS: '/gw/+/status',
      PHAROS_GATEWAY_BROKER_APP: appId,
    });
    let service = await startService(settings);
    onTestFinished(async () => {
      await service.stop('SIGKILL');
      await broker.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const own = `mqtt://127.0.0.1:${port}`;
    const publishers = Array.from({ length: gateways }, (_, gateway) =>
      gateway % 2 === 0
        ? new Publisher(own, appId, secretKey)
        : new Publisher(broker.url, broker.username, broker.password),
    );
    const flood = connect(own, {
      username: `${appId}/flood`,
      password: secretKey,
      protocolVersion: 4,
      reconnectPeriod: 200,
    });
    flood.on('error', () => undefined);
    const memory: number[] = [];
    const atOnce: Promise<unknown>[] = [];
    const begun = Date.now();
    const [kill, restart, flooding] = [0.3, 0.5, 0.65].map((share) => Math.floor(seconds * share));
    let before = 0;
    const flooded = messageOf(0, 0);
    let waiting = 0;
    for (let second = 0; second < seconds; second++) {
      if (second === kill)
        atOnce.push(
          service.stop('SIGKILL').then(async () => {
            service = await startService(settings);
          }),
        );
      if (second === restart) atOnce.push(broker.restart());
      if (second === flooding) before = publishers[0]?.took.length ?? 0;
      for (const [gateway, publisher] of publishers.entries()) {
        publisher.publish(`/gw/${nameOf(gateway)}/status`, messageOf(gateway, second));
        // Spread over the second, as gateways do by themselves.
        await delay(Math.max(0, begun + second * 1_000 + (gateway * 1_000) / gateways - Date.now()));
      }
      // As fast as the service reads it.
      if (second >= (flooding ?? 0))
        for (; waiting < 200; waiting++) flood.publish('/gw/flood/status', flooded, { qos: 0 }, () => waiting--);
      const isThere = service.process.exitCode === null && service.process.signalCode === null;
      const inUse = isThere && second % measuredEvery === 0 ? await megabytes(service) : undefined;
      if (inUse !== undefined) memory.push(inUse);
    }
    const sentIn = (Date.now() - begun) / 1_000;
    await Promise.all(atOnce);
    await flood.endAsync(true);
    const unheard = await Promise.all(publishers.map((publisher) => publisher.end()));
    assert.deepEqual(
      unheard,
      publishers.map(() => 0),
      service.output(),
    );
    // What the broker has acknowledged, the service may not have read yet.
    const reading = await openDatabase(readConfig(settings));
    const expected = gateways * seconds;
    let missing: readonly string[] = ['all'];
    for (const until = Date.now() + 60_000; missing.length > 0 && Date.now() < until; await delay(500))
      missing = (
        await reading.all<{ object_id: string }>(
          sql`select object_id from installations where app_id = ${appId} and object_id like 'Passing%' and object_id not in
            (select installation_id from visits where app_id = ${appId}) order by object_id`,
        )
      ).map((row) => row.object_id);
    await reading.close();
    const [quiet, beside] = [publishers[0]?.took.slice(0, before) ?? [], publishers[0]?.took.slice(before) ?? []];
    const rate = Math.round((gateways * seconds * (staying * perSecond + passingSamples)) / sentIn);
    const [first, last] = [
      memory.slice(Math.floor(memory.length / 2), -Math.floor(memory.length / 4)),
      memory.slice(-Math.floor(memory.length / 4)),
    ];
    await annotate(
      `${rate} advertisements/s for ${Math.round(sentIn)} s; ${expected - missing.length} of ${expected} messages stored; ` +
        `acknowledged within ${quantile(quiet, 0.5)} ms (99 %: ${quantile(quiet, 0.99)}), beside the flood ${quantile(beside, 0.5)} ms (99 %: ${quantile(beside, 0.99)}); ` +
        `memory ${memory.filter((_, at) => at % Math.max(1, Math.floor(memory.length / 12)) === 0).join(', ')} MB`,
    );
    assert.deepEqual(missing, []);
    assert.ok(Math.max(...last) < Math.max(...first) + 60, `${first.join()} and then ${last.join()} MB`);
  },
  (seconds + 420) * 1_000,
);
