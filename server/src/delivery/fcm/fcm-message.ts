import { apnsPriority, apnsPushType, aps } from '../push/aps.ts';
import { collapseId } from '../push/collapse-id.ts';
import { besideReserved, hasText, isShown, perContent, secondsLeft, template } from '../push/message-template.ts';
import type { PushContent, PushMessage, PushTarget } from '../push/push-sender.ts';

const ours = new Set(['deliveryId', 'link', 'image', 'video', 'badge', 'sound', 'category', 'thread', 'buttons']);

/** FCM refuses `from`, `message_type` and names with the prefixes google and gcm; its clients read the others. */
function isReserved(name: string): boolean {
  return ours.has(name) || /^(from|notification|message_type|collapse_key|(google|gcm)(\..*)?)$/i.test(name);
}

const slots = [
  'token',
  'deliveryId',
  'collapseId',
  'ttl',
  'expiration',
  'androidPriority',
  'apnsPriority',
  'urgency',
] as const;
type Slots = Readonly<Record<(typeof slots)[number], string>>;

/**
 * The parts of one content for one platform: the body, and how many of its bytes FCM counts, without the delivery id.
 */
const prepared = perContent((content, deviceType) => {
  const notification = shown(content, deviceType);
  const data = (deliveryId: string) => ({ deliveryId, ...dataOf(content, deviceType) });
  return {
    counted: Buffer.byteLength(JSON.stringify(notification ?? {})) + Buffer.byteLength(JSON.stringify(data(''))),
    fill: template(slots, (slot) => ({
      token: slot.token,
      notification,
      data: data(slot.deliveryId),
      ...platform(content, deviceType, slot),
    })),
  };
});

function shown(content: PushContent, deviceType: string): Record<string, string | undefined> | undefined {
  const { title, body, image } = content;
  // iOS shows no picture without a text: FCM would make an empty alert of it.
  const isVisible = deviceType === 'ios' ? hasText(content) : isShown(content);
  return isVisible ? { title, body, image } : undefined;
}

/**
 * FCM's data are strings; anything else travels as JSON text. Android and browsers have no field for a badge of 0, nor
 * for a badge or sound without a notification, and browsers for neither at all: there the app finds them in the data.
 */
function dataOf(content: PushContent, deviceType: string): Record<string, string | undefined> {
  const { link, image, video, badge, sound, category, thread, buttons, data } = content;
  const members = besideReserved(data, isReserved).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const own =
    deviceType === 'ios'
      ? { image: hasText(content) ? undefined : image }
      : { badge: badge === undefined ? undefined : String(badge), sound, category, thread };
  return { link, video, ...own, buttons: buttons && JSON.stringify(buttons), ...Object.fromEntries(members) };
}

function platform(content: PushContent, deviceType: string, slot: Slots): Record<string, unknown> {
  if (deviceType === 'ios') return { apns: apns(content, slot) };
  if (deviceType === 'web') return { webpush: webPush(content, slot) };
  return { android: android(content, slot) };
}

/** https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages#notificationpriority */
const androidPriorities = {
  passive: 'PRIORITY_LOW',
  active: 'PRIORITY_DEFAULT',
  timeSensitive: 'PRIORITY_HIGH',
  critical: 'PRIORITY_MAX',
} as const;

/**
 * The tag makes one notification of a message that arrived twice. A `collapse_key` would not do: FCM keeps four of them
 * per device and drops messages beyond. Without anything to show, an `android.notification` would show an empty one.
 */
function android(content: PushContent, slot: Slots): unknown {
  const { sound, badge, level } = content;
  // Android 8 and later play the sound of the channel. If the app has no channel of this name, FCM uses its default.
  const channel = sound === undefined || sound === 'default' ? undefined : sound;
  const notification = {
    tag: slot.collapseId,
    sound,
    channel_id: channel,
    notification_count: badge,
    notification_priority: level === undefined ? undefined : androidPriorities[level],
  };
  return { ttl: slot.ttl, priority: slot.androidPriority, ...(isShown(content) ? { notification } : {}) };
}

function apns(content: PushContent, slot: Slots): unknown {
  const { image } = content;
  return {
    headers: {
      'apns-collapse-id': slot.collapseId,
      'apns-expiration': slot.expiration,
      'apns-priority': slot.apnsPriority,
      'apns-push-type': apnsPushType(content),
    },
    payload: { aps: aps(content) },
    fcm_options: image === undefined || !hasText(content) ? undefined : { image },
  };
}

function webPush(content: PushContent, slot: Slots): unknown {
  const { link = '' } = content;
  const isSecureLink = /^https:\/\//i.test(link) && URL.canParse(link);
  return {
    headers: { TTL: slot.ttl, Urgency: slot.urgency, Topic: slot.collapseId },
    ...(isShown(content) ? { notification: { tag: slot.collapseId, ...webNotification(content) } } : {}),
    // FCM accepts no other links here; the app finds every link in the data.
    ...(isSecureLink ? { fcm_options: { link } } : {}),
  };
}

/** As a service worker would show it: https://notifications.spec.whatwg.org/#dictdef-notificationoptions */
function webNotification({ buttons, level }: PushContent): object {
  return {
    ...(buttons ? { actions: buttons.map(({ id, title }) => ({ action: id, title })) } : {}),
    ...(level === 'passive' ? { silent: true } : {}),
    ...(level === 'timeSensitive' || level === 'critical' ? { requireInteraction: true } : {}),
  };
}

export interface FcmMessage {
  /** JSON of the request's body. */
  readonly body: string;
  /** The bytes that count towards the limit: `notification` and `data`. */
  readonly bytes: number;
}

export function fcmMessage(message: PushMessage, target: PushTarget, now: number): FcmMessage {
  const { counted, fill } = prepared(message.content, target.deviceType);
  const seconds = secondsLeft(message.expiresAt, now);
  const isHigh = message.urgency === 'high';
  const json = fill({
    token: target.token,
    deliveryId: message.deliveryId,
    collapseId: collapseId(message.deliveryId, message.content),
    ttl: target.deviceType === 'web' ? String(seconds) : `${seconds}s`,
    expiration: String(Math.floor(message.expiresAt / 1000)),
    androidPriority: isHigh ? 'HIGH' : 'NORMAL',
    apnsPriority: String(apnsPriority(message.content, message.urgency)),
    urgency: message.urgency,
  });
  return { body: `{"message":${json}}`, bytes: counted + Buffer.byteLength(message.deliveryId) };
}
