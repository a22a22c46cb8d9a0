import { createECDH, createPublicKey, type ECDH, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import ece from 'http_ece';
import type { Contract, Exchange, FakeAnswer } from './exchange.ts';
import { verifiedJwt } from './jwt.ts';

export interface FakePushService extends Contract {
  /** A browser's subscription as JSON text. */
  tokenFor(name: string): string;
  /** The key with which the web app subscribed; a message under another one is refused. Undefined accepts any. */
  applicationServerKey: string | undefined;
  /** VAPID tokens seen so far. */
  readonly vapidTokens: Set<string>;
}

interface Browser {
  readonly ecdh: ECDH;
  readonly auth: string;
}

const plain = (status: number, body: string, headers = {}) => ({ status, body, headers });

/** A browser's push service (RFC 8030, RFC 8292) and the browsers behind it. */
export function createFakePushService(now: () => number, origin: () => string): FakePushService {
  const browsers = new Map<string, Browser>();
  const nameOf = (path: string) => decodeURIComponent(path.slice('/push/'.length));

  const fake: FakePushService = {
    applicationServerKey: undefined,
    vapidTokens: new Set(),
    tokenFor(name) {
      let browser = browsers.get(name);
      if (!browser) {
        browser = { ecdh: createECDH('prime256v1'), auth: randomBytes(16).toString('base64url') };
        browser.ecdh.generateKeys();
        browsers.set(name, browser);
      }
      const p256dh = browser.ecdh.getPublicKey('base64url');
      const { auth } = browser;
      const endpoint = `${origin()}/push/${encodeURIComponent(name)}`;
      return JSON.stringify({ endpoint, expirationTime: null, keys: { p256dh, auth } });
    },
    answers: {
      tooMany: plain(429, 'too many', { 'retry-after': '3' }),
      unavailable: plain(503, 'try later'),
      gone: plain(410, 'push subscription has unsubscribed or expired.'),
    },
    takes: ({ path }) => path.startsWith('/push/'),
    recipient: ({ path }) => nameOf(path),
    content({ path, body }) {
      const browser = browsers.get(nameOf(path));
      if (!browser) return undefined;
      const { ecdh: privateKey, auth: authSecret } = browser;
      return JSON.parse(String(ece.decrypt(body, { version: 'aes128gcm', privateKey, authSecret })));
    },
    answer(exchange) {
      const no = problemOf(exchange) ?? unauthorised(exchange);
      if (no) return no;
      if (!browsers.has(nameOf(exchange.path))) return plain(404, 'no such subscription');
      return plain(201, '', { location: `${origin()}/message/${randomUUID()}` });
    },
  };

  function unauthorised({ headers }: Exchange): FakeAnswer | undefined {
    const [, t = '', k = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(String(headers.authorization)) ?? [];
    const key = publicKey(k);
    if (!key) return plain(401, 'no VAPID authorization');
    const jwt = verifiedJwt(t, key);
    if (jwt?.header['alg'] !== 'ES256') return plain(403, 'the VAPID signature does not hold');
    const { aud, exp, sub } = jwt.claims;
    const left = Number(exp) - now() / 1000;
    if (aud !== origin() || !(left > 0 && left <= 24 * 3600)) return plain(403, 'aud or exp is wrong');
    if (!/^(mailto:|https:)/.test(String(sub))) return plain(403, 'sub is missing');
    if (fake.applicationServerKey !== undefined && k !== fake.applicationServerKey) return plain(403, 'another key');
    fake.vapidTokens.add(t);
    return undefined;
  }
  return fake;
}

function problemOf({ headers, body }: Exchange): FakeAnswer | undefined {
  if (!/^\d+$/.test(String(headers['ttl']))) return plain(400, 'TTL is missing');
  if (headers['content-encoding'] !== 'aes128gcm') return plain(400, 'Content-Encoding must be aes128gcm');
  if (!/^[\w-]{1,32}$/.test(String(headers['topic'] ?? 'none'))) return plain(400, 'Topic');
  if (!/^(very-low|low|normal|high)$/.test(String(headers['urgency'] ?? 'normal'))) return plain(400, 'Urgency');
  return body.length > 4096 ? plain(413, 'payload too large') : undefined;
}

const publicKeys = new Map<string, KeyObject>();

/** The key of a base64url point; the same object for the same text. */
function publicKey(text: string): KeyObject | undefined {
  const point = Buffer.from(text, 'base64url');
  if (point.length !== 65) return undefined;
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const key = publicKeys.get(text) ?? createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  publicKeys.set(text, key);
  return key;
}
