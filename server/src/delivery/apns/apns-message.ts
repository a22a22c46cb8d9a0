import type { ProviderRequest } from '../provider/provider-answer.ts';
import { apnsPriority, apnsPushType, aps } from '../push/aps.ts';
import { collapseId, messageUuid } from '../push/collapse-id.ts';
import { besideReserved, hasText, perContent, template } from '../push/message-template.ts';
import type { PushMessage, PushTarget } from '../push/push-sender.ts';

const reserved = new Set(['aps', 'deliveryId', 'link', 'image', 'video', 'buttons']);

const payload = perContent((content) => {
  const { title, body, link, image, video, buttons, data } = content;
  const alert = hasText(content) ? { title, body } : undefined;
  const members = Object.fromEntries(besideReserved(data, (name) => reserved.has(name)));
  return template(['deliveryId'], ({ deliveryId }) => ({
    aps: { alert, ...aps(content) },
    deliveryId,
    link,
    image,
    video,
    buttons,
    ...members,
  }));
});

/**
 * A request in the form of
 * https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns, without its
 * authorization.
 */
export function apnsRequest(message: PushMessage, target: PushTarget, bundleId: string): ProviderRequest {
  const { content, urgency } = message;
  return {
    path: `/3/device/${encodeURIComponent(target.token)}`,
    headers: {
      'apns-topic': target.appIdentifier ?? bundleId,
      'apns-push-type': apnsPushType(content),
      'apns-id': messageUuid(message.deliveryId),
      'apns-expiration': Math.floor(message.expiresAt / 1000),
      'apns-priority': apnsPriority(content, urgency),
      'apns-collapse-id': collapseId(message.deliveryId, content),
    },
    body: payload(content)({ deliveryId: message.deliveryId }),
  };
}
