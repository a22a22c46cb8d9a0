import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest';
import { pushMessage } from '../../test/conformance/push-sender.ts';
import { type FakeAnswer, json } from '../../test/fakes/exchange.ts';
import { type PushProvider, startPushProvider } from '../../test/fakes/push-provider.ts';
import { patientMs } from '../../test/support/patience.ts';
import { apnsDefinition } from './apns/apns.ts';
import { fcmDefinition } from './fcm/fcm.ts';
import type { NoteClock, PushSender, SenderDefinition, SenderDeps, SendResult } from './push/push-sender.ts';
import { webPushDefinition } from './web-push/web-push.ts';
import { generateVapidKeys } from './web-push/web-push-settings.ts';

const never = new AbortController().signal;
const minute = 60_000;
const start = Date.UTC(2026, 10, 21, 12);

let now = start;
let provider: PushProvider;
beforeAll(async () => {
  provider = await startPushProvider({ now: () => now });
});
afterAll(() => provider.close());

function create<S>(definition: SenderDefinition<S>, entered: unknown, deps: Partial<SenderDeps> = {}): PushSender {
  const { origin, ca } = provider;
  const network = { origin, ca };
  return definition.create(definition.read(entered), { now: () => now, timeoutMs: patientMs, network, ...deps });
}

/** A sender for each test, and its result for a message to `name`. */
function senderOf<S>(definition: SenderDefinition<S>, entered: () => unknown) {
  let sender: PushSender;
  beforeEach(() => {
    now = start;
    sender = create(definition, entered());
  });
  afterEach(() => sender.close());
  return () => sender;
}

const day = 24 * 60 * minute;

/** What holds for all whose credentials carry a time. */
function testWrongTime(
  definition: SenderDefinition<never>,
  {
    entered,
    tokenFor,
    issuer,
  }: { readonly entered: () => unknown; readonly tokenFor: (name: string) => string; readonly issuer: () => string },
): void {
  for (const ahead of [400 * day, -400 * day])
    test(`a clock that jumps by ${ahead / day} days and back stops no message, and is told`, async () => {
      let [jump, told] = [0, [] as { readonly name: string; readonly ahead: number }[]];
      const noteClock: NoteClock = ({ name }, by) => told.push({ name, ahead: Math.round(by / day) });
      const sender = create(definition, entered(), { now: () => now + jump, noteClock });
      const send = async (name: string) =>
        sender.send(
          pushMessage({ expiresAt: now + jump + minute }),
          { token: tokenFor(name), deviceType: 'ios' },
          never,
        );
      assert.equal((await send('before')).outcome, 'sent');
      now += 21 * minute;
      for (const by of [ahead, 0]) {
        jump = by;
        told = [];
        // Nobody accepts a clock that is a day off for ever.
        now += day;
        const results = await Promise.all(['a', 'b', 'c'].map(send));
        assert.deepEqual(
          results.map(({ outcome }) => outcome),
          ['sent', 'sent', 'sent'],
          JSON.stringify(results),
        );
        assert.deepEqual(told[0], { name: issuer(), ahead: by / day });
        assert.equal(told.length, 1, 'once, not for each message');
        const { headers } = provider.received.at(-1) ?? {};
        const until = headers?.['apns-expiration'];
        if (until !== undefined) assert.ok(Math.abs(Number(until) * 1000 - now - minute) < 2_000, 'by its clock');
      }
      await sender.close();
    });
}

async function through(sender: PushSender, token: string, appIdentifier?: string): Promise<SendResult> {
  const message = pushMessage({ expiresAt: now + minute });
  return sender.send(message, { token, deviceType: 'ios', ...(appIdentifier ? { appIdentifier } : {}) }, never);
}

function briefly(result: SendResult): string {
  return [result.outcome, 'scope' in result ? result.scope : '', 'afterMs' in result ? result.afterMs : '']
    .filter(Boolean)
    .join(' ');
}

describe('FCM', () => {
  const sender = senderOf(fcmDefinition, () => provider.fcm.serviceAccount);
  const send = (name: string) => through(sender(), provider.fcm.tokenFor(name));

  function refusal(status: number, errorCode: string, headers = {}): FakeAnswer {
    const details = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }];
    return json(
      status,
      { error: { code: status, status: 'GENERAL', message: `It said ${errorCode}.`, details } },
      headers,
    );
  }

  for (const [status, code, expected, headers] of [
    [404, 'UNREGISTERED', 'dead'],
    [400, 'INVALID_ARGUMENT', 'failed'],
    [403, 'SENDER_ID_MISMATCH', 'failed'],
    [401, 'THIRD_PARTY_AUTH_ERROR', 'failed'],
    [404, 'NOT_FOUND', 'failed'],
    [429, 'QUOTA_EXCEEDED', 'retry provider 60000'],
    [429, 'QUOTA_EXCEEDED', 'retry provider 7000', { 'retry-after': '7' }],
    [429, 'QUOTA_EXCEEDED', 'retry provider 9000', { 'retry-after': new Date(start + 9000).toUTCString() }],
    [503, 'UNAVAILABLE', 'retry provider'],
    [500, 'INTERNAL', 'retry provider'],
  ] as const) {
    test(`${status} ${code} ${JSON.stringify(headers ?? {})} is ${expected}`, async () => {
      provider.tell('f', refusal(status, code, headers));
      const result = await send('f');
      assert.equal(briefly(result), expected);
      assert.ok('reason' in result && result.reason.includes(`It said ${code}.`));
    });
  }

  testWrongTime(fcmDefinition as SenderDefinition<never>, {
    entered: () => provider.fcm.serviceAccount,
    tokenFor: (name) => provider.fcm.tokenFor(name),
    issuer: () => 'Google',
  });

  test('a refusal because of the time by a Google that does not say what time it is: retry', async () => {
    const refused = json(400, { error: 'invalid_grant', error_description: 'Invalid times.' }, { date: 'now' });
    provider.tell('oauth', refused);
    assert.equal(briefly(await send('m')), 'retry provider');
  });

  test('many messages at once ask for one access token', async () => {
    const before = provider.fcm.issued;
    await Promise.all(Array.from({ length: 200 }, () => send('g')));
    assert.equal(provider.fcm.issued - before, 1);
  });

  test('an access token is renewed before it runs out, and nobody waits for it', async () => {
    assert.equal((await send('h')).outcome, 'sent');
    const before = provider.fcm.issued;
    now += 50 * minute;
    assert.equal((await send('h')).outcome, 'sent');
    assert.equal(provider.fcm.issued, before);
    now += 6 * minute;
    assert.equal((await send('h')).outcome, 'sent');
    now += 10 * minute;
    assert.equal((await send('h')).outcome, 'sent');
    assert.equal(provider.fcm.issued, before + 1);
  });

  test('a revoked access token is replaced once, and the message goes out', async () => {
    assert.equal((await send('i')).outcome, 'sent');
    const before = provider.fcm.issued;
    provider.fcm.revoke();
    assert.equal((await send('i')).outcome, 'sent');
    assert.equal(provider.fcm.issued, before + 1);
    const refused = json(401, { error: { status: 'UNAUTHENTICATED', message: 'No.' } });
    provider.tell('i', refused, refused);
    assert.equal(briefly(await send('i')), 'failed');
  });

  test('a service account that Google refuses fails with Google’s words, and is not tried for each message', async () => {
    const refused = json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
    provider.tell('oauth', refused);
    for (const _ of [1, 2]) {
      const result = await send('j');
      assert.ok(result.outcome === 'failed' && result.reason.includes('invalid_grant Invalid JWT Signature.'));
    }
    const answer = await sender().test(never);
    assert.deepEqual([answer.ok, answer.status], [false, 400]);
    now += 11_000;
    assert.equal((await send('j')).outcome, 'sent');
  });

  test('a token endpoint that is down: retry', async () => {
    provider.tell('oauth', { status: 503, headers: { 'retry-after': '4' } });
    assert.equal(briefly(await send('k')), 'retry provider 4000');
  });

  test('a token endpoint that answers without a token: retry, and no message goes out without one', async () => {
    for (const answer of [{ expires_in: 3599 }, { access_token: 5, expires_in: 3599 }]) {
      provider.tell('oauth', json(200, answer));
      assert.equal(briefly(await send('l')), 'retry provider');
      now += 11_000;
    }
    assert.equal((await send('l')).outcome, 'sent');
  });

  test('the trial reports a project that does not accept the account', async () => {
    provider.tell('credentials-test', json(403, { error: { status: 'PERMISSION_DENIED', message: 'Not yours.' } }));
    const answer = await sender().test(never);
    assert.deepEqual([answer.ok, answer.status], [false, 403]);
    assert.match(answer.text, /lighthouse-1234.*Not yours/);
  });
});

describe('APNs', () => {
  const sender = senderOf(apnsDefinition, () => provider.apns.entered);
  const send = (name: string) => through(sender(), provider.apns.tokenFor(name));

  for (const [status, told, expected] of [
    [410, 'Unregistered', 'dead'],
    [410, 'ExpiredToken', 'dead'],
    [400, 'BadDeviceToken', 'dead'],
    [400, 'DeviceTokenNotForTopic', 'failed'],
    [400, 'PayloadEmpty', 'failed'],
    [403, 'InvalidProviderToken', 'failed'],
    [413, 'PayloadTooLarge', 'failed'],
    [429, 'TooManyRequests', 'retry message'],
    [429, 'TooManyProviderTokenUpdates', 'retry provider 60000'],
    [500, 'InternalServerError', 'retry provider'],
    [503, 'Shutdown', 'retry provider'],
  ] as const) {
    test(`${status} ${told} is ${expected}`, async () => {
      provider.tell('a', json(status, { reason: told }));
      const result = await send('a');
      assert.equal(briefly(result), expected);
      assert.ok('reason' in result && result.reason.includes(told));
    });
  }

  testWrongTime(apnsDefinition as SenderDefinition<never>, {
    entered: () => provider.apns.entered,
    tokenFor: (name) => provider.apns.tokenFor(name),
    issuer: () => 'Apple',
  });

  test('one provider token serves for 50 minutes', async () => {
    const before = provider.apns.providerTokens.size;
    for (const minutes of [0, 49, 2]) {
      now += minutes * minute;
      assert.equal((await send('b')).outcome, 'sent');
    }
    assert.equal(provider.apns.providerTokens.size - before, 2);
  });

  test('an expired provider token is renewed once, but not within 20 minutes', async () => {
    assert.equal((await send('c')).outcome, 'sent');
    now += 5 * minute;
    provider.apns.expireTokens();
    assert.equal(briefly(await send('c')), `retry provider ${15 * minute}`);
    now += 16 * minute;
    assert.equal((await send('c')).outcome, 'sent');
  });

  test('the installation’s own app is the topic', async () => {
    const token = provider.apns.tokenFor('d');
    assert.equal((await through(sender(), token, 'com.example.lighthouse.pro')).outcome, 'sent');
    assert.equal(provider.received.at(-1)?.headers['apns-topic'], 'com.example.lighthouse.pro');
    assert.equal(briefly(await through(sender(), token, 'com.other')), 'failed');
  });

  test('an invalid appIdentifier fails alone and leaves the connection to the others', async () => {
    assert.equal((await send('e')).outcome, 'sent');
    const { connections } = provider;
    assert.equal(briefly(await through(sender(), provider.apns.tokenFor('e'), 'com.x\r\nhost: y')), 'failed');
    assert.equal((await send('e')).outcome, 'sent');
    assert.equal(provider.connections, connections);
  });

  test('the trial reports a key that Apple refuses', async () => {
    const other = create(apnsDefinition, { ...provider.apns.entered, teamId: 'OTHER12345' });
    const answer = await other.test(never);
    assert.deepEqual([answer.ok, answer.status], [false, 403]);
    assert.match(answer.text, /InvalidProviderToken/);
    await other.close();
  });
});

describe('Web Push', () => {
  const keys = generateVapidKeys();
  const sender = senderOf(webPushDefinition, () => ({ ...keys, subject: 'mailto:ops@example.org' }));
  const send = (name: string) => through(sender(), provider.webpush.tokenFor(name));

  for (const [status, expected] of [
    [200, 'sent'],
    [201, 'sent'],
    [202, 'sent'],
    [301, 'failed'],
    [400, 'failed'],
    [403, 'failed'],
    [404, 'dead'],
    [410, 'dead'],
    [413, 'failed'],
    [429, 'retry message'],
    [500, 'retry message'],
  ] as const) {
    test(`${status} is ${expected}`, async () => {
      provider.tell('w', { status, headers: { location: 'https://127.0.0.1/elsewhere' } });
      assert.equal(briefly(await send('w')), expected);
    });
  }

  testWrongTime(webPushDefinition as SenderDefinition<never>, {
    entered: () => ({ ...keys, subject: 'mailto:ops@example.org' }),
    tokenFor: (name) => provider.webpush.tokenFor(name),
    issuer: () => new URL(provider.origin).host,
  });

  test('one VAPID token serves one push service for hours', async () => {
    const before = provider.webpush.vapidTokens.size;
    for (const hours of [0, 10, 2]) {
      now += hours * 60 * minute;
      assert.equal((await send('x')).outcome, 'sent');
    }
    assert.equal(provider.webpush.vapidTokens.size - before, 2);
  });

  test('the message is what was sent, whole', async () => {
    assert.equal((await send('y')).outcome, 'sent');
    const { content, headers } = provider.received.at(-1) ?? {};
    const { deliveryId, ...shown } = content as Record<string, unknown>;
    assert.match(String(deliveryId), /^delivery\d+$/);
    assert.deepEqual(shown, pushMessage().content);
    assert.deepEqual([headers?.['ttl'], headers?.['urgency']], ['60', 'high']);
  });

  const subscription = (endpoint: string, more = {}) => {
    const { keys: browser } = JSON.parse(provider.webpush.tokenFor('z'));
    return JSON.stringify({ endpoint, keys: { ...browser, ...more } });
  };
  for (const [name, token, words] of [
    ['no subscription', () => 'abc', /not a Web Push subscription/],
    ['no endpoint', () => '{"keys":{}}', /not a Web Push subscription/],
    ['http', () => subscription('http://example.org/push'), /not an https/],
    ['loopback', () => subscription('https://127.0.0.1/push'), /not on the public internet/],
    ['a metadata service', () => subscription('https://[::ffff:169.254.169.254]/push'), /not on the public internet/],
    ['another port of this machine', () => subscription('https://localhost:1/push'), /not on the public internet/],
    ['a short secret', () => subscription(`${provider.origin}/push/z`, { auth: 'AAAA' }), /not those of a browser/],
    [
      'a key beside the curve',
      () => subscription(`${provider.origin}/push/z`, { p256dh: Buffer.alloc(65, 4).toString('base64url') }),
      /not those of a browser/,
    ],
  ] as const) {
    test(`a subscription with ${name} has failed and is not connected to`, async () => {
      const { connections } = provider;
      const result = await through(sender(), token());
      assert.ok(result.outcome === 'failed' && words.test(result.reason), JSON.stringify(result));
      assert.equal(provider.connections, connections);
    });
  }
});
