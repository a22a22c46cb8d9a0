import assert from 'node:assert/strict';
import { connect, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { isFull } from '../../../../../test/support/depth.ts';
import { type Mosquitto, startMosquitto } from '../../../../../test/support/servers/mosquitto.ts';
import { startNatsBroker } from '../../../../../test/support/servers/nats.ts';
import { readConfig } from '../../../../config/config.ts';
import { type Announcer, createAnnouncer } from './announcer.ts';

const root = 'pharos/app';

const brokers = { Mosquitto: startMosquitto, ...(isFull ? { NATS: startNatsBroker } : {}) };

describe.each(Object.entries(brokers))('Home Assistant at %s', (_name, startBroker) => {
  let broker: Mosquitto;
  let house: MqttClient;
  /** What a house has that has just subscribed, and what came since. */
  const retained = new Map<string, string>();
  let wake = () => {};
  beforeAll(async () => {
    broker = await startBroker();
    const { username, password } = broker;
    house = connect(broker.url, { username, password });
    house.on('message', (topic, payload) => {
      if (payload.length === 0) retained.delete(topic);
      else if (!topic.includes('/look/')) retained.set(topic, payload.toString());
      wake();
    });
    await house.subscribeAsync(['homeassistant/#', 'ha/#', 'pharos/#']);
    await house.publishAsync('homeassistant/sensor/other/config', '{}', { retain: true });
  });
  afterAll(async () => {
    await house.endAsync(true);
    await broker.close();
  });
  const until = async (holds: () => boolean) => {
    while (!holds())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };

  const told = {
    zones: [{ objectId: 'Z', name: 'Café', isOccupied: true }],
    beacons: [{ objectId: 'B', name: 'Door', battery: 81.4, seenAt: Date.UTC(2026, 10, 29, 12, 30) }],
  };
  const errors: string[] = [];
  function announcer(prefix: string, read: () => typeof told | undefined = () => told): Announcer {
    const made = createAnnouncer({
      config: readConfig({
        PHAROS_GATEWAY_BROKER_URL: broker.url.replace(
          '//',
          `//${broker.username}:${encodeURIComponent(broker.password)}@`,
        ),
        PHAROS_GATEWAY_BROKER_TOPICS: 'hall/#',
        PHAROS_GATEWAY_BROKER_APP: 'app',
        PHAROS_GATEWAY_BROKER_DISCOVERY: prefix,
      }),
      isOurs: () => true,
      read: async () => read(),
      onError: (what, error) => errors.push(`${what}: ${(error as Error).message}`),
    });
    assert.ok(made);
    made.start();
    return made;
  }
  const configs = () => [...retained.keys()].filter((topic) => topic.includes('/pharos_app/')).sort();

  test('is told of zones and beacons, is told when that ends, and forgets what is gone', async () => {
    const first = announcer('homeassistant');
    await until(() => configs().length === 3);
    const config = JSON.parse(retained.get('homeassistant/binary_sensor/pharos_app/Z/config') ?? '');
    assert.deepEqual(config, {
      ...{ name: 'Occupancy', device_class: 'occupancy', state_topic: `${root}/zones/Z`, unique_id: 'pharos_app_Z' },
      device: { identifiers: ['pharos_app_Z'], name: 'Café', manufacturer: 'Pharos', model: 'Zone' },
      ...{ availability_topic: `${root}/status`, origin: { name: 'Pharos' } },
    });
    for (const topic of configs()) {
      const { state_topic: state } = JSON.parse(retained.get(topic) ?? '');
      assert.ok(retained.get(state), state);
    }
    assert.deepEqual(
      ['zones/Z', 'beacons/B/battery', 'beacons/B/seen', 'status'].map((topic) => retained.get(`${root}/${topic}`)),
      ['ON', '81', '2026-11-29T12:30:00.000Z', 'online'],
    );
    first.stop();
    await first.close();
    await until(() => retained.get(`${root}/status`) === 'offline');
    // The next start finds what this one has left: the beacon is gone, and the prefix is another.
    const next = announcer('ha', () => ({ ...told, beacons: [] }));
    await until(() => configs().join() === 'ha/binary_sensor/pharos_app/Z/config');
    await until(() => !retained.has(`${root}/beacons/B/seen`));
    next.stop();
    await next.close();
  });

  test('comes back after the broker was away', async () => {
    const made = announcer('homeassistant');
    await until(() => retained.get(`${root}/status`) === 'online' && configs().length === 3);
    await broker.stop();
    retained.clear();
    // It has kept nothing.
    await broker.start();
    await until(() => retained.get(`${root}/status`) === 'online' && configs().length === 3);
    made.stop();
    await made.close();
  });

  test('is told nothing, and forgets everything, as long as that is switched off', async () => {
    const off = announcer('');
    await until(
      () => [...retained.keys()].filter((topic) => topic !== 'homeassistant/sensor/other/config').length === 0,
    );
    off.stop();
    await off.close();
    assert.deepEqual(errors, []);
  });
});
