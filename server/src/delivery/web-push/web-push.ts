import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { BoundedMap } from '../../base/caches/bounded-map.ts';
import { IssuerClock } from '../provider/issuer-clock.ts';
import { signJwt } from '../provider/jwt.ts';
import type { ProviderAnswer } from '../provider/provider-answer.ts';
import { isAnswer, type NoAnswer, reason, retryLater, unanswered } from '../provider/provider-answer.ts';
import { ProviderClient, type ProviderClientOptions } from '../provider/provider-client.ts';
import { publicLookup } from '../provider/public-address.ts';
import { collapseId } from '../push/collapse-id.ts';
import { perContent, secondsLeft, template } from '../push/message-template.ts';
import type { NoteClock } from '../push/push-sender.ts';
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
import { maxPlaintext } from './web-push-encryption.ts';
import type { WebPushSettings } from './web-push-settings.ts';
import { generateVapidKeys, readWebPushSettings } from './web-push-settings.ts';
import { readSubscription } from './web-push-subscription.ts';
import { EncryptionThreads } from './web-push-threads.ts';

const lifetimeMs = 12 * 3600_000;
const maxMs = 24 * 3600_000;
const renewBeforeMs = 3600_000;
const originsKept = 1000;

interface Kept {
  readonly clock: IssuerClock;
  readonly header: string;
  /** By the clock. */
  readonly expiresAt: number;
}

/**
 * The `authorization` header of a Web Push request (RFC 8292). A token names its push service, so there is one per
 * origin; signing one for each message would cost more than sending it. RFC 8292 allows 24 hours.
 */
class Vapid {
  readonly #settings: WebPushSettings;
  readonly #key: KeyObject;
  readonly #now: () => number;
  readonly #noteClock: NoteClock | undefined;
  readonly #kept = new BoundedMap<string, Kept>(originsKept);

  constructor(settings: WebPushSettings, now: () => number, noteClock?: NoteClock) {
    this.#settings = settings;
    this.#key = vapidKey(settings);
    this.#now = now;
    this.#noteClock = noteClock;
  }

  authorization(origin: string): string {
    const kept = this.#kept.get(origin);
    if (kept && kept.expiresAt - kept.clock.now() > renewBeforeMs) return kept.header;
    const { host } = new URL(origin);
    return this.#issue(
      origin,
      kept?.clock ?? new IssuerClock(this.#now, { name: host, isAnybody: true }, this.#noteClock),
    );
  }

  /** Another one, if a push service refused this one because of its time. */
  renewed(origin: string, header: string, answer: ProviderAnswer): string | undefined {
    if (answer.status !== 401 && answer.status !== 403) return undefined;
    const kept = this.#kept.get(origin);
    if (kept === undefined || kept.header !== header) return kept?.header;
    const { clock, expiresAt } = kept;
    return clock.refusedTime(answer, { from: expiresAt - maxMs, until: expiresAt })
      ? this.#issue(origin, clock)
      : undefined;
  }

  #issue(origin: string, clock: IssuerClock): string {
    const { publicKey, subject } = this.#settings;
    const expiresAt = clock.now() + lifetimeMs;
    const claims = { aud: origin, exp: Math.floor(expiresAt / 1000), sub: subject };
    const header = `vapid t=${signJwt({ typ: 'JWT', alg: 'ES256' }, claims, this.#key)}, k=${publicKey}`;
    this.#kept.delete(origin);
    this.#kept.set(origin, { clock, header, expiresAt });
    return header;
  }
}

function vapidKey({ publicKey, privateKey }: WebPushSettings): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      d: privateKey,
    },
  });
}

const maxKept = 200;

/** A client for each origin, for providers with many origins. The least recently used ones close. */
export class ProviderClients {
  readonly #options: (origin: string) => ProviderClientOptions;
  readonly #clients = new Map<string, ProviderClient>();

  constructor(options: (origin: string) => ProviderClientOptions) {
    this.#options = options;
  }

  of(origin: string): ProviderClient {
    const client = this.#clients.get(origin) ?? new ProviderClient(this.#options(origin));
    this.#clients.delete(origin);
    this.#clients.set(origin, client);
    if (this.#clients.size > maxKept) this.#closeOne(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }

  /** The least recently used one without calls in progress; `except` is about to be used. */
  #closeOne(except: ProviderClient): void {
    for (const [origin, client] of this.#clients) {
      if (client.busy > 0 || client === except) continue;
      this.#clients.delete(origin);
      void client.close();
      return;
    }
  }
}

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
