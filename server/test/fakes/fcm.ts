import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { apsProblem } from './aps.ts';
import { type Contract, type Exchange, type FakeAnswer, json } from './exchange.ts';
import { verifiedJwt } from './jwt.ts';

const fcmError = (status: number, general: string, errorCode: string, message: string, headers = {}) => {
  const details = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }];
  return json(status, { error: { code: status, message, status: general, details } }, headers);
};
const badRequest = (message: string) => fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', message);
const unauthorised = json(401, {
  error: { code: 401, status: 'UNAUTHENTICATED', message: 'Request had invalid authentication credentials.' },
});

export interface FakeFcm extends Contract {
  /** What an administrator would paste. */
  readonly serviceAccount: Readonly<Record<string, string>>;
  /** Access tokens given out so far. */
  issued: number;
  /** Revokes all tokens. */
  revoke(): void;
  tokenFor(name: string): string;
}

/** Google's token endpoint and the part of FCM's HTTP v1 for messages to tokens. */
export function createFakeFcm(now: () => number): FakeFcm {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const serviceAccount = {
    type: 'service_account',
    project_id: 'lighthouse-1234',
    private_key_id: 'a1b2c3',
    private_key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    client_email: 'pharos@lighthouse-1234.iam.gserviceaccount.com',
    token_uri: 'https://oauth2.googleapis.com/token',
  };
  const tokens = new Map<string, number>();

  function issue({ headers, body }: Exchange): FakeAnswer {
    const refused = (error_description: string) => json(400, { error: 'invalid_grant', error_description });
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') return refused('content-type');
    const form = new URLSearchParams(String(body));
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return refused('grant_type');
    const jwt = verifiedJwt(form.get('assertion') ?? '', publicKey);
    if (jwt?.header['alg'] !== 'RS256' || jwt.header['kid'] !== 'a1b2c3') return refused('Invalid JWT Signature.');
    const { iss, aud, scope, iat, exp } = jwt.claims;
    const at = now() / 1000;
    if (iss !== serviceAccount.client_email || aud !== serviceAccount.token_uri) return refused('Invalid issuer.');
    if (scope !== 'https://www.googleapis.com/auth/firebase.messaging') return refused('Invalid scope.');
    if (Math.abs(Number(iat) - at) > 300 || Number(exp) - Number(iat) > 3600) return refused('Invalid times.');
    const token = `ya29.${randomUUID()}`;
    tokens.set(token, now() + 3599_000);
    fake.issued++;
    return json(200, { access_token: token, expires_in: 3599, token_type: 'Bearer' });
  }

  function send({ headers, body }: Exchange): FakeAnswer {
    const expiresAt = tokens.get(String(headers.authorization).replace(/^Bearer /, ''));
    if (expiresAt === undefined || expiresAt <= now()) return unauthorised;
    if (!/^application\/json/.test(headers['content-type'] ?? '')) return badRequest('content-type');
    const { message, validate_only: _, ...unknown } = JSON.parse(String(body));
    const wrong = Object.keys(unknown)[0] ?? problemOf(message);
    return wrong ? badRequest(wrong) : json(200, { name: `projects/lighthouse-1234/messages/${randomUUID()}` });
  }

  const fake: FakeFcm = {
    serviceAccount,
    issued: 0,
    revoke: () => tokens.clear(),
    tokenFor: (name) => `tok:${name}`,
    answers: {
      tooMany: fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', 'Quota exceeded.', { 'retry-after': '3' }),
      unavailable: fcmError(503, 'UNAVAILABLE', 'UNAVAILABLE', 'The service is currently unavailable.'),
      gone: fcmError(404, 'NOT_FOUND', 'UNREGISTERED', 'Requested entity was not found.'),
    },
    takes: ({ path }) => path === '/token' || path.startsWith('/v1/'),
    recipient: ({ path, body }) =>
      path === '/token' ? 'oauth' : String(JSON.parse(String(body)).message?.token).replace(/^tok:/, ''),
    content: ({ path, body }) => (path === '/token' ? undefined : JSON.parse(String(body))),
    answer(exchange) {
      if (exchange.path === '/token') return issue(exchange);
      if (exchange.path === '/v1/projects/lighthouse-1234/messages:send') return send(exchange);
      return json(404, { error: { code: 404, status: 'NOT_FOUND', message: 'No such project.' } });
    },
  };
  return fake;
}

const members = new Set(['name', 'data', 'notification', 'android', 'webpush', 'apns', 'fcm_options', 'token']);
type Members = Readonly<Record<string, unknown>>;
const androidMembers = new Set(['collapse_key', 'priority', 'ttl', 'data', 'notification', 'fcm_options']);

/** What FCM would refuse in a message. */
function problemOf(message: Record<string, unknown>): string | undefined {
  const unknown = Object.keys(message).find((name) => !members.has(name));
  if (unknown) return `Unknown name "${unknown}"`;
  if (!String(message['token']).startsWith('tok:'))
    return 'The registration token is not a valid FCM registration token';
  const data = (message['data'] ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries(data)) {
    if (typeof value !== 'string') return `Invalid value at 'message.data[${name}]' (TYPE_STRING)`;
    if (/^(from|message_type|google\..*|gcm\..*|notification|gcm)$/.test(name))
      return `Invalid data payload key: ${name}`;
  }
  const notification = (message['notification'] ?? {}) as Record<string, unknown>;
  if (message['notification'] && Object.keys(notification).length === 0) return 'message.notification is empty';
  if (Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(notification)) > 4096) {
    return 'Android message is too big';
  }
  return androidProblem(message) ?? appleProblem(message) ?? webProblem(message);
}

function androidProblem(message: Members): string | undefined {
  const android = (message['android'] ?? {}) as Members;
  const unknownAndroid = Object.keys(android).find((name) => !androidMembers.has(name));
  if (unknownAndroid) return `Unknown name "${unknownAndroid}" at 'message.android'`;
  if (android['ttl'] !== undefined && !/^\d+(\.\d{1,9})?s$/.test(String(android['ttl'])))
    return 'Illegal Duration format';
  if (android['priority'] !== undefined && !/^(HIGH|NORMAL)$/.test(String(android['priority']))) return 'priority';
  if (android['notification'] === undefined) return undefined;
  const { tag, sound, channel_id: channel, notification_count: count, ...named } = android['notification'] as Members;
  const { notification_priority: priority, ...more } = named;
  if (priority !== undefined && !/^PRIORITY_(MIN|LOW|DEFAULT|HIGH|MAX)$/.test(String(priority)))
    return "Invalid value at 'message.android.notification.notification_priority'";
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) return `Unknown name "${unknown}" at 'message.android.notification'`;
  for (const text of [tag, sound, channel])
    if (text !== undefined && typeof text !== 'string') return 'android.notification';
  if (count !== undefined && !(Number.isInteger(count) && Number(count) >= 0 && Number(count) < 2 ** 31))
    return "Invalid value at 'message.android.notification.notification_count' (TYPE_INT32)";
  // The phone would show a notification with only the app's name.
  return message['notification'] === undefined ? 'android.notification without a notification' : undefined;
}

/** FCM passes title and body on to APNs as the alert. */
function appleProblem({ apns, notification }: Members): string | undefined {
  if (apns === undefined) return undefined;
  const { headers, payload, fcm_options: options, ...more } = apns as Record<string, Members | undefined>;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) return `Unknown name "${unknown}" at 'message.apns'`;
  if (Object.values(headers ?? {}).some((value) => typeof value !== 'string')) return 'apns.headers (TYPE_STRING)';
  if (options && typeof options['image'] !== 'string') return 'apns.fcm_options.image';
  const { title, body } = (notification ?? {}) as Members;
  const alert = notification === undefined ? {} : { alert: { title, body } };
  const sent = { type: headers?.['apns-push-type'], priority: headers?.['apns-priority'] };
  const aps = payload?.['aps'] as Members | undefined;
  const wrong = apsProblem(sent, aps && { ...aps, ...alert });
  return wrong && `APNs would say ${wrong.reason}: ${wrong.why}`;
}

function webProblem({ webpush }: Members): string | undefined {
  if (webpush === undefined) return undefined;
  const { headers, notification, fcm_options: options, ...more } = webpush as Record<string, Members | undefined>;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) return `Unknown name "${unknown}" at 'message.webpush'`;
  if (Object.values(headers ?? {}).some((value) => typeof value !== 'string')) return 'webpush.headers (TYPE_STRING)';
  // A browser's badge is the address of an icon.
  if (notification?.['badge'] !== undefined) return 'webpush.notification.badge';
  const link = String(options?.['link']);
  return options && !(/^https:/.test(link) && URL.canParse(link))
    ? 'webpush.fcm_options.link must be HTTPS'
    : undefined;
}
