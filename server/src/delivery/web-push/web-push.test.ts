import { describePushSender, type SenderUnderTest } from '../../../test/conformance/push-sender.ts';
import { isFull } from '../../../test/support/depth.ts';
import { webPushDefinition } from './web-push.ts';
import { generateVapidKeys, type WebPushSettings } from './web-push-settings.ts';

const keys = generateVapidKeys();

const webPush: SenderUnderTest<WebPushSettings> = {
  definition: webPushDefinition,
  entered: ({ webpush }) => {
    webpush.applicationServerKey = keys.publicKey;
    return { ...keys, subject: 'mailto:ops@example.org' };
  },
  target: ({ webpush }, name) => ({ token: webpush.tokenFor(name), deviceType: 'web' }),
  ids: ({ headers, content }) => [headers['topic'] ?? null, content],
  scopes: { tooMany: 'message', unavailable: 'message' },
};

describePushSender('Web Push', webPush);
if (isFull) describePushSender('Web Push over HTTP/1.1', { ...webPush, http1: true });
