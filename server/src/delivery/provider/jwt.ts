import { type KeyObject, sign } from 'node:crypto';

/** A signed JSON Web Token (RFC 7515). Signing takes some 100 µs (ES256) or 1 ms (RS256): keep the result. */
export function signJwt(
  header: { readonly alg: 'RS256' | 'ES256'; readonly kid?: string; readonly typ?: 'JWT' },
  claims: Readonly<Record<string, unknown>>,
  key: KeyObject,
): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
