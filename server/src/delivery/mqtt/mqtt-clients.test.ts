import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { patientMs } from '../../../test/support/patience.ts';
import { openDevice } from '../../../test/support/servers/mqtt-devices.ts';
import { openRawPort, type RawPort, topic } from '../../../test/support/servers/mqtt-packets.ts';

/** What others have written signs in and hears: mqtt.js and the clients of Mosquitto. */

describe('the protocol of the port for devices', () => {
  let port: RawPort;
  beforeAll(async () => {
    port = await openRawPort();
  });
  afterAll(() => port.close());
  afterEach(() => port.hangUp());

  test('an ordinary client is told why: an authentication method, a will of QoS 2', async () => {
    const options = { username: 'gate', password: 'right', protocolVersion: 5 } as const;
    await assert.rejects(
      openDevice(port.broker.port, { ...options, properties: { authenticationMethod: 'X' } }),
      /Bad authentication method/,
    );
    const last = { topic: 't', payload: Buffer.from('gone'), qos: 2, retain: false } as const;
    await assert.rejects(openDevice(port.broker.port, { ...options, will: last }), /QoS not supported/);
  });

  async function run(name: 'mosquitto_sub' | 'mosquitto_pub', ...words: readonly string[]) {
    const child = spawn(name, ['-h', '127.0.0.1', '-p', String(port.broker.port), ...words]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (more) => (said += String(more)));
    const [code] = await once(child, 'close');
    return { code: Number(code), said };
  }

  for (const version of ['mqttv31', 'mqttv311', 'mqttv5'])
    test(`mosquitto_sub with ${version} hears its topic, and acknowledges`, async () => {
      const heard = new Promise<void>((resolve) => port.broker.onListening(() => resolve()));
      const words = ['-V', version, '-i', 'c', '-u', 'gate', '-P', 'right', '-t', topic, '-q', '1', '-C', '1'];
      const running = run('mosquitto_sub', ...words);
      await heard;
      const message = {
        id: 'message',
        appId: 'app',
        topic,
        timeoutMs: patientMs,
        seconds: 60,
        payload: Buffer.from('Hello ⛵'),
      };
      assert.equal(await port.broker.publish(message), 'acknowledged');
      assert.deepEqual(await running, { code: 0, said: 'Hello ⛵\n' });
    });

  test('mosquitto_sub is told what it may not hear, mosquitto_pub that it may not speak', async () => {
    const who = ['-V', 'mqttv5', '-u', 'gate', '-P', 'right'];
    assert.match((await run('mosquitto_sub', ...who, '-t', 'museum/#')).said, /All subscription requests were denied/);
    const spoken = await run('mosquitto_pub', ...who, '-t', topic, '-m', 'x', '-q', '1');
    assert.ok(spoken.code !== 0 || /error|not authori/i.test(spoken.said), JSON.stringify(spoken));
    const wrong = await run('mosquitto_sub', '-V', 'mqttv5', '-u', 'gate', '-P', 'wrong', '-t', topic);
    assert.match(wrong.said, /Bad user name or password|Not authorized/i);
  });
});
