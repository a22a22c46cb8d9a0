import assert from 'node:assert/strict';
import { test } from 'vitest';
import { describePushSender, type SenderUnderTest } from '../../../test/conformance/push-sender.ts';
import { isFull } from '../../../test/support/depth.ts';
import { webPushDefinition } from './web-push.ts';
import { generateVapidKeys, type WebPushSettings } from './web-push-settings.ts';
import { EncryptionThreads } from './web-push-threads.ts';

const keys = generateVapidKeys();

const webPush: SenderUnderTest<WebPushSettings> = {
  definition: webPushDefinition,
  entered: ({ webpush }) => {
    webpush.applicationServerKey = keys.publicKey;
    return { ...keys, subject: 'mailto:ops@example.org' };
  },
  target: ({ webpush }, name) => ({ token: webpush.tokenFor(name), deviceType: 'web' }),
  ids: ({ headers, content }) => [headers['topic'] ?? null, content],
  scopes: { tooMany: 'message', unavailable: 'message' },
};

describePushSender('Web Push', webPush);
if (isFull) describePushSender('Web Push over HTTP/1.1', { ...webPush, http1: true });

test('what an encryption thread had when it ended is refused, and another thread takes what comes later', async () => {
  const threads = new EncryptionThreads(1);
  const task = { p256dh: 'no key', auth: '', plaintext: 'hi' };
  process.once('worker', (worker) => void worker.terminate());
  await assert.rejects(threads.encrypt(task), /thread has ended/);
  assert.equal(await threads.encrypt(task), undefined);
});
