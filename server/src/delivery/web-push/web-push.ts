import { createPublicKey, sign, verify } from 'node:crypto';
import {
  isAnswer,
  type NoAnswer,
  type ProviderAnswer,
  reason,
  retryLater,
  unanswered,
} from '../provider/provider-answer.ts';
import { ProviderClients } from '../provider/provider-clients.ts';
import { publicLookup } from '../provider/public-address.ts';
import { collapseId } from '../push/collapse-id.ts';
import { perContent, secondsLeft, template } from '../push/message-template.ts';
import {
  type PushMessage,
  type PushSender,
  type SenderDefinition,
  type SenderDeps,
  type SendResult,
  sent,
  type TestAnswer,
} from '../push/push-sender.ts';
import { tracked } from '../push/tracked-sender.ts';
import { Vapid, vapidKey } from './vapid.ts';
import { maxPlaintext } from './web-push-encryption.ts';
import { generateVapidKeys, readWebPushSettings, type WebPushSettings } from './web-push-settings.ts';
import { readSubscription } from './web-push-subscription.ts';
import { EncryptionThreads } from './web-push-threads.ts';

/** Web Push (RFC 8030) to the push service of whichever browser subscribed. */
export const webPushDefinition: SenderDefinition<WebPushSettings> = {
  kind: 'webpush',
  name: 'Web Push',
  maxBytes: maxPlaintext,
  read: readWebPushSettings,
  summarise: ({ publicKey, subject }) => ({ publicKey, subject }),
  create: createWebPushSender,
  generate: generateVapidKeys,
};

/** Shared by the senders of all apps: threads are for cores, not for apps. */
const threads = new EncryptionThreads();

const payload = perContent(({ data, ...shown }) =>
  template(['deliveryId'], ({ deliveryId }) => ({ ...shown, deliveryId, data })),
);

function createWebPushSender(
  settings: WebPushSettings,
  { now, timeoutMs, network, noteClock }: SenderDeps,
): PushSender {
  const clients = new ProviderClients((origin) =>
    origin === network?.origin
      ? { origin, ca: network.ca, timeoutMs, connections: 6, http1: true }
      : { origin, lookup: publicLookup, timeoutMs, connections: 6, http1: true },
  );
  const vapid = new Vapid(settings, now, noteClock);

  return tracked({
    async send(message, target, signal) {
      const plaintext = payload(message.content)({ deliveryId: message.deliveryId });
      const bytes = Buffer.byteLength(plaintext);
      if (bytes > maxPlaintext) return tooLarge(bytes);
      const subscription = readSubscription(target.token, network?.origin);
      if (typeof subscription === 'string') return { outcome: 'failed', reason: subscription };
      const { origin, path, keys } = subscription;
      const body = await threads.encrypt({ ...keys, plaintext });
      if (!body) return { outcome: 'failed', reason: "The subscription's keys are not those of a browser." };
      const post = (authorization: string) =>
        clients.of(origin).send({ path, headers: { ...headersFor(message, now()), authorization }, body }, signal);
      const authorization = vapid.authorization(origin);
      const first = await post(authorization);
      const renewed = isAnswer(first) ? vapid.renewed(origin, authorization, first) : undefined;
      const answer = renewed === undefined ? first : await post(renewed);
      return isAnswer(answer) ? result(answer, now()) : notAnswered(answer);
    },
    test: async () => testKeys(settings),
    close: () => clients.close(),
  });
}

function headersFor(message: PushMessage, now: number): Record<string, string | number> {
  return {
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: secondsLeft(message.expiresAt, now),
    topic: collapseId(message.deliveryId, message.content),
    urgency: message.urgency,
  };
}

function tooLarge(bytes: number): SendResult {
  return { outcome: 'failed', reason: `The message has ${bytes} bytes; Web Push accepts ${maxPlaintext}.` };
}

/**
 * A push service is one of many, and a subscription can name any address. So one service's answer never applies to all,
 * or a single hostile endpoint would hold up everybody.
 */
function result(answer: ProviderAnswer, now: number): SendResult {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return headers.location ? { outcome: 'sent', providerId: headers.location } : sent;
  const words = reason('The push service answered', status, answer.body);
  if (status === 404 || status === 410) return { outcome: 'dead', reason: words };
  if (status === 429 || status >= 500) return retryLater(answer, now, { reason: words, scope: 'message' });
  return { outcome: 'failed', reason: words };
}

function notAnswered(answer: NoAnswer): SendResult {
  const ended = unanswered(answer);
  return ended.outcome === 'retry' ? { ...ended, scope: 'message' } : ended;
}

/** Without a subscription there is no service to ask, so the keys are tried on each other. */
function testKeys(settings: WebPushSettings): TestAnswer {
  const data = Buffer.from('credentials test');
  const key = vapidKey(settings);
  const signature = sign('sha256', data, key);
  const ok = verify('sha256', data, createPublicKey(key), signature);
  return ok
    ? { ok, text: 'The keys belong together and can sign. No push service is called before a browser has subscribed.' }
    : { ok, text: 'The two keys do not belong together. Generate a new pair.' };
}
