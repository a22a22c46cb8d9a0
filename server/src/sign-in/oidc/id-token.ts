import { hash } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import {
  JOSEAlgNotAllowed,
  JOSEError,
  JWKSNoMatchingKey,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTExpired,
} from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';

/** Whose tokens are accepted, and for whom they have to be made. */
export interface TrustedIssuer {
  /** The `iss` that it writes; some have written it in two ways. */
  readonly issuers: readonly string[];
  /** Of these the token has to name one as its audience. */
  readonly audiences: readonly string[];
}

export interface VerifiedToken {
  readonly subject: string;
  readonly claims: JWTPayload;
  /** Of what is signed. The signature itself can be written in several ways. */
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** What is wrong with a token, as a sentence. */
export class TokenRefused extends Error {
  /** It is not valid now. One of the two clocks may be wrong. */
  readonly isAboutTime: boolean;

  constructor(message: string, isAboutTime = false) {
    super(message);
    this.name = 'TokenRefused';
    this.isAboutTime = isAboutTime;
  }
}

/** Signatures that are made with a private key. A secret that both sides have would let the app sign its own tokens. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const maxToken = 16_384;
const maxSubject = 255;
/** The clocks of two machines differ. */
const toleranceSeconds = 30;
const oldestSeconds = 86_400;

/** What access tokens have (RFC 9068, RFC 8693; `scp`: Entra ID, Okta) and ID tokens do not. */
const accessTokenClaims = ['client_id', 'scope', 'scp'];

interface Verifying {
  readonly issuer: TrustedIssuer;
  readonly keys: JWTVerifyGetKey;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * An ID token (OpenID Connect Core 1.0, section 3.1.3.7), at most a day old. `nonce`: what the client gave the provider
 * when it asked for the token. Some clients give the provider its SHA-256 in hexadecimal digits, as Apple recommends.
 *
 * @throws TokenRefused, Failure Timeout while the issuer's keys cannot be read
 */
export async function verifyIdToken(
  token: string,
  { nonce, ...how }: Verifying & { readonly nonce: string | undefined },
): Promise<VerifiedToken> {
  const options = { maxTokenAge: oldestSeconds, requiredClaims: ['exp', 'iat'] };
  const { payload, type } = await verify(token, { ...how, options });
  if (type !== undefined && type !== 'jwt') throw new TokenRefused(`This is no ID token, but one of the type ${type}.`);
  if ('events' in payload) throw new TokenRefused('This is no ID token, but an event.');
  assertIssuedToUs(payload, how.issuer);
  assertNonce(payload['nonce'], nonce);
  return verified(token, payload);
}

/**
 * An access token that the issuer has made for this service (RFC 9068), or an ID token that an app uses as one. An access token may
 * be for several services, whichever app it was issued to: its issuer has named this service all the same. An ID token tells one app who
 * somebody is; another of its audiences could enter here with it, so the rule for ID tokens applies. What bears no mark of an access token
 * counts as an ID token.
 *
 * @throws TokenRefused, Failure Timeout while the issuer's keys cannot be read
 */
export async function verifyAccessToken(token: string, how: Verifying): Promise<VerifiedToken> {
  const { payload, type } = await verify(token, { ...how, options: { requiredClaims: ['exp'] } });
  if (type !== undefined && type !== 'jwt' && type !== 'at+jwt')
    throw new TokenRefused(`This is no access token, but one of the type ${type}.`);
  if ('events' in payload) throw new TokenRefused('This is no access token, but an event.');
  if (type !== 'at+jwt' && !accessTokenClaims.some((claim) => claim in payload)) assertIssuedToUs(payload, how.issuer);
  assertIssuedAlready(payload, how.now);
  return verified(token, payload);
}

/** What the unverified token says: which issuer to ask. Undefined if it is not a token. */
export function unverifiedIssuer(token: string): string | undefined {
  const [, body = '', , more] = token.length > maxToken ? [] : token.split('.');
  if (body === '' || more !== undefined) return undefined;
  try {
    const { iss } = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as { readonly iss?: unknown };
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

async function verify(
  token: string,
  { issuer, keys, now, options }: Verifying & { readonly options: object },
): Promise<{ readonly payload: JWTPayload; readonly type: string | undefined }> {
  if (token.length > maxToken) throw new TokenRefused('The token is too long.');
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: [...issuer.issuers],
      audience: [...issuer.audiences],
      algorithms,
      currentDate: new Date(now),
      clockTolerance: toleranceSeconds,
      ...options,
    });
    return { payload, type: protectedHeader.typ?.toLowerCase().replace(/^application\//, '') };
  } catch (error) {
    if (error instanceof JOSEError) throw new TokenRefused(reasonOf(error), isAboutTime(error));
    throw error;
  }
}

const isAboutTime = (error: JOSEError) =>
  error instanceof JWTExpired ||
  (error instanceof JWTClaimValidationFailed &&
    error.reason === 'check_failed' &&
    ['iat', 'nbf'].includes(error.claim));

function reasonOf(error: JOSEError): string {
  if (error instanceof JWTExpired) return 'The token has expired. Sign in at the provider again.';
  if (error instanceof JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'The token is for another audience than this app (aud).';
    if (error.claim === 'iss') return 'The token is from another issuer than this provider (iss).';
    return `The token is not valid now, or lacks a claim (${error.claim}).`;
  }
  if (error instanceof JOSEAlgNotAllowed)
    return 'The token is not signed, or not with an algorithm that this service accepts, such as RS256 or ES256 (alg).';
  if (error instanceof JWKSNoMatchingKey) return 'The issuer has no key with which this token could be signed (kid).';
  if (error instanceof JWSSignatureVerificationFailed) return 'The signature of the token is wrong.';
  return 'This is no valid JSON Web Token.';
}

function assertNonce(signed: unknown, given: string | undefined): void {
  if (signed === undefined && given === undefined) return;
  if (given === undefined)
    throw new TokenRefused('The ID token was asked for with a nonce. Send the same nonce with it.');
  if (signed === undefined || (signed !== given && signed !== hash('sha256', given, 'hex')))
    throw new TokenRefused('The nonce is another than the one in the ID token.');
}

/** OpenID Connect Core 1.0, section 3.1.3.7. @throws TokenRefused */
function assertIssuedToUs({ aud, azp }: JWTPayload, { audiences }: TrustedIssuer): void {
  const isOurs = typeof azp === 'string' && audiences.includes(azp);
  if (Array.isArray(aud) && aud.length > 1 && !isOurs)
    throw new TokenRefused('The ID token is for several audiences, and was not issued to this app (azp).');
}

/** A time to come would also be later than an erasure that is still to be. @throws TokenRefused */
function assertIssuedAlready({ iat }: JWTPayload, now: number): void {
  if (iat !== undefined && iat > now / 1000 + toleranceSeconds)
    throw new TokenRefused('The token is not valid now, or lacks a claim (iat).', true);
}

function verified(token: string, claims: JWTPayload): VerifiedToken {
  const { sub, exp = 0 } = claims;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL stores no U+0000
  if (typeof sub !== 'string' || sub === '' || sub.length > maxSubject || /\u0000/.test(sub) || !sub.isWellFormed())
    throw new TokenRefused(`The token names nobody (sub), or with more than ${maxSubject} characters.`);
  const signed = token.slice(0, token.lastIndexOf('.'));
  return { subject: sub, claims, hash: hash('sha256', signed, 'base64url'), expiresAt: exp * 1000 };
}
