import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { tokenFault } from './token-fault.ts';

const keys = { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) };
const subscription = (endpoint: unknown) => JSON.stringify({ endpoint, keys });
const web = (endpoint: string, allowedOrigin?: string) =>
  tokenFault({ deviceType: 'web', pushType: null, deviceToken: subscription(endpoint) }, allowedOrigin);
const embedded = (deviceToken: string) => tokenFault({ deviceType: 'embedded', pushType: null, deviceToken });

/** Hosts in the operator's own network, in the spellings that the URL parser accepts. */
const inside = `127.0.0.1 127.1 127.0.1 0x7f.0.0.1 0x7f000001 2130706433 017700000001 0177.0.0.1 0 0.0.0.0 127.0.0.1.
  127.0.0.1.. %31%32%37.0.0.1 １２７.0.0.1 127。0。0。1 10.0.0.1 10.1 0xa000001 172.16.0.1 172.31.255.255 192.168.1.1 192.168.257
  169.254.169.254 0xa9fea9fe 2852039166 100.64.0.1 100.100.100.200 168.63.129.16 192.0.0.192 198.18.0.1 224.0.0.1
  255.255.255.255 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:10.0.0.1] [::ffff:a9fe:a9fe]
  [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1] [2002:7f00:1::1] [2001::1] [fc00::1] [fd00:ec2::254]
  [fe80::1] [fec0::1] [ff02::1] localhost LOCALHOST localhost. localhost.. app.localhost printer.local metadata.google.internal
  nas.home.arpa nas.lan crm.corp nas.home intranet postgres x.onion x.invalid ｌocalhost`.split(/\s+/);

describe('tokens that can reach nobody', () => {
  for (const host of inside)
    test(`Web Push: ${host} is in the network`, () => {
      assert.equal(web(`https://${host}/push/x`), 'has an endpoint that is not on the public internet');
    });

  for (const [endpoint, problem] of [
    ['http://fcm.googleapis.com/fcm/send/x', 'is not an https address'],
    ['ftp://fcm.googleapis.com/', 'is not an https address'],
    ['file:///etc/passwd', 'is not an https address'],
    ['nowhere', 'is not an https address'],
    ['', 'is not an https address'],
    ['https://[fe80::1%25eth0]/', 'is not an https address'],
    ['https://user@fcm.googleapis.com/x', 'contains a user name or password'],
    ['https://user:secret@fcm.googleapis.com/x', 'contains a user name or password'],
    ['https://fcm.googleapis.com@127.0.0.1/x', 'contains a user name or password'],
    ['https://fcm.googleapis.com:22/x', 'has a port of another protocol'],
    ['https://fcm.googleapis.com:25/x', 'has a port of another protocol'],
    ['https:\\\\127.0.0.1\\x', 'is not on the public internet'],
    [' https://127.0.0.1/x', 'is not on the public internet'],
  ] as const)
    test(`Web Push: ${JSON.stringify(endpoint)} ${problem}`, () =>
      assert.equal(web(endpoint), `has an endpoint that ${problem}`));

  for (const endpoint of [
    'https://fcm.googleapis.com/fcm/send/x',
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://web.push.apple.com/QH',
    'https://wns2-par02p.notify.windows.com/w/?token=x',
    'https://push.example.org:8443/x',
    'https://fcm.googleapis.com:443/x',
    'https://8.8.8.8/x',
    'https://[2606:4700::1111]/x',
  ])
    test(`Web Push: ${endpoint} is fine`, () => assert.equal(web(endpoint), undefined));

  test('Web Push: the push service of a test need not be on the public internet', () => {
    assert.equal(web('https://localhost:4433/push/x', 'https://localhost:4433'), undefined);
    assert.ok(web('https://localhost:4434/push/x', 'https://localhost:4433'));
  });

  test('anything but a subscription is not checked here, nor is a token of another push service', () => {
    for (const token of ['abc', '{}', '[]', 'null', '{"endpoint":5}'])
      assert.equal(tokenFault({ deviceType: 'web', pushType: null, deviceToken: token }), undefined);
    const inTheNetwork = { deviceType: 'web', deviceToken: subscription('https://127.0.0.1/') } as const;
    assert.equal(tokenFault({ ...inTheNetwork, pushType: 'fcm' }), undefined);
    assert.equal(tokenFault({ ...inTheNetwork, pushType: 'pigeon' }), undefined);
    assert.ok(tokenFault({ ...inTheNetwork, deviceType: 'android', pushType: 'Web-Push' }));
  });

  for (const topic of [
    '#',
    '+',
    'museum/#',
    'museum/+/gate',
    'museum+',
    '$SYS/x',
    '$share/g/t',
    'a\u0000b',
    'a\nb',
    '',
    ' ',
    '/',
    '//',
    '//x',
    'x//',
    'museum//gate',
    'museum/ /gate',
    ' /gate',
    '\u00a0',
  ])
    test(`MQTT: ${JSON.stringify(topic)}`, () => assert.ok(embedded(topic)));
  test('MQTT: longer than a topic may be', () => assert.ok(embedded('x'.repeat(1025))));
  for (const topic of ['museum/gate', '/museum', 'museum/', 'museum/$gate', 'Halle ⛵', 'hall 2/gate'])
    test(`MQTT: ${topic} is fine`, () => assert.equal(embedded(topic), undefined));
});
