import type { PushSenderKind, PushTarget } from './push-sender.ts';

/** The names of providers in an installation's `pushType`, including those of older clients. */
const byPushType: Readonly<Record<string, PushSenderKind>> = {
  fcm: 'fcm',
  gcm: 'fcm',
  firebase: 'fcm',
  apns: 'apns',
  apn: 'apns',
  web: 'webpush',
  webpush: 'webpush',
  'web-push': 'webpush',
  mqtt: 'mqtt',
};

export type Route = { readonly kind: PushSenderKind } | { readonly problem: string };

/**
 * The provider that reaches an installation: the one that its `pushType` names, else the usual one of its platform. On
 * an iPhone, FCM tokens are as common as APNs tokens, so the configured provider decides.
 */
export function routeOf(
  pushType: string | null,
  deviceType: PushTarget['deviceType'],
  isSetUp: (kind: PushSenderKind) => boolean,
): Route {
  if (pushType !== null) {
    const kind = byPushType[pushType.toLowerCase()];
    return kind ? { kind } : { problem: 'pushType is not a known provider; it must be fcm, apns, web or mqtt' };
  }
  if (deviceType === 'android') return { kind: 'fcm' };
  if (deviceType === 'web') return { kind: 'webpush' };
  if (deviceType === 'embedded') return { kind: 'mqtt' };
  return { kind: !isSetUp('apns') && isSetUp('fcm') ? 'fcm' : 'apns' };
}
