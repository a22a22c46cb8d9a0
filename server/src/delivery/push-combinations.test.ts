import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type PushProvider, startPushProvider } from '../../test/fakes/push-provider.ts';
import { patientMs } from '../../test/support/patience.ts';
import { openDevice, type TestDevice } from '../../test/support/servers/mqtt-devices.ts';
import { apnsDefinition } from './apns/apns.ts';
import { fcmDefinition } from './fcm/fcm.ts';
import { DeviceBroker } from './mqtt/mqtt-device-broker.ts';
import { createEmbeddedMqttSender } from './mqtt/mqtt-embedded-sender.ts';
import { contentOfPush, contentOfTrigger } from './push/content.ts';
import type { PushContent, PushSender, PushTarget, SenderDefinition } from './push/push-sender.ts';
import { webPushDefinition } from './web-push/web-push.ts';
import { generateVapidKeys } from './web-push/web-push-settings.ts';

/** Each kind of message through each channel, as it arrives at a provider that refuses inconsistent messages. */

const origin = { event: 'ENTER', eventId: 'E1', visitId: 'V1', beaconId: 'B1', triggerId: 'T1' };
const isAddress = (link: unknown) => typeof link === 'string' && URL.canParse(link);
const strings = (value: object) => Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]));

function notification(type: 'IMAGE' | 'VIDEO', url: string, deviceType: PushTarget['deviceType']): PushContent {
  const message = { alertTitle: 'T', alertMessage: 'B', url };
  return contentOfTrigger({ kind: 'notification', content: { type, description: 'D', message }, origin }, deviceType);
}

const push = (data: object) => () => contentOfPush(data as Readonly<Record<string, unknown>>);
const picture = 'https://x.example/i.png';
const film = 'https://x.example/v.mp4';
const page = 'https://x.example/';

interface Combination {
  readonly content: (deviceType: PushTarget['deviceType']) => PushContent;
  /** The part for the person, by the names that every channel but Apple's uses. */
  readonly text?: { readonly title?: string; readonly body?: string; readonly image?: string };
  /** The part for the app, besides the delivery id. */
  readonly app?: Readonly<Record<string, unknown>>;
  readonly badge?: number;
  readonly sound?: string;
  readonly custom?: Readonly<Record<string, unknown>>;
  /** `apns-push-type`, and the `aps` dictionary; FCM adds the alert by itself. */
  readonly type: 'alert' | 'background';
  readonly aps: Readonly<Record<string, unknown>>;
}

const silent = { type: 'background', aps: { 'content-available': 1 } } as const;
const combinations: Readonly<Record<string, Combination>> = {
  'title only': { content: push({ title: 'T' }), text: { title: 'T' }, type: 'alert', aps: {} },
  'alert only': { content: push({ alert: 'B' }), text: { body: 'B' }, type: 'alert', aps: {} },
  'badge 3': { content: push({ badge: 3 }), badge: 3, type: 'alert', aps: { badge: 3 } },
  'badge 0': { content: push({ badge: 0 }), badge: 0, type: 'alert', aps: { badge: 0 } },
  sound: { content: push({ sound: 'bell' }), sound: 'bell', type: 'alert', aps: { sound: 'bell' } },
  'title, alert, badge 0 and sound': {
    content: push({ title: 'T', alert: 'B', badge: 0, sound: 'default' }),
    text: { title: 'T', body: 'B' },
    badge: 0,
    sound: 'default',
    type: 'alert',
    aps: { badge: 0, sound: 'default' },
  },
  'a sound of its own, from right to left': {
    content: push({ title: 'שלום', alert: 'مرحبا \u202b⛵\u202c', sound: 'fog.wav' }),
    text: { title: 'שלום', body: 'مرحبا \u202b⛵\u202c' },
    sound: 'fog.wav',
    type: 'alert',
    aps: { sound: 'fog.wav' },
  },
  'an address that is none': {
    content: push({ alert: 'B', uri: 'https://no where/' }),
    text: { body: 'B' },
    app: { link: 'https://no where/' },
    type: 'alert',
    aps: {},
  },
  'uri only': { content: push({ uri: page }), app: { link: page }, ...silent },
  'alert and uri': {
    content: push({ alert: 'B', uri: page }),
    text: { body: 'B' },
    app: { link: page },
    type: 'alert',
    aps: {},
  },
  'custom data only': { content: push({ floor: 2, tags: ['a'] }), custom: { floor: 2, tags: ['a'] }, ...silent },
  'custom data and badge': {
    content: push({ floor: 2, badge: 1 }),
    custom: { floor: 2 },
    badge: 1,
    type: 'alert',
    aps: { badge: 1 },
  },
  'an image that is no text': { content: push({ image: { id: 7 } }), custom: { image: { id: 7 } }, ...silent },
  IMAGE: {
    content: (deviceType) => notification('IMAGE', picture, deviceType),
    text: { title: 'T', body: 'B', image: picture },
    custom: { ...origin, type: 'IMAGE' },
    type: 'alert',
    aps: { 'mutable-content': 1 },
  },
  VIDEO: {
    content: (deviceType) => notification('VIDEO', film, deviceType),
    text: { title: 'T', body: 'B' },
    app: { video: film, link: film },
    custom: { ...origin, type: 'VIDEO' },
    type: 'alert',
    aps: { 'mutable-content': 1 },
  },
};

describe('every kind of message by every way', () => {
  let provider: PushProvider;
  let broker: DeviceBroker;
  let device: TestDevice;
  const senders: PushSender[] = [];
  let fcm: PushSender;
  let apns: PushSender;
  let webPush: PushSender;
  let mqtt: PushSender;

  beforeAll(async () => {
    provider = await startPushProvider();
    broker = new DeviceBroker({
      login: async () => ({ appId: 'app', deviceId: 'gate', topic: 'museum/gate', version: '1' }),
      stillValid: async (logins) => new Set(logins),
      now: Date.now,
      onError: (what, error) => assert.fail(`${what}: ${error}`),
    });
    await broker.listen(0, '127.0.0.1');
    device = await openDevice(broker.port, { username: 'gate', password: 'x' });
    await device.client.subscribeAsync('museum/gate', { qos: 1 });
    fcm = create(fcmDefinition, provider.fcm.serviceAccount);
    apns = create(apnsDefinition, provider.apns.entered);
    webPush = create(webPushDefinition, { ...generateVapidKeys(), subject: 'mailto:ops@example.org' });
    mqtt = createEmbeddedMqttSender({ broker, appId: 'app', now: Date.now, timeoutMs: patientMs });
    senders.push(mqtt);
  });
  afterAll(async () => {
    for (const sender of senders) await sender.close();
    await device.close();
    await broker.close();
    await provider.close();
  });

  function create<S>(definition: SenderDefinition<S>, entered: unknown): PushSender {
    const { origin, ca } = provider;
    const sender = definition.create(definition.read(entered), {
      now: Date.now,
      timeoutMs: patientMs,
      network: { origin, ca },
    });
    senders.push(sender);
    return sender;
  }

  async function deliver(
    sender: PushSender,
    { content }: Combination,
    target: PushTarget,
    urgency: 'high' | 'normal' = 'high',
  ) {
    const expiresAt = Date.now() + 60_000;
    const message = { deliveryId: 'D1', content: content(target.deviceType), expiresAt, urgency };
    const result = await sender.send(message, target, new AbortController().signal);
    assert.equal(result.outcome, 'sent', JSON.stringify(result));
    const { content: arrived, headers } = provider.received.at(-1) ?? {};
    // biome-ignore lint/suspicious/noExplicitAny: a message's shape is what a test is about to look at
    return { arrived: arrived as any, headers: headers ?? {} };
  }

  /** FCM's data: texts, and JSON text for the rest. */
  const texts = (values: object) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    );
  const given = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

  for (const [name, combination] of Object.entries(combinations)) {
    const { text, app = {}, badge, sound, custom = {}, type, aps } = combination;
    const { image, ...alert } = text ?? {};
    // A member of the app's own with the name of one of ours is renamed.
    const renamed = given({ ...custom, image: undefined, data_image: custom['image'] });

    test(`${name}: APNs`, async () => {
      const target = { token: provider.apns.tokenFor('a'), deviceType: 'ios' } as const;
      for (const urgency of ['high', 'normal'] as const) {
        const { arrived, headers } = await deliver(apns, combination, target, urgency);
        const expected = text ? { alert, ...aps } : aps;
        assert.deepEqual(arrived, { aps: expected, deliveryId: 'D1', ...app, ...given({ image }), ...renamed });
        const priority = type === 'alert' && urgency === 'high' ? '10' : '5';
        assert.deepEqual([headers['apns-push-type'], headers['apns-priority']], [type, priority]);
      }
    });

    test(`${name}: FCM to iOS`, async () => {
      const target = { token: provider.fcm.tokenFor('i'), deviceType: 'ios' } as const;
      const { message } = (await deliver(fcm, combination, target)).arrived;
      assert.deepEqual(message.notification, text);
      assert.deepEqual(message.data, { deliveryId: 'D1', ...app, ...texts(renamed) });
      const { headers, payload, fcm_options } = message.apns;
      assert.deepEqual([headers['apns-push-type'], payload, fcm_options?.image], [type, { aps }, image]);
      assert.equal(headers['apns-priority'], type === 'alert' ? '10' : '5');
    });

    test(`${name}: FCM to Android`, async () => {
      const target = { token: provider.fcm.tokenFor('g'), deviceType: 'android' } as const;
      const { message } = (await deliver(fcm, combination, target)).arrived;
      assert.deepEqual(message.notification, text);
      assert.deepEqual(message.data, {
        deliveryId: 'D1',
        ...app,
        ...strings(given({ badge, sound })),
        ...texts(renamed),
      });
      const { tag, ...shown } = message.android.notification ?? {};
      const channel = sound === 'default' ? undefined : sound;
      assert.deepEqual(shown, text ? given({ sound, channel_id: channel, notification_count: badge }) : {});
      assert.equal(tag === undefined, text === undefined);
    });

    test(`${name}: FCM to a browser`, async () => {
      const target = { token: provider.fcm.tokenFor('w'), deviceType: 'web' } as const;
      const { message } = (await deliver(fcm, combination, target)).arrived;
      assert.deepEqual(message.notification, text);
      assert.deepEqual(message.data, {
        deliveryId: 'D1',
        ...app,
        ...strings(given({ badge, sound })),
        ...texts(renamed),
      });
      assert.equal(message.webpush.fcm_options?.link, isAddress(app['link']) ? app['link'] : undefined);
    });

    test(`${name}: Web Push`, async () => {
      const target = { token: provider.webpush.tokenFor('b'), deviceType: 'web' } as const;
      const { arrived } = await deliver(webPush, combination, target);
      assert.deepEqual(arrived, { deliveryId: 'D1', ...text, ...app, ...given({ badge, sound }), data: custom });
    });

    test(`${name}: MQTT`, async () => {
      await deliver(mqtt, combination, { token: 'museum/gate', deviceType: 'embedded' });
      const { expiresAt, ...arrived } = JSON.parse(device.messages.at(-1) ?? '');
      assert.ok(expiresAt);
      assert.deepEqual(arrived, { deliveryId: 'D1', ...text, ...app, ...given({ badge, sound }), data: custom });
    });
  }

  test('a picture without a text is for the app on iOS, which shows no notification of it', async () => {
    const combination: Combination = { content: push({ image: picture }), ...silent };
    const apple = await deliver(apns, combination, { token: provider.apns.tokenFor('a'), deviceType: 'ios' });
    assert.deepEqual(apple.arrived, { aps: silent.aps, deliveryId: 'D1', image: picture });
    const google = await deliver(fcm, combination, { token: provider.fcm.tokenFor('i'), deviceType: 'ios' });
    const { notification, data, apns: own } = google.arrived.message;
    assert.deepEqual([notification, data], [undefined, { deliveryId: 'D1', image: picture }]);
    assert.deepEqual([own.payload, own.fcm_options], [{ aps: silent.aps }, undefined]);
    const android = await deliver(fcm, combination, { token: provider.fcm.tokenFor('g'), deviceType: 'android' });
    assert.deepEqual(android.arrived.message.notification, { image: picture });
  });
});
