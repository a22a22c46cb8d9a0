import type { SensingAdapter } from './adapter.ts';
import type { Answered } from './findings.ts';

interface WebNotifications {
  readonly permission: 'default' | 'granted' | 'denied';
  requestPermission(): Promise<unknown>;
}

const answers: Readonly<Record<WebNotifications['permission'], Answered>> = {
  default: 'notAsked',
  granted: 'granted',
  denied: 'denied',
};

/**
 * A page in a browser. It hears no beacons (a QR code beside the exhibit says where the visitor is), but may show notifications. Safari on
 * iOS has them only on a page on the home screen; elsewhere nothing is known of them.
 */
export function webAdapter(): SensingAdapter {
  const find = () => (globalThis as { readonly Notification?: WebNotifications }).Notification;
  return {
    device: 'web',
    read: async () => {
      const notifications = find();
      return notifications ? { notifications: answers[notifications.permission] } : {};
    },
    ask: async (permission) => {
      if (permission === 'notifications') await find()?.requestPermission();
    },
    hear: async () => () => undefined,
  };
}
