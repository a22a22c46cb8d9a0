import { topicFault } from './mqtt/mqtt-message.ts';
import type { PushTarget } from './push/push-sender.ts';
import { routeOf } from './push/route.ts';
import { subscriptionFault } from './web-push/web-push-subscription.ts';

export interface RegisteredToken {
  readonly deviceType: PushTarget['deviceType'];
  readonly pushType: string | null;
  readonly deviceToken: string;
}

/**
 * Why nothing can ever be sent to a device token, as the end of a sentence about it; undefined if it may work. Looks
 * nothing up: names are resolved and checked again when a message is sent.
 *
 * @param allowedOrigin of a push service that need not be on the public internet
 */
export function tokenFault(
  { deviceType, pushType, deviceToken }: RegisteredToken,
  allowedOrigin?: string,
): string | undefined {
  const route = routeOf(pushType, deviceType, () => false);
  if ('problem' in route) return undefined;
  if (route.kind === 'mqtt') return topicFault(deviceToken);
  return route.kind === 'webpush' ? subscriptionFault(deviceToken, allowedOrigin) : undefined;
}
