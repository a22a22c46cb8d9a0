import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Exchange, type FakeAnswer, json } from './exchange.ts';

type Members = Readonly<Record<string, unknown>>;

const refused = (status: number, reason: string, why?: string) => json(status, { reason, ...(why ? { why } : {}) });
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTime = (value: unknown) => Number.isInteger(value) && Number(value) > 1_000_000_000 && Number(value) < 1e11;

/** What Apple documents of the payload of a Live Activity; anything else is refused. */
function payloadProblem(aps: unknown): string | undefined {
  if (!isObject(aps)) return 'no aps';
  const { timestamp, event, 'content-state': state, alert, ...more } = aps;
  const {
    attributes,
    'attributes-type': type,
    'input-push-channel': channel,
    'input-push-token': token,
    ...left
  } = more;
  const { 'stale-date': stale, 'dismissal-date': dismissal, 'relevance-score': relevance, ...unknown } = left;
  const [strange] = Object.keys(unknown);
  if (strange !== undefined) return `aps.${strange}`;
  if (!isTime(timestamp)) return 'timestamp in seconds';
  if (event !== 'start' && event !== 'update' && event !== 'end') return 'event';
  if (!isObject(state)) return 'content-state';
  if (event === 'start' && (!isObject(attributes) || typeof type !== 'string' || !isObject(alert)))
    return 'a start needs attributes-type, attributes and alert';
  if (
    event === 'start' ? (channel === undefined) === (token === undefined) : channel !== undefined || token !== undefined
  )
    return 'input-push-channel or input-push-token, of a start alone';
  if (event !== 'start' && (attributes !== undefined || type !== undefined)) return 'attributes of a start alone';
  if (stale !== undefined && !isTime(stale)) return 'stale-date';
  if (dismissal !== undefined && (event !== 'end' || !isTime(dismissal))) return 'dismissal-date of an end alone';
  return relevance === undefined || typeof relevance === 'number' ? undefined : 'relevance-score';
}

export function liveProblem(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { topic, most = 4096 }: { readonly topic?: string; readonly most?: number },
): FakeAnswer | undefined {
  if (headers['apns-push-type'] !== 'liveactivity') return refused(400, 'InvalidPushType');
  if (headers['apns-topic'] !== topic) return refused(400, 'TopicDisallowed');
  if (!/^(1|5|10)$/.test(String(headers['apns-priority']))) return refused(400, 'BadPriority');
  if (!/^\d+$/.test(String(headers['apns-expiration']))) return refused(400, 'BadExpirationDate');
  if (body.length > most) return refused(413, 'PayloadTooLarge');
  const why = payloadProblem(JSON.parse(String(body)).aps);
  return why ? refused(400, 'BadPayload', why) : undefined;
}

/** Channels and broadcasts; undefined for what is neither. */
export function createFakeChannels(bundleId: string) {
  /** Whether each stores the latest message. */
  const channels = new Map<string, boolean>();

  function manage({ method, headers, body }: Exchange): FakeAnswer {
    if (method === 'POST') {
      const { 'message-storage-policy': policy, 'push-type': type, ...more } = JSON.parse(String(body)) as Members;
      if ((policy !== 0 && policy !== 1) || type !== 'LiveActivity' || Object.keys(more).length > 0)
        return refused(400, 'BadPayload');
      const id = randomBytes(16).toString('base64');
      channels.set(id, policy === 1);
      return { status: 201, headers: { 'apns-channel-id': id } };
    }
    if (method !== 'DELETE') return refused(405, 'MethodNotAllowed');
    return channels.delete(String(headers['apns-channel-id'])) ? { status: 204 } : refused(404, 'ChannelNotRegistered');
  }

  function broadcast({ headers, body }: Exchange): FakeAnswer {
    const stores = channels.get(String(headers['apns-channel-id']));
    if (stores === undefined) return refused(404, 'ChannelNotRegistered');
    const no = liveProblem(headers, body, { most: 5120 });
    if (no) return no;
    if (!stores && headers['apns-expiration'] !== '0') return refused(400, 'BadExpirationDate');
    return { status: 200, headers: { 'apns-unique-id': '7f3b0a5e-14a8-11e5-b60b-1697f925ec7b' } };
  }

  return {
    answer(exchange: Exchange): FakeAnswer | undefined {
      const { path } = exchange;
      if (path === `/1/apps/${bundleId}/channels`) return manage(exchange);
      if (path === `/4/broadcasts/apps/${bundleId}`) return broadcast(exchange);
      return path.startsWith('/3/device/') ? undefined : refused(404, 'BadPath');
    },
  };
}
