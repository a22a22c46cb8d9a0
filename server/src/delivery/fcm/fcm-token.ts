import { createPrivateKey } from 'node:crypto';
import type { IssuerClock } from '../provider/issuer-clock.ts';
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
import type { ProviderClient } from '../provider/provider-client.ts';
import { BearerToken, type IssuedToken, type TokenRefusal } from './bearer-token.ts';
import type { FcmSettings } from './fcm-settings.ts';

const scope = 'https://www.googleapis.com/auth/firebase.messaging';

/** Of an assertion, s. */
const lifetime = 3600;

/**
 * Google's access token for a service account: a signed assertion is exchanged for a bearer token (RFC 7523). `client`
 * reaches the origin of the token endpoint.
 */
export function createFcmToken(
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
  const told = typeof error === 'string' ? [error, typeof description === 'string' ? description : ''] : [answer.body];
  const words = reason('Google refused the service account:', answer.status, ...told);
  const { status } = answer;
  // Without a `Date` nothing can be signed by, but the message has nothing to do with it.
  const isOfTime = isRefused(answer) && /\b(times?|timeframe|iat|exp)\b/i.test(words);
  if (status === 429 || status >= 500 || status === 200 || isOfTime) {
    return { status, result: retryLater(answer, now, { reason: words, ...provider }) };
  }
  return { status, result: { outcome: 'failed', reason: words } };
}
