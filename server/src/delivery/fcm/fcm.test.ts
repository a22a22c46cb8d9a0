import { describePushSender } from '../../../test/conformance/push-sender.ts';
import { fcmDefinition } from './fcm.ts';

describePushSender('FCM', {
  definition: fcmDefinition,
  entered: ({ fcm }) => JSON.stringify(fcm.serviceAccount),
  target: ({ fcm }, name) => ({ token: fcm.tokenFor(name), deviceType: 'android' }),
  ids: ({ content }) => {
    const { message } = content as { message: { data: unknown; android: { notification: { tag: string } } } };
    return [message.data, message.android.notification.tag];
  },
  scopes: { tooMany: 'provider', unavailable: 'provider' },
});
