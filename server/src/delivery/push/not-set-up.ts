import type { PushSenderKind } from './push-sender.ts';

/** Why a phone is not reached whose push service the app has not set up. Read by people who write messages, and do not know the services. */
export const notSetUp: Readonly<Record<PushSenderKind, string>> = {
  fcm: 'FCM, Google’s push service, is not set up for this app.',
  apns: 'APNs, Apple’s push service, is not set up for this app.',
  webpush: 'Web Push, which reaches browsers, is not set up for this app.',
  mqtt: 'MQTT, which reaches devices, is not set up for this app.',
};

const reasons: ReadonlySet<string> = new Set(Object.values(notSetUp));

/** Whether phones are not reached for a reason that entering credentials removes. */
export const lacksCredentials = (reason: string): boolean => reasons.has(reason) || reason.includes('credentials');
