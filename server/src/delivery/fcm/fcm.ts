import { createPrivateKey } from 'node:crypto';
import { IssuerClock } from '../provider/issuer-clock.ts';
import { signJwt } from '../provider/jwt.ts';
import {
  isAnswer,
  jsonBody,
  type NoAnswer,
  type ProviderAnswer,
  reason,
  retryLater,
  unanswered,
} from '../provider/provider-answer.ts';
import { ProviderClient } from '../provider/provider-client.ts';
import type { PushSender, SenderDefinition, SenderDeps, SendResult, TestAnswer } from '../push/push-sender.ts';
import { tracked } from '../push/tracked-sender.ts';
import { BearerToken, type IssuedToken, type TokenRefusal } from './bearer-token.ts';
import { fcmMessage } from './fcm-message.ts';
import type { FcmSettings } from './fcm-settings.ts';
import { readFcmSettings } from './fcm-settings.ts';

const scope = 'https://www.googleapis.com/auth/firebase.messaging';

/** Of an assertion, s. */
const lifetime = 3600;

/**
 * Google's access token for a service account: a signed assertion is exchanged for a bearer token (RFC 7523). `client`
 * reaches the origin of the token endpoint.
 */
function createFcmToken(
  settings: FcmSettings,
  client: ProviderClient,
  { now, clock }: { readonly now: () => number; readonly clock: IssuerClock },
): BearerToken {
  const key = createPrivateKey(settings.privateKey);
  const { pathname } = new URL(settings.tokenUri);
  const ask = async (issuedAt: number): Promise<ProviderAnswer | NoAnswer> => {
    const assertion = signJwt(
      { alg: 'RS256', typ: 'JWT', ...(settings.privateKeyId === '' ? {} : { kid: settings.privateKeyId }) },
      { iss: settings.clientEmail, scope, aud: settings.tokenUri, iat: issuedAt, exp: issuedAt + lifetime },
      key,
    );
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    return client.send(
      { path: pathname, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: String(body) },
      // Many messages wait for it, so none of their signals may end it; the client's time-out does.
      new AbortController().signal,
    );
  };
  const issue = async (): Promise<IssuedToken | TokenRefusal> => {
    const issuedAt = Math.floor(clock.now() / 1000);
    let answer = await ask(issuedAt);
    if (isAnswer(answer) && isRefused(answer)) {
      const valid = { from: issuedAt * 1000, until: (issuedAt + lifetime) * 1000 };
      if (clock.refusedTime(answer, valid)) answer = await ask(Math.floor(clock.now() / 1000));
    }
    return isAnswer(answer) ? read(answer, now()) : { result: { ...unanswered(answer), ...provider } };
  };
  return new BearerToken(issue, now);
}

const isRefused = ({ status }: ProviderAnswer) => status === 400 || status === 401;

/** Without a token nothing can be sent. */
const provider = { scope: 'provider' } as const;

function read(answer: ProviderAnswer, now: number): IssuedToken | TokenRefusal {
  const { access_token: token, expires_in: seconds, error, error_description: description } = jsonBody(answer);
  if (answer.status === 200 && typeof token === 'string') {
    return { token, expiresAt: now + (typeof seconds === 'number' ? seconds : 3600) * 1000 };
  }
  const causes =
    typeof error === 'string' ? [error, typeof description === 'string' ? description : ''] : [answer.body];
  const words = reason('Google refused the service account:', answer.status, ...causes);
  const { status } = answer;
  // Without a `Date` nothing can be signed by, but the message has nothing to do with it.
  const isOfTime = isRefused(answer) && /\b(times?|timeframe|iat|exp)\b/i.test(words);
  if (status === 429 || status >= 500 || status === 200 || isOfTime) {
    return { status, result: retryLater(answer, now, { reason: words, ...provider }) };
  }
  return { status, result: { outcome: 'failed', reason: words } };
}

interface FcmError {
  /** `UNREGISTERED`, `QUOTA_EXCEEDED`, …; Google's general status (`NOT_FOUND`) if FCM names none. */
  readonly code: string;
  readonly words: string;
}

/** Reads an error code (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode) from Google's error shape. */
function fcmError(answer: ProviderAnswer): FcmError {
  const { error } = jsonBody(answer) as {
    error?: { status?: unknown; message?: unknown; details?: readonly { '@type'?: string; errorCode?: unknown }[] };
  };
  const details = Array.isArray(error?.details) ? error.details : [];
  const code = details.find((detail) => typeof detail?.errorCode === 'string')?.errorCode ?? error?.status;
  return {
    code: typeof code === 'string' ? code : '',
    words: reason(
      'FCM',
      answer.status,
      String(code ?? ''),
      typeof error?.message === 'string' ? error.message : answer.body,
    ),
  };
}

/** The meaning of an answer other than 200 and other than 401 for the token. */
function fcmResult(answer: ProviderAnswer, now: number): SendResult {
  const { code, words } = fcmError(answer);
  if (code === 'UNREGISTERED') return { outcome: 'dead', reason: words };
  if (code === 'THIRD_PARTY_AUTH_ERROR') {
    const text = 'FCM could not use the APNs key or Web Push key that the Firebase project has for this app:';
    return { outcome: 'failed', reason: reason(text, words) };
  }
  if (answer.status === 429 || answer.status >= 500) {
    // Google asks for a wait of at least a minute after a 429 that names no time.
    const afterMs = answer.status === 429 ? 60_000 : undefined;
    return retryLater(answer, now, { reason: words, scope: 'provider', afterMs });
  }
  return { outcome: 'failed', reason: words };
}

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
