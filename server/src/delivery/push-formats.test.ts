import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { apnsRequest } from './apns/apns.ts';
import { fcmMessage } from './fcm/fcm-message.ts';
import { collapseId, messageUuid } from './push/collapse-id.ts';
import type { PushContent, PushMessage, PushTarget } from './push/push-sender.ts';

const now = Date.UTC(2026, 10, 21, 12);

function message(content: Partial<PushContent>, more: Partial<PushMessage> = {}): PushMessage {
  return { deliveryId: 'D"1', content: { data: {}, ...content }, expiresAt: now + 90_500, urgency: 'high', ...more };
}

function fcm(content: Partial<PushContent>, deviceType: PushTarget['deviceType'] = 'android', urgency?: 'normal') {
  const given = message(content, urgency ? { urgency } : {});
  return JSON.parse(fcmMessage(given, { token: 'tok', deviceType }, now).body).message;
}

function apns(content: Partial<PushContent>, urgency: 'high' | 'normal' = 'high') {
  const { headers, body, path } = apnsRequest(
    message(content, { urgency }),
    { token: 'ab/..', deviceType: 'ios' },
    'com.x',
  );
  return { headers, path, body: JSON.parse(String(body)) };
}

const tag = collapseId('D"1');

describe('FCM messages', () => {
  test('show title, body and picture, and carry link, video and delivery id as data', () => {
    const shown = { title: 'T', body: 'B', image: 'https://x/i.png' };
    assert.deepEqual(fcm({ ...shown, link: 'app://a', video: 'https://x/v', sound: 'bell', badge: 3 }), {
      token: 'tok',
      notification: shown,
      data: { deliveryId: 'D"1', link: 'app://a', video: 'https://x/v', badge: '3', sound: 'bell' },
      android: {
        ttl: '90s',
        priority: 'HIGH',
        notification: { tag, sound: 'bell', channel_id: 'bell', notification_count: 3 },
      },
    });
  });

  test('without anything to show are data alone', () => {
    assert.deepEqual(fcm({ data: { a: '1' } }, 'android', 'normal'), {
      token: 'tok',
      data: { deliveryId: 'D"1', a: '1' },
      android: { ttl: '90s', priority: 'NORMAL' },
    });
  });

  test('for iOS carry the headers of APNs', () => {
    const { apns: given, android } = fcm({ title: 'T', image: 'https://x/i.png', badge: 0, sound: 'bell' }, 'ios');
    assert.equal(android, undefined);
    assert.deepEqual(given, {
      headers: {
        'apns-collapse-id': tag,
        'apns-expiration': String(Math.floor((now + 90_500) / 1000)),
        'apns-priority': '10',
        'apns-push-type': 'alert',
      },
      payload: { aps: { sound: 'bell', badge: 0, 'mutable-content': 1 } },
      fcm_options: { image: 'https://x/i.png' },
    });
    const silent = fcm({}, 'ios').apns;
    assert.deepEqual([silent.headers['apns-priority'], silent.payload], ['5', { aps: { 'content-available': 1 } }]);
  });

  test('for the web carry the headers of Web Push, and a link only where FCM takes it', () => {
    assert.deepEqual(fcm({ title: 'T', link: 'https://x/y' }, 'web').webpush, {
      headers: { TTL: '90', Urgency: 'high', Topic: tag },
      notification: { tag },
      fcm_options: { link: 'https://x/y' },
    });
    assert.equal(fcm({ title: 'T', link: 'http://x/y' }, 'web').webpush.fcm_options, undefined);
    assert.equal(fcm({ title: 'T', link: 'http://x/y' }, 'web').data.link, 'http://x/y');
    assert.equal(fcm({ title: 'T', link: 'https://x y/' }, 'web').webpush.fcm_options, undefined);
  });

  for (const [name, data, expected] of [
    [
      'texts stay, anything else is JSON',
      { a: 'x', b: 1, c: true, d: null, e: { f: [1] }, g: undefined },
      { a: 'x', b: '1', c: 'true', d: 'null', e: '{"f":[1]}' },
    ],
    [
      'reserved names are prefixed',
      { from: '1', message_type: '2', 'google.x': '3', 'gcm.y': '4', notification: '5' },
      { data_from: '1', data_message_type: '2', 'data_google.x': '3', 'data_gcm.y': '4', data_notification: '5' },
    ],
    ['members do not replace ours', { deliveryId: 'mine' }, { data_deliveryId: 'mine' }],
    ['a prefixed name takes no other’s place', { from: '1', data_from: '2' }, { data_data_from: '1', data_from: '2' }],
    ['quotes, line ends and other alphabets survive', { a: '"\\\n\u2028 ⛵ ;' }, { a: '"\\\n\u2028 ⛵ ;' }],
  ] as const) {
    test(`data: ${name}`, () => assert.deepEqual(fcm({ data }).data, { deliveryId: 'D"1', ...expected }));
  }

  test('two messages with one content differ only in their own members', () => {
    const content: PushContent = { title: 'T', data: {} };
    const [one, two] = ['D1', 'D2'].map((deliveryId) =>
      JSON.parse(
        fcmMessage({ ...message({}), deliveryId, content }, { token: deliveryId, deviceType: 'web' }, now).body,
      ),
    );
    assert.deepEqual([one.message.token, one.message.data.deliveryId], ['D1', 'D1']);
    assert.deepEqual([two.message.token, two.message.data.deliveryId], ['D2', 'D2']);
    assert.notEqual(one.message.webpush.headers.Topic, two.message.webpush.headers.Topic);
  });

  test('a time to live in the past is 0', () => {
    const { body } = fcmMessage(message({}, { expiresAt: now - 5000 }), { token: 't', deviceType: 'android' }, now);
    assert.equal(JSON.parse(body).message.android.ttl, '0s');
  });
});

describe('APNs messages', () => {
  test('show title and body; the rest is beside aps', () => {
    const { headers, body } = apns({
      title: 'T',
      body: 'B',
      link: 'app://a',
      badge: 0,
      sound: 'bell',
      data: { aps: 1, n: 2 },
    });
    assert.deepEqual(body, {
      aps: { alert: { title: 'T', body: 'B' }, sound: 'bell', badge: 0 },
      deliveryId: 'D"1',
      link: 'app://a',
      data_aps: 1,
      n: 2,
    });
    assert.deepEqual(headers, {
      'apns-topic': 'com.x',
      'apns-push-type': 'alert',
      'apns-id': messageUuid('D"1'),
      'apns-expiration': Math.floor((now + 90_500) / 1000),
      'apns-priority': 10,
      'apns-collapse-id': tag,
    });
  });

  test('without anything to show are background pushes of priority 5', () => {
    const { headers, body } = apns({ data: { a: 1 } });
    assert.deepEqual([headers['apns-push-type'], headers['apns-priority']], ['background', 5]);
    assert.deepEqual(body, { aps: { 'content-available': 1 }, deliveryId: 'D"1', a: 1 });
  });

  test('a picture lets the app fetch it before the notification shows', () => {
    assert.equal(apns({ title: 'T', image: 'https://x/i' }).body.aps['mutable-content'], 1);
    assert.equal(apns({ title: 'T' }, 'normal').headers['apns-priority'], 5);
  });

  test('a token cannot lead to another path', () => assert.equal(apns({}).path, '/3/device/ab%2F..'));

  test('go to the app that the installation has named', () => {
    const target = { token: 'a', deviceType: 'ios', appIdentifier: 'com.y' } as const;
    assert.equal(apnsRequest(message({}), target, 'com.x').headers['apns-topic'], 'com.y');
  });
});

const options: Partial<PushContent> = {
  category: 'TOUR',
  buttons: [{ id: 'more', title: 'More', uri: 'app://more' }],
  replaces: 'queue',
  thread: 'tour',
  level: 'timeSensitive',
};

describe('options of a push', () => {
  test('go to Apple as category, thread and interruption level', () => {
    const { body, headers } = apns({ title: 'T', ...options });
    const dictionary = { category: 'TOUR', 'thread-id': 'tour', 'interruption-level': 'time-sensitive' };
    assert.deepEqual(body.aps, { alert: { title: 'T' }, ...dictionary });
    assert.deepEqual(body.buttons, options.buttons);
    assert.equal(headers['apns-collapse-id'], collapseId('another', { replaces: 'queue' }));
    const { aps } = fcm({ title: 'T', ...options }, 'ios').apns.payload;
    assert.deepEqual(aps, dictionary, 'the same through FCM');
    const critical = apns({ title: 'T', level: 'critical', sound: 'horn' }).body.aps;
    assert.deepEqual(critical.sound, { critical: 1, name: 'horn', volume: 1 });
  });

  test('go to Android as priority and tag, and the rest to the app', () => {
    const { android, data } = fcm({ title: 'T', ...options });
    assert.deepEqual(android.notification, {
      tag: collapseId('D"1', { replaces: 'queue' }),
      notification_priority: 'PRIORITY_HIGH',
    });
    assert.deepEqual([data.category, data.thread, JSON.parse(data.buttons)], ['TOUR', 'tour', options.buttons]);
  });

  test('go to browsers as actions', () => {
    assert.deepEqual(fcm({ title: 'T', ...options }, 'web').webpush.notification, {
      tag: collapseId('D"1', { replaces: 'queue' }),
      actions: [{ action: 'more', title: 'More' }],
      requireInteraction: true,
    });
    assert.equal(fcm({ title: 'T', level: 'passive' }, 'web').webpush.notification.silent, true);
  });

  test('which replace each other have one id, and no other message has it', () => {
    assert.equal(collapseId('a', { replaces: 'x' }), collapseId('b', { replaces: 'x' }));
    assert.notEqual(collapseId('a', { replaces: 'x' }), collapseId('a', { replaces: 'y' }));
    assert.notEqual(collapseId('x'), collapseId('a', { replaces: 'x' }));
  });
});

describe('ids of a delivery', () => {
  test('are the same for the same delivery, and of the form that providers take', () => {
    assert.match(collapseId('a'), /^[\w-]{32}$/);
    assert.match(messageUuid('a'), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(messageUuid('a'), messageUuid('a'));
    assert.notEqual(messageUuid('a'), messageUuid('b'));
  });
});
