import { collapseId, messageUuid } from './collapse-id.ts';
import { besideReserved, isShown, perContent, template } from './message-template.ts';
import type { ProviderRequest } from './provider-answer.ts';
import type { PushContent, PushMessage, PushTarget } from './push-sender.ts';

const reserved = new Set(['aps', 'deliveryId', 'link', 'image', 'video']);

const payload = perContent((content) => {
  const { link, image, video, data } = content;
  const members = Object.fromEntries(besideReserved(data, (name) => reserved.has(name)));
  return template(['deliveryId'], ({ deliveryId }) => ({
    aps: aps(content),
    deliveryId,
    link,
    image,
    video,
    ...members,
  }));
});

/** `mutable-content` lets the app fetch the picture before the notification is shown. */
function aps(content: PushContent): Record<string, unknown> {
  const { title, body, image, video, sound, badge } = content;
  if (!isShown(content)) return { 'content-available': 1, sound, badge };
  const hasMedia = image !== undefined || video !== undefined;
  return { alert: { title, body }, sound, badge, 'mutable-content': hasMedia ? 1 : undefined };
}

/**
 * A request as https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns wants
 * it, without its authorization. A background push must have priority 5.
 */
export function apnsRequest(message: PushMessage, target: PushTarget, bundleId: string): ProviderRequest {
  const isAlert = isShown(message.content);
  return {
    path: `/3/device/${encodeURIComponent(target.token)}`,
    headers: {
      'apns-topic': target.appIdentifier ?? bundleId,
      'apns-push-type': isAlert ? 'alert' : 'background',
      'apns-id': messageUuid(message.deliveryId),
      'apns-expiration': Math.floor(message.expiresAt / 1000),
      'apns-priority': isAlert && message.urgency === 'high' ? 10 : 5,
      'apns-collapse-id': collapseId(message.deliveryId),
    },
    body: payload(message.content)({ deliveryId: message.deliveryId }),
  };
}
