import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { testInFull } from '../../../../../test/support/depth.ts';
import { type Mosquitto, startMosquitto } from '../../../../../test/support/servers/mosquitto.ts';
import { startNatsBroker } from '../../../../../test/support/servers/nats.ts';
import { openNode, openSite } from '../../../../../test/support/site.ts';
import { readConfig } from '../../../../config/config.ts';
import type { GatewaySender } from '../intake.ts';
import { createSubscription } from './subscription.ts';

const brokers = { Mosquitto: () => startMosquitto({ isPersistent: true }), 'NATS, with MQTT 3.1.1': startNatsBroker };

describe.each(Object.entries(brokers))('what comes by a broker, %s,', (name, startBroker) => {
  const testElsewhere = name === 'Mosquitto' ? test : testInFull;
  let broker: Mosquitto;
  let gateway: MqttClient;
  const ends: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    broker = await startBroker();
    gateway = connect(broker.url, { ...credentials(), reconnectPeriod: 50 });
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });
  afterAll(async () => {
    await gateway.endAsync(true);
    await broker.close();
  });
  const credentials = () => ({ username: broker.username, password: broker.password });
  const address = (password = broker.password) =>
    broker.url.replace('//', `//${broker.username}:${encodeURIComponent(password)}@`);

  /** A node that notes what it hears. */
  function node({
    appId = 'app',
    password = broker.password,
    owns = (_index: number): boolean => true,
    store = async (_topic: string | undefined): Promise<void> => {},
  } = {}) {
    const [heard, log]: [string[], string[]] = [[], []];
    let wake = () => {};
    const note = (list: string[], what: string) => {
      list.push(what);
      wake();
    };
    const subscription = createSubscription({
      config: readConfig({
        PHAROS_GATEWAY_BROKER_URL: address(password),
        PHAROS_GATEWAY_BROKER_TOPICS: 'rooms/+/heard, hall/#',
        PHAROS_GATEWAY_BROKER_APP: appId,
      }),
      owns: (what) => owns(Number(what.at(-1))),
      findOpenApp: async (id) => (id === 'app' ? ({ policy: {} } as never) : undefined),
      intake: {
        receive: async ({ appId, gateway }: GatewaySender, { topic, payload }) => {
          await store(topic);
          note(heard, `${appId} ${gateway} ${topic} ${Buffer.from(payload)}`);
          return undefined as never;
        },
      },
      gatewayStates: { lastHeard: async () => undefined },
      now: Date.now,
      assertRoom: () => undefined,
      log: (level, what) => note(log, `${level}: ${what}`),
      onError: (what, error) => note(log, `${what}: ${(error as Error).message}`),
    });
    assert.ok(subscription);
    subscription.start();
    ends.push(() => subscription.close());
    const until = async (holds: () => boolean) => {
      while (!holds())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    };
    return { heard, log, subscription, until };
  }
  /** Each with half of the connections. */
  const twoNodes = () => [node({ owns: (index) => index < 2 }), node({ owns: (index) => index >= 2 })];
  const subscribed = (log: readonly string[]) => log.some((line) => line.startsWith('info: subscribed'));

  test('is heard once, by one of the nodes, with QoS 0 and 1, and nothing else is', async () => {
    // What lies there from before was heard then, and not now.
    await gateway.publishAsync('rooms/1/heard', 'yesterday', { qos: 1, retain: true });
    const nodes = twoNodes();
    for (const { log, until } of nodes) await until(() => subscribed(log));
    await gateway.publishAsync('rooms/1/other', 'x', { qos: 1 });
    const sent = Array.from({ length: 40 }, (_, index) => `${index}`);
    for (const text of sent) await gateway.publishAsync('rooms/1/heard', text, { qos: Number(text) % 2 === 0 ? 0 : 1 });
    await Promise.race(nodes.map(({ until }) => until(() => nodes.flatMap(({ heard }) => heard).length >= 40)));
    const all = nodes.flatMap(({ heard }) => heard);
    assert.deepEqual(all.sort(), sent.map((text) => `app undefined rooms/1/heard ${text}`).sort());
  });

  test('does not wait until what came before is stored, which is not acknowledged and comes again', async () => {
    const stuck = Promise.withResolvers<void>();
    const first = node({ store: (topic) => (topic === 'hall/stuck' ? stuck.promise : Promise.resolve()) });
    await first.until(() => subscribed(first.log));
    // On whatever connection the first comes, others are heard beside it.
    const sent = Array.from({ length: 16 }, (_, index) => `hall/beside/${index}`);
    for (const topic of ['hall/stuck', ...sent]) await gateway.publishAsync(topic, 'x', { qos: 1 });
    await first.until(() => first.heard.length >= sent.length);
    assert.deepEqual(first.heard.sort(), sent.map((topic) => `app undefined ${topic} x`).sort());
    await first.subscription.close();
    stuck.resolve();
    const second = node();
    await second.until(() => second.heard.includes('app undefined hall/stuck x'));
  });

  testElsewhere('is acknowledged when it is stored: what could not be comes again after a restart', async () => {
    const first = node({ store: () => Promise.reject(new Error('the disk is full')) });
    await first.until(() => subscribed(first.log));
    await gateway.publishAsync('hall/1', 'kept', { qos: 1 });
    await first.until(() => first.log.includes('storing what a gateway has published: the disk is full'));
    await first.subscription.close();
    await gateway.publishAsync('hall/1', 'meanwhile', { qos: 1 });
    const second = node();
    await second.until(() => second.heard.length >= 2);
    assert.deepEqual(second.heard.sort(), ['app undefined hall/1 kept', 'app undefined hall/1 meanwhile']);
  });

  testElsewhere('comes again after the broker was away, and the log says how it stands', async () => {
    const { heard, log, until } = node();
    await until(() => subscribed(log));
    await broker.stop();
    await until(() => log.some((line) => line.startsWith('error: nothing comes from gateways by the broker at')));
    await broker.start();
    await until(() => log.filter((line) => line.startsWith('info')).length === 2);
    await gateway.publishAsync('hall/2', 'again', { qos: 1 });
    await until(() => heard.includes('app undefined hall/2 again'));
    assert.ok(!log.join().includes(broker.password));
  });

  testElsewhere(
    'comes also if it was published after a restart of the broker and before the nodes were back',
    async () => {
      const nodes = twoNodes();
      for (const { log, until } of nodes) await until(() => subscribed(log));
      await broker.restart();
      // It tries again sooner than the service does.
      const sent = Array.from({ length: 16 }, (_, index) => `hall/restart/${index}`);
      for (const topic of sent) await gateway.publishAsync(topic, 'early', { qos: 1 });
      const all = () => nodes.flatMap(({ heard }) => heard);
      await Promise.race(nodes.map(({ until }) => until(() => all().length >= sent.length)));
      assert.deepEqual(all().sort(), sent.map((topic) => `app undefined ${topic} early`).sort());
      assert.ok(nodes.every(({ heard }) => heard.length > 0));
    },
  );

  test('comes to the node that takes over, also what was published meanwhile and what the other could not store', async () => {
    let isFirst = true;
    const first = node({ owns: () => isFirst, store: () => Promise.reject(new Error('the disk is full')) });
    await first.until(() => subscribed(first.log));
    await gateway.publishAsync('hall/1', 'not stored', { qos: 1 });
    await first.until(() => first.log.includes('storing what a gateway has published: the disk is full'));
    const second = node({ owns: () => !isFirst });
    isFirst = false;
    const sent = Array.from({ length: 16 }, (_, index) => `hall/handover/${index}`);
    for (const topic of sent) await gateway.publishAsync(topic, 'x', { qos: 1 });
    const wanted = ['app undefined hall/1 not stored', ...sent.map((topic) => `app undefined ${topic} x`)];
    await second.until(() => wanted.every((one) => second.heard.includes(one)));
    assert.deepEqual(first.heard, []);
  });

  testElsewhere('comes without a break when it is more than is stored at once', async () => {
    const { heard, log, until } = node({ store: () => new Promise((resolve) => setImmediate(resolve)) });
    await until(() => subscribed(log));
    const sent = Array.from({ length: 1_000 }, (_, index) => `${index}`);
    await Promise.all(sent.map((text) => gateway.publishAsync('hall/many', text)));
    await until(() => heard.length >= sent.length);
    assert.deepEqual(
      heard,
      sent.map((text) => `app undefined hall/many ${text}`),
    );
  });

  testElsewhere('needs the right password and an app; the log says so', async () => {
    const wrong = node({ password: 'wrong' });
    await wrong.until(() => wrong.log.some((line) => /^error: .*[Nn]ot authorized/.test(line)));
    const none = node({ appId: 'none' });
    await none.until(() => subscribed(none.log));
    await gateway.publishAsync('hall/3', 'x', { qos: 1 });
    await none.until(() => none.log.some((line) => line.includes('there is no app none')));
  });
});

for (const database of databases) {
  test(`a gateway at a broker makes visits on ${database}`, async () => {
    const broker = await startMosquitto();
    const site = await openSite(database);
    await site.beacon({ metadata: { gatewayId: 'hall' } });
    await site.installation({
      ...{ installationId: 'tag', deviceType: 'embedded' },
      metadata: { advertisedId: 'c3000025ef6a' },
    });
    const node = await openNode(site, {
      ...site.app.config,
      gatewayBrokerUrl: broker.url.replace('//', `//${broker.username}:${encodeURIComponent(broker.password)}@`),
      gatewayBrokerTopics: ['espresense/devices/#'],
      gatewayBrokerApp: site.app.appId,
    });
    const { username, password } = broker;
    const gateway = connect(broker.url, { username, password, protocolVersion: 4 });
    const heard = { mac: 'c3000025ef6a', id: 'tag', rssi: -55, 'rssi@1m': -59, distance: 0.8, int: 200 };
    do {
      await gateway.publishAsync('espresense/devices/tag/hall', JSON.stringify(heard), { qos: 1 });
      site.app.clock.now += 1_000;
      await delay(20);
    } while ((await site.list('visits')).length === 0);
    await gateway.endAsync(true);
    await node.close();
    await site.close();
    await broker.close();
  });
}

test('a gateway that floods a broker is refused what is too much, its page says so, and another one is heard', async () => {
  const broker = await startMosquitto({ isPersistent: true });
  const site = await openSite('sqlite');
  const { username, password } = broker;
  const [flooding, quiet] = ['AC233F000001', 'AC233F000002'];
  for (const gatewayId of [flooding, quiet]) await site.beacon({ name: gatewayId, metadata: { gatewayId } });
  await site.installation({
    ...{ installationId: 'tag', deviceType: 'embedded' },
    metadata: { advertisedId: 'c3000025ef6a' },
  });
  const node = await openNode(site, {
    ...site.app.config,
    gatewayBrokerUrl: broker.url.replace('//', `//${username}:${encodeURIComponent(password)}@`),
    gatewayBrokerTopics: ['/gw/+/status'],
    gatewayBrokerApp: site.app.appId,
  });
  const gateway = connect(broker.url, { username, password, protocolVersion: 4 });
  const publish = (name: string, mac: string, padding = 0) => {
    const heard = { type: 'Unknown', mac, rssi: -60, timestamp: new Date(site.now).toISOString() };
    const message = JSON.stringify([{ type: 'Gateway', mac: name }, heard]) + ' '.repeat(padding);
    return gateway.publishAsync(`/gw/${name}/status`, message, { qos: 1 });
  };
  // 40 MB at once: ten more than in a minute.
  for (let sent = 0; sent < 400; sent++) await publish(flooding, 'C3000025EF6B', 100 * 1_024);
  do {
    await publish(quiet, 'C3000025EF6A');
    site.app.clock.now += 1_000;
    await delay(20);
  } while ((await site.list('visits')).length === 0);
  const states = await site.list('gateways');
  assert.deepEqual(
    states.map(({ gatewayId, refusedAt }: { gatewayId: string; refusedAt?: string }) => [
      gatewayId,
      refusedAt !== undefined,
    ]),
    [
      [flooding.toLowerCase(), true],
      [quiet.toLowerCase(), false],
    ],
  );
  await gateway.endAsync(true);
  await node.close();
  await site.close();
  await broker.close();
});
