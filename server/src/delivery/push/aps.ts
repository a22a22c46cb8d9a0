import { hasText } from './message-template.ts';
import type { PushContent } from './push-sender.ts';

/** The part of a message for Apple's devices, the same directly and through FCM. */

/**
 * The value of `apns-push-type`. A push that only plays a sound or sets the badge is an `alert` without a text: the
 * payload of a `background` push must contain nothing that the user notices, and iOS does not show a picture alone.
 * https://developer.apple.com/documentation/usernotifications/pushing-background-updates-to-your-app
 */
export function apnsPushType(content: PushContent): 'alert' | 'background' {
  return hasText(content) || content.sound !== undefined || content.badge !== undefined ? 'alert' : 'background';
}

/** `apns-priority`: 10 at once, 5 when it suits the device's battery. A background push must have 5. */
export function apnsPriority(content: PushContent, urgency: 'high' | 'normal'): 5 | 10 {
  return apnsPushType(content) === 'alert' && urgency === 'high' ? 10 : 5;
}

/** https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification */
const interruptionLevels = {
  passive: 'passive',
  active: 'active',
  timeSensitive: 'time-sensitive',
  critical: 'critical',
} as const;

/**
 * The `aps` dictionary without the text. `mutable-content` lets the app's service extension attach a picture or a video
 * before the notification is shown; iOS runs it only for notifications with a text.
 */
export function aps(content: PushContent): Record<string, unknown> {
  if (apnsPushType(content) === 'background') return { 'content-available': 1 };
  const { image, video, sound, badge, category, thread, level } = content;
  const hasMedia = image !== undefined || video !== undefined;
  return {
    // A critical alert says in its sound that it is one.
    sound: level === 'critical' ? { critical: 1, name: sound ?? 'default', volume: 1 } : sound,
    badge,
    category,
    'thread-id': thread,
    'interruption-level': level === undefined ? undefined : interruptionLevels[level],
    'mutable-content': hasMedia && hasText(content) ? 1 : undefined,
  };
}
