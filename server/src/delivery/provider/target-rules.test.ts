import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { patientMs } from '../../../test/support/patience.ts';
import { answerWith, startReceiver, type WebhookReceiver } from '../../../test/support/servers/webhook-receiver.ts';
import { callReceiver, readRetryAfter } from '../webhooks/webhook-call.ts';
import { createTargetRules, isTargetEntry, type Resolve } from './target-rules.ts';

const at =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('targets of outgoing calls', () => {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  const call = (url: string, resolve?: Resolve, allowed: readonly string[] = []) =>
    callReceiver(
      { url, headers: {}, body: '{}' },
      { targets: createTargetRules(allowed, resolve), timeoutMs: patientMs, now: Date.now },
      new AbortController().signal,
    );

  // However an address is written, the URL parser turns it into the same host.
  const inside = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    '0',
    '10.0.0.1',
    '172.16.3.4',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[fe80::1]',
    '[fd00::1]',
    '[ff02::1]',
    'localhost',
    'LOCALHOST',
  ];
  for (const host of inside) {
    test(`${host} is refused before and while connecting`, async () => {
      const url = `http://${host}:${receiver.port}/`;
      assert.ok(await createTargetRules([]).refusal(new URL(url).hostname));
      const before = receiver.calls.length;
      const result = await call(url);
      assert.deepEqual([result.outcome, receiver.calls.length], ['refused', before], result.text);
    });
  }

  test('a name that resolves differently the second time gains nothing', async () => {
    let asked = 0;
    const rebinding: Resolve = async () =>
      asked++ === 0 ? [{ address: '93.184.216.34', family: 4 }] : [{ address: '127.0.0.1', family: 4 }];
    const rules = createTargetRules([], rebinding);
    assert.equal(await rules.refusal('rebind.example'), undefined);
    const calls = receiver.calls.length;
    const result = await callReceiver(
      { url: `http://rebind.example:${receiver.port}/`, headers: {}, body: '{}' },
      { targets: rules, timeoutMs: patientMs, now: Date.now },
      new AbortController().signal,
    );
    assert.deepEqual([result.outcome, receiver.calls.length], ['refused', calls]);
    assert.match(result.text, /rebind\.example is at 127\.0\.0\.1/);
  });

  test('one address of the own network among public ones is enough to refuse a name', async () => {
    const result = await call(`http://mixed.example:${receiver.port}/`, at('93.184.216.34', '::ffff:10.0.0.1'));
    assert.equal(result.outcome, 'refused');
  });

  test('what the operator has allowed is called: a name, an address, a network', async () => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['127.0.0.1', ['127.0.0.1']],
      ['127.0.0.1', ['127.0.0.0/8']],
      ['crm.lan', ['crm.lan']],
      ['crm.lan', ['127.0.0.0/8']],
    ];
    for (const [host, allowed] of cases) {
      const result = await call(`http://${host}:${receiver.port}/`, at('127.0.0.1'), allowed);
      assert.equal(result.outcome, 'sent', `${host} ${allowed}: ${result.text}`);
    }
    for (const [host, allowed] of [
      ['crm.lan', ['other.lan', '10.0.0.0/8']],
      ['127.0.0.1', ['128.0.0.0/8']],
    ] as const) {
      const result = await call(`http://${host}:${receiver.port}/`, at('127.0.0.1'), allowed);
      assert.equal(result.outcome, 'refused', `${host} ${allowed}`);
    }
  });

  test('a redirect to the own network is not followed', async () => {
    receiver.answer = answerWith(307, '', { location: `http://127.0.0.1:${receiver.port}/inside` });
    const calls = receiver.calls.length;
    const result = await call(`http://crm.lan:${receiver.port}/`, at('127.0.0.1'), ['crm.lan']);
    assert.deepEqual([result.outcome, receiver.calls.length], ['refused', calls + 1]);
    receiver.answer = answerWith(200);
  });

  test('an endless answer is read for 4 KiB, and a silent receiver is given up after the time limit', async () => {
    receiver.answer = (_call, response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write('y'.repeat(65_536)));
      };
      response.on('drain', write).on('error', () => undefined);
      write();
    };
    const endless = await call(`http://127.0.0.1:${receiver.port}/`, undefined, ['127.0.0.1']);
    assert.deepEqual([endless.outcome, endless.answer?.length], ['sent', 4_096]);
    const mute = createServer(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as { port: number };
    const silent = await callReceiver(
      { url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' },
      { targets: createTargetRules(['127.0.0.1']), timeoutMs: 100, now: Date.now },
      new AbortController().signal,
    );
    mute.close();
    assert.deepEqual([silent.outcome, /No answer within/.test(silent.text)], ['again', true]);
    receiver.answer = answerWith(200);
  });

  test('a name that does not exist can be tried again', async () => {
    const away: Resolve = () =>
      Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
    assert.equal((await call('http://away.example/', away)).outcome, 'again');
    assert.match((await createTargetRules([], away).refusal('away.example')) ?? '', /cannot be found \(ENOTFOUND\)/);
  });

  test('entries of the setting', () => {
    for (const entry of ['crm.lan', '10.0.0.0/8', '10.1.2.3', 'fd00::/8', '::1'])
      assert.ok(isTargetEntry(entry), entry);
    for (const entry of ['http://crm.lan', '10.0.0.0/33', '10.0.0/8', 'a b', '*', 'fd00::/129', '1.2.3.4/8/9', 'x/8'])
      assert.ok(!isTargetEntry(entry), entry);
  });

  test('Retry-After as seconds and as a date', () => {
    const now = Date.parse('2026-05-04T09:30:00Z');
    assert.equal(readRetryAfter('120', now), 120_000);
    assert.equal(readRetryAfter('Mon, 04 May 2026 09:31:00 GMT', now), 60_000);
    assert.equal(readRetryAfter('Mon, 04 May 2026 09:29:00 GMT', now), 0);
    assert.equal(readRetryAfter('soon', now), undefined);
    assert.equal(readRetryAfter(undefined, now), undefined);
  });
});
