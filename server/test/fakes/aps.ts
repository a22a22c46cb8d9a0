type Members = Readonly<Record<string, unknown>>;

/** What is wrong with a message to an Apple device, in APNs' words. */
export interface ApsProblem {
  readonly reason: 'InvalidPushType' | 'BadPriority' | 'PayloadEmpty' | 'BadPayload';
  readonly why: string;
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const levels = new Set(['passive', 'active', 'time-sensitive', 'critical']);
const isText = (value: unknown) => value === undefined || typeof value === 'string';
const bad = (why: string): ApsProblem => ({ reason: 'BadPayload', why });

/**
 * Apple may refuse, delay or drop a push whose type, priority and payload do not match, without telling the sender.
 * Here all of that is refused.
 */
export function apsProblem(
  { type, priority }: { readonly type: unknown; readonly priority: unknown },
  aps: unknown,
): ApsProblem | undefined {
  if (!isObject(aps)) return { reason: 'PayloadEmpty', why: 'no aps' };
  const { alert, badge, sound, ...more } = aps;
  const { 'content-available': available, 'mutable-content': mutable, ...named } = more;
  const { category, 'thread-id': thread, 'interruption-level': level, ...unknown } = named;
  if (!isText(category) || category === '' || !isText(thread) || thread === '') return bad('category or thread-id');
  if (level !== undefined && !levels.has(String(level))) return bad('interruption-level');
  if (isObject(sound) !== (level === 'critical')) return bad('a critical alert has a critical sound, and no other');
  const [strange] = Object.keys(unknown);
  if (strange !== undefined) return bad(`aps.${strange}`);
  if (alert !== undefined) {
    if (!isObject(alert) || !isText(alert['title']) || !isText(alert['body'])) return bad('alert');
    if (alert['title'] === undefined && alert['body'] === undefined) return bad('alert without a text');
  }
  if (badge !== undefined && !(Number.isInteger(badge) && Number(badge) >= 0)) return bad('badge');
  if (isObject(sound)) {
    if (sound['critical'] !== 1 || typeof sound['name'] !== 'string' || sound['volume'] !== 1) return bad('sound');
  } else if (!isText(sound) || sound === '') return bad('sound');
  if (available !== undefined && available !== 1) return bad('content-available');
  if (mutable !== undefined && (mutable !== 1 || alert === undefined)) return bad('mutable-content without an alert');
  const isNoticed = alert !== undefined || badge !== undefined || sound !== undefined;
  if (type === 'background') {
    if (isNoticed || available !== 1)
      return { reason: 'InvalidPushType', why: 'background: content-available and nothing else' };
    return priority === '5' ? undefined : { reason: 'BadPriority', why: 'background: 5' };
  }
  if (type !== 'alert') return { reason: 'InvalidPushType', why: String(type) };
  if (!isNoticed) return { reason: 'InvalidPushType', why: 'alert: nothing to see or hear' };
  return priority === '5' || priority === '10' ? undefined : { reason: 'BadPriority', why: 'alert: 5 or 10' };
}
