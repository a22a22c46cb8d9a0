import { createHash, generateKeyPairSync } from 'node:crypto';
import { apsProblem } from './aps.ts';
import { type Contract, type Exchange, type FakeAnswer, json } from './exchange.ts';
import { verifiedJwt } from './jwt.ts';
import { createFakeChannels, liveProblem } from './live-activities.ts';

export interface FakeApns extends Contract {
  /** What an administrator would enter. */
  readonly entered: Readonly<Record<string, string>>;
  /** Provider tokens seen so far. */
  readonly providerTokens: Set<string>;
  /** Reports the tokens seen so far as expired. */
  expireTokens(): void;
  tokenFor(name: string): string;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const refused = (status: number, reason: string, more = {}) => json(status, { reason, ...more });

/** APNs with token authentication. */
export function createFakeApns(now: () => number): FakeApns {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const entered = {
    key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    keyId: 'ABC123DEFG',
    teamId: 'TEAM123456',
    bundleId: 'com.example.lighthouse',
    environment: 'sandbox',
  };
  const names = new Map<string, string>();
  const expired = new Set<string>();
  /** By connection: its latest token, and when that was issued (s). */
  const lastTokens = new Map<number, { readonly token: string; readonly issuedAt: number }>();

  /** The reason to refuse the provider token. */
  function unauthorised(token: string, connection: number): FakeAnswer | undefined {
    const jwt = verifiedJwt(token, publicKey);
    if (jwt?.header['alg'] !== 'ES256' || jwt.header['kid'] !== entered.keyId) {
      return refused(403, 'InvalidProviderToken');
    }
    if (jwt.claims['iss'] !== entered.teamId) return refused(403, 'InvalidProviderToken');
    const issuedAt = Number(jwt.claims['iat']);
    if (expired.has(token) || Math.abs(now() / 1000 - issuedAt) > 3600) return refused(403, 'ExpiredProviderToken');
    const last = lastTokens.get(connection);
    if (last && last.token !== token && issuedAt - last.issuedAt < 1200) {
      return refused(429, 'TooManyProviderTokenUpdates');
    }
    lastTokens.set(connection, { token, issuedAt });
    fake.providerTokens.add(token);
    return undefined;
  }

  const channels = createFakeChannels(entered.bundleId);
  const fake: FakeApns = {
    entered,
    providerTokens: new Set(),
    expireTokens() {
      for (const token of fake.providerTokens) expired.add(token);
    },
    tokenFor(name) {
      const token = createHash('sha256').update(name).digest('hex');
      names.set(token, name);
      return token;
    },
    answers: {
      tooMany: json(429, { reason: 'TooManyRequests' }, { 'retry-after': '3' }),
      unavailable: refused(503, 'ServiceUnavailable'),
      gone: refused(410, 'Unregistered', { timestamp: 1_700_000_000_000 }),
    },
    takes: ({ path }) => /^\/(3\/device|4\/broadcasts|1\/apps)\//.test(path),
    recipient: ({ path, headers }) =>
      path.startsWith('/3/device/')
        ? (names.get(path.slice(10)) ?? path.slice(10))
        : String(headers['apns-channel-id'] ?? 'channels'),
    content: ({ body }) => (body.length === 0 ? undefined : JSON.parse(String(body))),
    answer(exchange) {
      const { headers, path, connection } = exchange;
      const refusedBy = unauthorised(String(headers.authorization).replace(/^bearer /, ''), connection);
      if (refusedBy) return refusedBy;
      const ofChannel = channels.answer(exchange);
      if (ofChannel) return ofChannel;
      const no = problemOf(exchange, entered);
      if (no) return no;
      if (!names.has(path.slice(10))) return refused(400, 'BadDeviceToken');
      return { status: 200, headers: { 'apns-id': String(headers['apns-id']) } };
    },
  };
  return fake;
}

function problemOf({ headers, body }: Exchange, { bundleId }: { readonly bundleId?: string }): FakeAnswer | undefined {
  const type = headers['apns-push-type'];
  const priority = headers['apns-priority'];
  if (headers['apns-topic'] === undefined) return refused(400, 'MissingTopic');
  if (type === 'liveactivity') return liveProblem(headers, body, { topic: `${bundleId}.push-type.liveactivity` });
  if (!String(headers['apns-topic']).startsWith(String(bundleId))) return refused(400, 'DeviceTokenNotForTopic');
  if (!/^\d+$/.test(String(headers['apns-expiration']))) return refused(400, 'BadExpirationDate');
  const id = headers['apns-id'];
  if (id !== undefined && !uuid.test(String(id))) return refused(400, 'BadMessageId');
  if (Buffer.byteLength(String(headers['apns-collapse-id'] ?? '')) > 64) return refused(400, 'BadCollapseId');
  if (body.length === 0) return refused(400, 'PayloadEmpty');
  if (body.length > 4096) return refused(413, 'PayloadTooLarge');
  const wrong = apsProblem({ type, priority }, JSON.parse(String(body)).aps);
  return wrong ? refused(400, wrong.reason, { why: wrong.why }) : undefined;
}
