import { createPrivateKey } from 'node:crypto';
import { signJwt } from '../provider/jwt.ts';
import {
  isAnswer,
  jsonBody,
  type ProviderAnswer,
  reason,
  retryLater,
  unanswered,
} from '../provider/provider-answer.ts';
import type { ProviderClient } from '../provider/provider-client.ts';
import { BearerToken, type IssuedToken, type TokenRefusal } from './bearer-token.ts';
import type { FcmSettings } from './fcm-settings.ts';

const scope = 'https://www.googleapis.com/auth/firebase.messaging';

/**
 * Google's access token for a service account: a signed assertion is exchanged for a bearer token (RFC 7523). `client`
 * reaches the origin of the token endpoint.
 */
export function createFcmToken(settings: FcmSettings, client: ProviderClient, now: () => number): BearerToken {
  const key = createPrivateKey(settings.privateKey);
  const { pathname } = new URL(settings.tokenUri);
  const issue = async (): Promise<IssuedToken | TokenRefusal> => {
    const issuedAt = Math.floor(now() / 1000);
    const assertion = signJwt(
      { alg: 'RS256', typ: 'JWT', ...(settings.privateKeyId === '' ? {} : { kid: settings.privateKeyId }) },
      { iss: settings.clientEmail, scope, aud: settings.tokenUri, iat: issuedAt, exp: issuedAt + 3600 },
      key,
    );
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    const answer = await client.send(
      { path: pathname, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: String(body) },
      // Many messages wait for it, so none of their signals may end it; the client's time-out does.
      new AbortController().signal,
    );
    return isAnswer(answer) ? read(answer, now()) : { result: { ...unanswered(answer), ...provider } };
  };
  return new BearerToken(issue, now);
}

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
  if (status === 429 || status >= 500 || status === 200) {
    return { status, result: retryLater(answer, now, { reason: words, ...provider }) };
  }
  return { status, result: { outcome: 'failed', reason: words } };
}
