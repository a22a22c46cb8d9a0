import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'vitest';
import type { PushMessage, PushSender, SendResult } from './push-sender.ts';
import { tracked } from './tracked-sender.ts';

test('a sender is closed when its messages have ended, and takes no more from the moment on', async () => {
  const steps: string[] = [];
  const { promise, resolve } = Promise.withResolvers<SendResult>();
  const sender: PushSender = tracked({
    send: () => promise,
    test: async () => ({ ok: true, text: '' }),
    close: async () => void steps.push('closed'),
  });
  const message: PushMessage = { deliveryId: 'd', content: { data: {} }, expiresAt: 1, urgency: 'high' };
  const send = () => sender.send(message, { token: 't', deviceType: 'ios' }, new AbortController().signal);
  const messages = [send(), send()].map((sent) => sent.then(({ outcome }) => steps.push(outcome)));
  const closing = sender.close();
  const late = await send();
  assert.deepEqual(late, { outcome: 'retry', reason: 'The service is stopping.', scope: 'message' });
  await nextTurn();
  assert.deepEqual(steps, [], 'two are on their way');
  resolve({ outcome: 'sent' });
  await Promise.all([...messages, closing]);
  assert.deepEqual(steps.sort(), ['closed', 'sent', 'sent']);
});
