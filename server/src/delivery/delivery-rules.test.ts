import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { contentOfPush, contentOfTrigger } from './push/content.ts';
import { createPace } from './push/pace.ts';
import type { PushSenderKind } from './push/push-sender.ts';
import { routeOf } from './push/route.ts';

const origin = { event: 'ENTER', eventId: 'e', visitId: 'v', beaconId: 'b', triggerId: 't' };
const pictures = { urlImageAndroid: 'https://x.test/a.png', urlImageIOS: 'https://x.test/i.png' };

describe('the shown part', () => {
  test('of a push: title, text, link, and the rest for the app', () => {
    assert.deepEqual(
      contentOfPush({ title: 'Tonight', alert: 'Open', uri: 'm://x', badge: 0, sound: 'ding', room: 4 }),
      {
        title: 'Tonight',
        body: 'Open',
        link: 'm://x',
        badge: 0,
        sound: 'ding',
        data: { room: 4 },
      },
    );
    assert.deepEqual(contentOfPush({}), { data: {} });
  });

  // The description never leaves the house: it is a name for the people behind the app.
  const notifications = [
    ['TEXT', { alertTitle: 'Hi', alertMessage: 'There' }, { title: 'Hi', body: 'There' }],
    ['IMAGE', { url: 'https://x.test/p.png' }, { body: '🖼', image: 'https://x.test/p.png' }],
    [
      'VIDEO',
      { url: 'https://x.test/v.mp4', alertMessage: 'Look' },
      { body: 'Look', video: 'https://x.test/v.mp4', link: 'https://x.test/v.mp4' },
    ],
  ] as const;
  for (const [type, message, shown] of notifications)
    test(`of a notification of type ${type}`, () => {
      const content = { objectId: 't', description: 'Name', type, message };
      assert.deepEqual(contentOfTrigger({ kind: 'notification', content, origin }, 'ios'), {
        ...shown,
        data: { ...origin, type },
      });
    });

  const scenarios = [
    ['TEXT', 'android', { alertTitle: 'Hi', alertMessage: 'There' }, { title: 'Hi', body: 'There' }],
    ['URL', 'web', { urlPage: 'https://x.test/p' }, { title: 'Morning', link: 'https://x.test/p' }],
    ['IMAGE', 'ios', pictures, { title: 'Morning', image: pictures.urlImageIOS }],
    ['IMAGE', 'android', pictures, { title: 'Morning', image: pictures.urlImageAndroid }],
    ['IMAGE', 'ios', { urlImageAndroid: 'https://x.test/a.png' }, { title: 'Morning', image: 'https://x.test/a.png' }],
    [
      'VIDEO',
      'ios',
      { urlVideo: 'https://x.test/v.mp4', urlPage: 'https://x.test/p' },
      { title: 'Morning', video: 'https://x.test/v.mp4', link: 'https://x.test/p' },
    ],
  ] as const;
  for (const [campaign, device, members, shown] of scenarios)
    test(`of a scenario with the campaign ${campaign} on ${device} (${Object.keys(members).join()})`, () => {
      const content = { objectId: 't', storylineId: 's', title: 'Morning', campaign, ...members };
      assert.deepEqual(contentOfTrigger({ kind: 'scenario', content, origin }, device), {
        ...shown,
        data: { ...origin, campaign },
      });
    });
});

describe('the provider of an installation', () => {
  const all = () => true;
  const only = (kind: PushSenderKind) => (asked: PushSenderKind) => asked === kind;
  for (const [pushType, deviceType, isSetUp, kind] of [
    ['FCM', 'ios', all, 'fcm'],
    ['gcm', 'android', all, 'fcm'],
    ['apns', 'ios', all, 'apns'],
    ['web', 'web', all, 'webpush'],
    ['mqtt', 'android', all, 'mqtt'],
    [null, 'android', all, 'fcm'],
    [null, 'ios', all, 'apns'],
    [null, 'ios', only('fcm'), 'fcm'],
    [null, 'ios', only('mqtt'), 'apns'],
    [null, 'web', all, 'webpush'],
    [null, 'embedded', all, 'mqtt'],
  ] as const)
    test(`${pushType ?? 'no pushType'} on ${deviceType} is ${kind}`, () =>
      assert.deepEqual(routeOf(pushType, deviceType, isSetUp), { kind }));
  test('an unknown pushType is reported', () => assert.ok('problem' in routeOf('pigeon', 'ios', all)));
});

describe('the pace', () => {
  const signal = new AbortController().signal;
  const start = 1_800_000_000_000;

  test('lets a burst through, then answers when there is room again instead of waiting long', async () => {
    let now = start;
    const pace = createPace({ perSecond: 10, now: () => now });
    const answers: number[] = [];
    for (let n = 0; n < 3; n++) answers.push(await pace.admit(signal));
    assert.deepEqual(answers, [0, 0, 0]);
    now += 60_000;
    const many = createPace({ perSecond: 1, now: () => now });
    const aborted = AbortSignal.abort();
    const waits = [];
    for (let n = 0; n < 10; n++) waits.push(await many.admit(aborted));
    assert.deepEqual(waits.slice(0, 3), [0, 0, 0]);
    assert.ok((waits.at(-1) ?? 0) > now + 2_000, 'the last one is told to come back');
  });

  test('halves at a refusal, counts those of one moment once, and recovers a little with each success', () => {
    let now = start;
    const pace = createPace({ perSecond: 800, now: () => now, random: () => 1 });
    for (let n = 0; n < 50; n++) pace.pushedBack(undefined);
    assert.equal(pace.rate(), 400);
    now += 1_000;
    pace.pushedBack(undefined);
    assert.equal(pace.rate(), 200);
    for (let n = 0; n < 200; n++) pace.succeeded();
    assert.ok(pace.rate() > 230 && pace.rate() < 250, String(pace.rate()));
    for (let n = 0; n < 100_000; n++) pace.succeeded();
    assert.equal(pace.rate(), 800);
  });

  test('pauses as long as the provider asks, else with a bound that doubles up to a minute', async () => {
    let now = start;
    const pace = createPace({ perSecond: 800, now: () => now, random: () => 1 });
    assert.equal(pace.pushedBack(30_000), now + 30_000);
    assert.equal(await pace.admit(signal), now + 30_000);
    now += 30_000;
    assert.equal(await pace.admit(signal), 0);
    const pauses = [];
    for (let n = 0; n < 8; n++) {
      const until = pace.pushedBack(undefined);
      pauses.push(until - now);
      now = until;
    }
    assert.deepEqual(pauses, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    pace.succeeded();
    assert.equal(pace.pushedBack(undefined), now + 1_000);
  });
});
