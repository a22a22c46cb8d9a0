import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { describeSenderPort } from '../../../test/conformance/sender-port.ts';
import { patientMs } from '../../../test/support/patience.ts';
import { openDevice, type TestDevice } from '../../../test/support/servers/mqtt-devices.ts';
import type { PushMessage, PushSender } from '../push/push-sender.ts';
import { DeviceBroker } from './mqtt-device-broker.ts';
import { createEmbeddedMqttSender } from './mqtt-embedded-sender.ts';
import { maxMessageBytes } from './mqtt-message.ts';

const now = Date.parse('2026-05-04T09:30:00Z');
const never = new AbortController().signal;

function message(change: Partial<PushMessage> = {}): PushMessage {
  const content = { title: 'Lighthouse', body: 'You are near ⛵', link: 'https://example.org/', data: { floor: 2 } };
  return { deliveryId: 'd1', content, expiresAt: now + 120_000, urgency: 'high', ...change };
}
const target = (token: string) => ({ token, deviceType: 'embedded' }) as const;

function deviceBroker(): DeviceBroker {
  return new DeviceBroker({
    login: async ({ username }) => ({ appId: 'app', deviceId: username, topic: `museum/${username}`, version: '1' }),
    stillValid: async (logins) => new Set(logins),
    now: () => now,
    onError: (what, error) => assert.fail(`${what}: ${error}`),
  });
}

describeSenderPort('MQTT through the own port', async () => {
  const broker = deviceBroker();
  await broker.listen(0, '127.0.0.1');
  const devices: TestDevice[] = [];
  const listen = async (name: string) => {
    const device = await openDevice(broker.port, { username: name, password: 'x' });
    devices.push(device);
    await device.client.subscribeAsync(`museum/${name}`, { qos: 1 });
    return { device, target: target(`museum/${name}`), received: () => device.messages };
  };
  return {
    create: () => createEmbeddedMqttSender({ broker, appId: 'app', now: Date.now, timeoutMs: patientMs }),
    maxBytes: maxMessageBytes,
    recipient: listen,
    mute: async (name) => {
      const { device, ...recipient } = await listen(name);
      // Never calls back, so that the client sends no PUBACK.
      const reached = new Promise<void>((resolve) => {
        device.client.handleMessage = () => resolve();
      });
      return { ...recipient, reached };
    },
    close: async () => {
      await Promise.all(devices.map((device) => device.close()));
      await broker.close();
    },
  };
});

describe('messages to devices by MQTT', () => {
  let broker: DeviceBroker;
  let sender: PushSender;
  const create = (timeoutMs = patientMs) =>
    createEmbeddedMqttSender({ broker, appId: 'app', now: () => now, timeoutMs });
  beforeAll(async () => {
    broker = deviceBroker();
    await broker.listen(0, '127.0.0.1');
    sender = create();
  });
  afterAll(async () => {
    await sender.close();
    await broker.close();
  });

  test('sent means that the device has it, as JSON', async () => {
    const device = await openDevice(broker.port, { username: 'gate', password: 'x' });
    await device.client.subscribeAsync('museum/gate', { qos: 1 });
    assert.deepEqual(await sender.send(message(), target('museum/gate'), never), { outcome: 'sent' });
    assert.deepEqual(JSON.parse(device.messages[0] ?? ''), {
      deliveryId: 'd1',
      title: 'Lighthouse',
      body: 'You are near ⛵',
      link: 'https://example.org/',
      data: { floor: 2 },
      expiresAt: '2026-05-04T09:32:00.000Z',
    });
    await device.close();
  });

  test('while the device is away the message waits: a short time when it soon is no news, a longer one otherwise', async () => {
    for (const [left, afterMs] of [
      [10_000, 2_000],
      [120_000, 6_000],
      [86_400_000, 60_000],
    ] as const) {
      const result = await sender.send(message({ expiresAt: now + left }), target('museum/nobody'), never);
      const reason = 'No device is listening to this topic now.';
      assert.deepEqual(result, { outcome: 'retry', reason, scope: 'message', afterMs });
    }
  });

  test('a device that does not acknowledge in time: retry for this message only', async () => {
    const device = await openDevice(broker.port, { username: 'mute', password: 'x' });
    // Never calls back, so that the client sends no PUBACK.
    device.client.handleMessage = () => undefined;
    await device.client.subscribeAsync('museum/mute', { qos: 1 });
    const result = await create(500).send(message(), target('museum/mute'), never);
    assert.deepEqual([result.outcome, 'scope' in result && result.scope], ['retry', 'message']);
    await device.closed;
  });

  test('topics to which nothing can be published fail', async () => {
    for (const topic of ['', 'museum/#', '+', 'a\u0000b', '$SYS/x', 'x'.repeat(2000)]) {
      const result = await sender.send(message(), target(topic), never);
      assert.equal(result.outcome, 'failed', topic.slice(0, 20));
    }
  });

  test('a message that is too large fails, and an aborted one is tried again', async () => {
    const large = message({ content: { data: { text: 'x'.repeat(40_000) } } });
    assert.equal((await sender.send(large, target('museum/gate'), never)).outcome, 'failed');
    const result = await sender.send(message(), target('museum/gate'), AbortSignal.abort());
    assert.deepEqual([result.outcome, 'scope' in result && result.scope], ['retry', 'message']);
  });

  test('the test says where devices connect, or what to set', async () => {
    assert.deepEqual((await sender.test(never)).ok, true);
    const off = createEmbeddedMqttSender({ broker: undefined, appId: 'app', now: () => now, timeoutMs: 500 });
    assert.match((await off.test(never)).text, /PHAROS_MQTT_PORT/);
    const result = await off.send(message(), target('museum/gate'), never);
    assert.deepEqual([result.outcome, 'scope' in result && result.scope], ['retry', 'provider']);
  });
});
