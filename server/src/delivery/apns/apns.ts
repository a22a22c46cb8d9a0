import { IssuerClock } from '../provider/issuer-clock.ts';
import {
  isAnswer,
  type NoAnswer,
  type ProviderAnswer,
  type ProviderRequest,
  reason,
  unanswered,
} from '../provider/provider-answer.ts';
import { ProviderClient } from '../provider/provider-client.ts';
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
import { apnsRequest } from './apns-message.ts';
import { type ApnsSettings, isBundleId, readApnsSettings } from './apns-settings.ts';
import { ApnsToken } from './apns-token.ts';
import {
  createChannelRequest,
  deleteChannelRequest,
  liveRequest,
  manageOrigins,
  maxLiveBytes,
} from './live-activity.ts';

const maxBytes = 4096;

const origins = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
} as const;

/** Apple Push Notification service with a token-based connection. */
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
