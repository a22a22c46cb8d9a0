import { IssuerClock } from '../provider/issuer-clock.ts';
import {
  isAnswer,
  jsonBody,
  type NoAnswer,
  type ProviderAnswer,
  reason,
  unanswered,
} from '../provider/provider-answer.ts';
import { ProviderClient } from '../provider/provider-client.ts';
import type { PushSender, SenderDefinition, SenderDeps, SendResult, TestAnswer } from '../push/push-sender.ts';
import { tracked } from '../push/tracked-sender.ts';
import type { IssuedToken, TokenRefusal } from './bearer-token.ts';
import { fcmError, fcmResult } from './fcm-answer.ts';
import { fcmMessage } from './fcm-message.ts';
import { type FcmSettings, readFcmSettings } from './fcm-settings.ts';
import { createFcmToken } from './fcm-token.ts';

const maxBytes = 4096;

/** Firebase Cloud Messaging over HTTP v1. */
export const fcmDefinition: SenderDefinition<FcmSettings> = {
  kind: 'fcm',
  name: 'Firebase Cloud Messaging',
  maxBytes,
  read: readFcmSettings,
  summarise: ({ projectId, clientEmail, privateKeyId }) => ({ projectId, clientEmail, privateKeyId }),
  create: createFcmSender,
};

function createFcmSender(settings: FcmSettings, { now, timeoutMs, network, noteClock }: SenderDeps): PushSender {
  const connect = (origin: string, connections: number) =>
    new ProviderClient({ origin: network?.origin ?? origin, ca: network?.ca, timeoutMs, connections });
  // FCM accepts 100 concurrent requests on a connection and may need 100 ms for one.
  const client = connect('https://fcm.googleapis.com', 12);
  const tokenClient = connect(new URL(settings.tokenUri).origin, 1);
  const clock = new IssuerClock(now, { name: 'Google' }, noteClock);
  const tokens = createFcmToken(settings, tokenClient, { now, clock });
  const path = `/v1/projects/${settings.projectId}/messages:send`;

  const post = (body: string, { token }: IssuedToken, signal: AbortSignal) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    return client.send({ path, headers, body }, signal);
  };

  /** Sends with a token, and once more with a fresh one if that one was refused. */
  const authorised = async (
    body: string,
    token: IssuedToken,
    signal: AbortSignal,
  ): Promise<ProviderAnswer | NoAnswer | TokenRefusal> => {
    const answer = await post(body, token, signal);
    if (!isAnswer(answer) || answer.status !== 401 || fcmError(answer).code === 'THIRD_PARTY_AUTH_ERROR') return answer;
    tokens.discard(token.token);
    const fresh = await tokens.get();
    return 'token' in fresh ? post(body, fresh, signal) : fresh;
  };

  return tracked({
    async send(message, target, signal) {
      const token = await tokens.get();
      if (!('token' in token)) return token.result;
      const { body, bytes } = fcmMessage(clock.forIssuer(message), target, clock.now());
      if (bytes > maxBytes) return tooLarge(bytes);
      const answer = await authorised(body, token, signal);
      if ('result' in answer) return answer.result;
      if (!isAnswer(answer)) return unanswered(answer);
      if (answer.status !== 200) return fcmResult(answer, now());
      const { name } = jsonBody(answer);
      return typeof name === 'string' ? { outcome: 'sent', providerId: name } : noReceipt(answer);
    },
    async test(signal) {
      const token = await tokens.get();
      return explain('token' in token ? await authorised(testBody, token, signal) : token, settings);
    },
    async close() {
      await client.close();
      await tokenClient.close();
    },
  });
}

function tooLarge(bytes: number): SendResult {
  return {
    outcome: 'failed',
    reason: `The message has ${bytes} bytes of notification and data; FCM accepts ${maxBytes}.`,
  };
}

/** A 200 without a message's name does not come from FCM. Whether anything was sent is unknown. */
function noReceipt(answer: ProviderAnswer): SendResult {
  return { outcome: 'retry', reason: reason('FCM 200 without a message name:', answer.body), scope: 'message' };
}

/** A token that cannot exist, and `validate_only`: FCM checks the credentials first and then refuses the token. */
const testBody = JSON.stringify({ validate_only: true, message: { token: 'credentials-test', data: {} } });

function explain(answer: ProviderAnswer | NoAnswer | TokenRefusal, { projectId }: FcmSettings): TestAnswer {
  if ('result' in answer) {
    const text = 'reason' in answer.result ? answer.result.reason : '';
    return { ok: false, text, ...(answer.status === undefined ? {} : { status: answer.status }) };
  }
  if (!isAnswer(answer)) return { ok: false, text: reason(answer.text) };
  const { code, words } = fcmError(answer);
  const { status } = answer;
  if (status === 200)
    return { ok: true, status, text: `Google and the project ${projectId} accepted the service account.` };
  if (code === 'INVALID_ARGUMENT' || code === 'UNREGISTERED') {
    const text = `Google and the project ${projectId} accepted the service account. The made-up token was refused, as it should be:`;
    return { ok: true, status, text: reason(text, words) };
  }
  const text = `Google issued a token for the service account, but the project ${projectId} refused it:`;
  return { ok: false, status, text: reason(text, words) };
}
