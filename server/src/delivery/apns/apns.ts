import { createPrivateKey, type KeyObject } from 'node:crypto';
import { IssuerClock } from '../provider/issuer-clock.ts';
import { signJwt } from '../provider/jwt.ts';
import type { ProviderAnswer, ProviderRequest } from '../provider/provider-answer.ts';
import { isAnswer, type NoAnswer, reason, unanswered } from '../provider/provider-answer.ts';
import { ProviderClient } from '../provider/provider-client.ts';
import { apnsPriority, apnsPushType, aps } from '../push/aps.ts';
import { collapseId, messageUuid } from '../push/collapse-id.ts';
import { besideReserved, hasText, perContent, template } from '../push/message-template.ts';
import type { PushMessage, PushTarget } from '../push/push-sender.ts';
import {
  type PushSender,
  type SenderDefinition,
  type SenderDeps,
  type SendResult,
  sent,
  type TestAnswer,
} from '../push/push-sender.ts';
import { tracked } from '../push/tracked-sender.ts';
import { apnsReason, apnsResult, apnsWords } from './apns-answer.ts';
import type { ApnsSettings } from './apns-settings.ts';
import { isBundleId, readApnsSettings } from './apns-settings.ts';
import {
  createChannelRequest,
  deleteChannelRequest,
  liveRequest,
  manageOrigins,
  maxLiveBytes,
} from './live-activity.ts';

const minute = 60_000;
/** Apple accepts a token for an hour and refuses a new one more than once in twenty minutes. */
const acceptedMs = 60 * minute;
const renewAfterMs = 50 * minute;
const keepAtLeastMs = 20 * minute;

/** The provider token: signed here, and the same for every push until it is renewed. */
class ApnsToken {
  readonly #settings: ApnsSettings;
  readonly #key: KeyObject;
  readonly #clock: IssuerClock;
  #authorization = '';
  #issuedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: ApnsSettings, clock: IssuerClock) {
    this.#settings = settings;
    this.#key = createPrivateKey(settings.key);
    this.#clock = clock;
  }

  /** The `authorization` header's value. */
  get(): string {
    if (this.#clock.now() - this.#issuedAt >= renewAfterMs) this.#issue();
    return this.#authorization;
  }

  /**
   * Apple has refused `authorization`.
   *
   * @returns 0 when there is a new one, the number of ms until there may be one, or undefined if a new one would not help
   */
  renew(authorization: string, answer: ProviderAnswer): number | undefined {
    const code = apnsReason(answer);
    if (code !== 'ExpiredProviderToken' && code !== 'InvalidProviderToken') return undefined;
    if (authorization !== this.#authorization) return 0;
    const from = Math.floor(this.#issuedAt / 1000) * 1000;
    if (!this.#clock.refusedTime(answer, { from, until: from + acceptedMs })) {
      if (code === 'InvalidProviderToken') return undefined;
      const wait = keepAtLeastMs - (this.#clock.now() - this.#issuedAt);
      if (wait > 0) return wait;
    }
    this.#issue();
    return 0;
  }

  #issue(): void {
    const { keyId, teamId } = this.#settings;
    this.#issuedAt = this.#clock.now();
    const claims = { iss: teamId, iat: Math.floor(this.#issuedAt / 1000) };
    this.#authorization = `bearer ${signJwt({ alg: 'ES256', kid: keyId }, claims, this.#key)}`;
  }
}

const reserved = new Set(['aps', 'deliveryId', 'link', 'image', 'video', 'buttons']);

const payload = perContent((content) => {
  const { title, body, link, image, video, buttons, data } = content;
  const alert = hasText(content) ? { title, body } : undefined;
  const members = Object.fromEntries(besideReserved(data, (name) => reserved.has(name)));
  return template(['deliveryId'], ({ deliveryId }) => ({
    aps: { alert, ...aps(content) },
    deliveryId,
    link,
    image,
    video,
    buttons,
    ...members,
  }));
});

/**
 * A request in the form of
 * https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns, without its
 * authorization.
 */
export function apnsRequest(message: PushMessage, target: PushTarget, bundleId: string): ProviderRequest {
  const { content, urgency } = message;
  return {
    path: `/3/device/${encodeURIComponent(target.token)}`,
    headers: {
      'apns-topic': target.appIdentifier ?? bundleId,
      'apns-push-type': apnsPushType(content),
      'apns-id': messageUuid(message.deliveryId),
      'apns-expiration': Math.floor(message.expiresAt / 1000),
      'apns-priority': apnsPriority(content, urgency),
      'apns-collapse-id': collapseId(message.deliveryId, content),
    },
    body: payload(content)({ deliveryId: message.deliveryId }),
  };
}

const maxBytes = 4096;

const origins = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
} as const;

export const apnsDefinition: SenderDefinition<ApnsSettings> = {
  kind: 'apns',
  name: 'Apple Push Notification service',
  maxBytes,
  read: readApnsSettings,
  summarise: ({ keyId, teamId, bundleId, environment }) => ({ keyId, teamId, bundleId, environment }),
  create: createApnsSender,
};

/** Apple reports the provider token as expired, and there may be no new one yet. */
interface TooEarly {
  readonly afterMs: number;
}

function createApnsSender(settings: ApnsSettings, { now, timeoutMs, network, noteClock }: SenderDeps): PushSender {
  const origin = network?.origin ?? origins[settings.environment];
  const client = new ProviderClient({ origin, ca: network?.ca, timeoutMs, connections: 8 });
  const manageOrigin = network?.origin ?? manageOrigins[settings.environment];
  const management = new ProviderClient({ origin: manageOrigin, ca: network?.ca, timeoutMs, connections: 1 });
  const clock = new IssuerClock(now, { name: 'Apple' }, noteClock);
  const tokens = new ApnsToken(settings, clock);

  const post = (to: ProviderClient, request: ProviderRequest, authorization: string, signal: AbortSignal) =>
    to.send({ ...request, headers: { ...request.headers, authorization } }, signal);

  /** Sends, and if Apple reports the provider token as expired, or as of a wrong time, sends once more with a new one. */
  const authorised = async (
    request: ProviderRequest,
    signal: AbortSignal,
    again: () => ProviderRequest,
    to = client,
  ): Promise<ProviderAnswer | NoAnswer | TooEarly> => {
    const authorization = tokens.get();
    const answer = await post(to, request, authorization, signal);
    if (!isAnswer(answer) || answer.status !== 403) return answer;
    const afterMs = tokens.renew(authorization, answer);
    if (afterMs === undefined) return answer;
    return afterMs > 0 ? { afterMs } : post(to, again(), tokens.get(), signal);
  };

  const resultOf = (answer: ProviderAnswer | NoAnswer | TooEarly): SendResult => {
    if ('afterMs' in answer) return { outcome: 'retry', reason: clockText, scope: 'provider', ...answer };
    if (!isAnswer(answer)) return unanswered(answer);
    return answer.status < 300 ? accepted(answer) : apnsResult(answer, now());
  };

  return tracked({
    async send(message, target, signal) {
      if (!isBundleId(target.appIdentifier ?? settings.bundleId)) return noTopic;
      const build = () => apnsRequest(clock.forIssuer(message), target, settings.bundleId);
      const request = build();
      const bytes = Buffer.byteLength(request.body);
      if (bytes > maxBytes) return tooLarge(bytes);
      const answer = await authorised(request, signal, build);
      return resultOf(answer);
    },
    live: {
      async send(activity, target, signal) {
        const build = () => liveRequest(activity, target, settings.bundleId);
        const request = build();
        const most = 'channelId' in target ? maxLiveBytes.broadcast : maxLiveBytes.device;
        const bytes = Buffer.byteLength(request.body);
        return bytes > most ? tooLarge(bytes, most) : resultOf(await authorised(request, signal, build));
      },
      async createChannel(storesLatest, signal) {
        const build = () => createChannelRequest(settings.bundleId, storesLatest);
        const answer = await authorised(build(), signal, build, management);
        const channelId = 'status' in answer && answer.status === 201 ? answer.headers['apns-channel-id'] : undefined;
        return typeof channelId === 'string' ? { channelId } : resultOf(answer);
      },
      async deleteChannel(channelId, signal) {
        const build = () => deleteChannelRequest(settings.bundleId, channelId);
        return resultOf(await authorised(build(), signal, build, management));
      },
    },
    test: async (signal) =>
      explain(await authorised(testRequest(settings), signal, () => testRequest(settings)), settings),
    async close() {
      await Promise.all([client.close(), management.close()]);
    },
  });
}

const clockText = 'APNs reports the provider token as expired although it is new; check the clock of this machine.';

const noTopic: SendResult = { outcome: 'failed', reason: "The installation's appIdentifier is not a bundle id." };

function tooLarge(bytes: number, most = maxBytes): SendResult {
  return { outcome: 'failed', reason: `The message has ${bytes} bytes of payload; APNs accepts ${most}.` };
}

function accepted({ headers }: ProviderAnswer): SendResult {
  const id = headers['apns-id'];
  return typeof id === 'string' ? { outcome: 'sent', providerId: id } : sent;
}

/** To a token that cannot exist: Apple checks the credentials first and then refuses the token. */
function testRequest({ bundleId }: ApnsSettings): ProviderRequest {
  return {
    path: `/3/device/${'0'.repeat(64)}`,
    headers: { 'apns-topic': bundleId, 'apns-push-type': 'background', 'apns-priority': 5, 'apns-expiration': 0 },
    body: '{"aps":{"content-available":1}}',
  };
}

function explain(answer: ProviderAnswer | NoAnswer | TooEarly, settings: ApnsSettings): TestAnswer {
  if ('afterMs' in answer) return { ok: false, text: clockText, status: 403 };
  if (!isAnswer(answer)) return { ok: false, text: reason(answer.text) };
  const { status } = answer;
  const words = apnsWords(answer);
  if (apnsReason(answer) === 'BadDeviceToken' || status === 200) {
    const text = `Apple (${settings.environment}) accepted the key. The made-up device token was refused, as it should be:`;
    return { ok: true, status, text: reason(text, words) };
  }
  return { ok: false, status, text: reason(`Apple (${settings.environment}) refused:`, words) };
}
