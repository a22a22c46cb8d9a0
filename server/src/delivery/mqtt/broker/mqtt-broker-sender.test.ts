import assert from 'node:assert/strict';
import { connect, connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { describeSenderPort } from '../../../../test/conformance/sender-port.ts';
import { patientMs } from '../../../../test/support/patience.ts';
import { type Mosquitto, startMosquitto } from '../../../../test/support/servers/mosquitto.ts';
import { startNatsBroker } from '../../../../test/support/servers/nats.ts';
import { Failure } from '../../../base/errors.ts';
import { createTargetRules } from '../../provider/target-rules.ts';
import type { PushMessage, PushSender } from '../../push/push-sender.ts';
import { maxMessageBytes } from '../mqtt-message.ts';
import { BrokerClient } from './mqtt-broker-client.ts';
import { brokerDefinition } from './mqtt-broker-sender.ts';

const never = new AbortController().signal;
const targets = createTargetRules(['127.0.0.0/8']);
const definition = brokerDefinition(targets);
const deps = { now: Date.now, timeoutMs: patientMs };
const target = (token: string) => ({ token, deviceType: 'embedded' }) as const;

let made = 0;
function message(): PushMessage {
  const content = { title: 'Lighthouse', data: { floor: 2 } };
  return { deliveryId: `d${++made}`, content, expiresAt: Date.now() + 120_000, urgency: 'high' };
}

describe('the settings of a broker', () => {
  test('is checked, and the password is never shown', () => {
    const good = { url: 'mqtts://broker.example.org', username: 'u', password: 'secret', topicPrefix: 'museum/' };
    assert.deepEqual(definition.summarise(definition.read(good)), {
      url: 'mqtts://broker.example.org',
      username: 'u',
      topicPrefix: 'museum/',
    });
    const cases: readonly (readonly [unknown, string])[] = [
      [undefined, 'url'],
      [{}, 'url'],
      [{ url: 'https://broker.example.org' }, 'url'],
      [{ url: 'mqtt://user:secret@broker.example.org' }, 'url'],
      [{ url: 7 }, 'url'],
      [{ ...good, topicPrefix: '#' }, 'topicPrefix'],
      [{ url: good.url, password: 'secret' }, 'username'],
    ];
    for (const [entered, field] of cases) {
      assert.throws(
        () => definition.read(entered),
        (error) =>
          error instanceof Failure && error.details[0]?.field === field && !JSON.stringify(error).includes('secret'),
        JSON.stringify(entered),
      );
    }
  });

  test('an address of the own network is not connected to unless it is allowed', async () => {
    const sender = brokerDefinition(createTargetRules([])).create({ url: 'mqtt://127.0.0.1:1883' }, deps);
    const result = await sender.send(message(), target('gate'), never);
    assert.equal(result.outcome, 'retry');
    assert.match((await sender.test(never)).text, /not an address of the public internet/);
    await sender.close();
  });
});

const brokers = { Mosquitto: startMosquitto, 'NATS, which knows MQTT 3.1.1 only': startNatsBroker };
for (const [name, startBroker] of Object.entries(brokers))
  describeSenderPort(
    `MQTT through ${name}`,
    async () => {
      const broker = await startBroker();
      const { url, username, password } = broker;
      const watcher = await connectAsync(url, { username, password, reconnectPeriod: 0 });
      const messages = new Map<string, string[]>();
      watcher.on('message', (topic, payload) => messages.get(topic)?.push(String(payload)));
      return {
        create: () => definition.create(definition.read({ url, username, password }), deps),
        maxBytes: maxMessageBytes,
        recipient: async (name) => {
          const came: string[] = [];
          messages.set(`museum/${name}`, came);
          await watcher.subscribeAsync(`museum/${name}`, { qos: 1 });
          return { target: target(`museum/${name}`), received: () => came };
        },
        close: async () => {
          await watcher.endAsync();
          await broker.close();
        },
      };
    },
    { hearsRecipients: false },
  );

describe('messages through Mosquitto', () => {
  let broker: Mosquitto;
  let sender: PushSender;
  beforeAll(async () => {
    broker = await startMosquitto();
    sender = open();
  });
  afterAll(async () => {
    await sender.close();
    await broker.close();
  });
  const open = (change: object = {}) => {
    const { url, username, password } = broker;
    return definition.create(definition.read({ url, username, password, ...change }), deps);
  };
  const login = () => ({ username: broker.username, password: broker.password, reconnectPeriod: 0 });

  test('the broker has it: a subscriber that was away finds it', async () => {
    const session = { ...login(), clientId: 'gate', clean: false };
    const first = await connectAsync(broker.url, session);
    await first.subscribeAsync('museum/gate', { qos: 1 });
    await first.endAsync();
    const sent = message();
    assert.deepEqual(await sender.send(sent, target('museum/gate'), never), { outcome: 'sent' });
    const again = connect(broker.url, session);
    const arrived = new Promise<string>((resolve) =>
      again.once('message', (_topic, payload) => resolve(String(payload))),
    );
    assert.equal(JSON.parse(await arrived).deliveryId, sent.deliveryId);
    await again.endAsync();
  });

  test('a prefix keeps apps apart that share a broker', async () => {
    const watcher = await connectAsync(broker.url, login());
    await watcher.subscribeAsync('app1/#', { qos: 1 });
    const arrived = new Promise<string>((resolve) => watcher.once('message', (topic) => resolve(topic)));
    const prefixed = open({ topicPrefix: 'app1/' });
    assert.equal((await prefixed.send(message(), target('gate'), never)).outcome, 'sent');
    assert.equal(await arrived, 'app1/gate');
    await prefixed.close();
    await watcher.endAsync();
  });

  test('nothing is kept of a message that the broker has', async () => {
    const { url, username, password } = broker;
    const client = new BrokerClient({ url, username, password }, { targets, timeoutMs: patientMs });
    const connection = await client.connect();
    const before = connection.listenerCount('close');
    for (let n = 0; n < 20; n++) await client.publish(`many/${n}`, Buffer.from('x'), 60);
    assert.equal(connection.listenerCount('close'), before);
    await client.close();
  });

  test('many at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 500 }, (_, n) => sender.send(message(), target(`many/${n}`), never)),
    );
    assert.ok(results.every(({ outcome }) => outcome === 'sent'));
  });

  test('a topic with a wildcard fails', async () => {
    assert.equal((await sender.send(message(), target('museum/#'), never)).outcome, 'failed');
  });

  test('wrong credentials: retry for everything, and the test says what the broker said', async () => {
    const wrong = open({ password: 'wrong' });
    const result = await wrong.send(message(), target('gate'), never);
    assert.deepEqual([result.outcome, 'scope' in result && result.scope], ['retry', 'provider']);
    const answer = await wrong.test(never);
    assert.equal(answer.ok, false);
    assert.match(answer.text, /Not authorized|Bad [Uu]ser/);
    assert.ok(!answer.text.includes('wrong'));
    assert.equal((await sender.test(never)).ok, true);
    await wrong.close();
  });

  test('a broker that is down: retry, and it works again when the broker is back', async () => {
    await broker.stop();
    const result = await sender.send(message(), target('gate'), never);
    assert.deepEqual([result.outcome, 'scope' in result && result.scope], ['retry', 'provider']);
    assert.match((await sender.test(never)).text, /ECONNREFUSED/);
    await broker.start();
    assert.equal((await sender.send(message(), target('gate'), never)).outcome, 'sent');
  });
});
