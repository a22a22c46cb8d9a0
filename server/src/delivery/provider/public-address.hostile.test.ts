import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'vitest';
import { isPublicAddress, isPublicHost, publicLookup } from './public-address.ts';

const refused = `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.1.2.3
  168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1
  198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:10.0.0.1 0:0:0:0:0:ffff:a9fe:a9fe ::ffff:0:127.0.0.1
  64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 64:ff9b:1::8.8.8.8 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
  2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 3fff::1 fc00::1 fd00:ec2::254 fe80::1
  fe80::1%eth0 fec0::1 ff02::1 ff0e::1 4000::1 5f00::1`.split(/\s+/);
const accepted =
  `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 172.15.255.255
  172.32.0.0 192.0.1.1 192.169.0.1 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.17 ::ffff:8.8.8.8 64:ff9b::8.8.8.8
  2001:200::1 2001:4860:4860::8888 2606:4700::1111 2a00:1450:4001::200e 3ffe::1`.split(/\s+/);

/** The error of `net.connect` with this lookup. */
async function connectError(host: string): Promise<string> {
  const socket = connect({ host, port: 9, lookup: publicLookup });
  const [error] = await new Promise<[NodeJS.ErrnoException]>((resolve) => socket.once('error', (e) => resolve([e])));
  return error.code ?? error.message;
}

describe('addresses that others choose', () => {
  for (const ip of refused) test(`${ip} is not public`, () => assert.equal(isPublicAddress(ip), false));
  for (const ip of accepted) test(`${ip} is public`, () => assert.equal(isPublicAddress(ip), true));
  for (const text of ['', 'localhost', '127.1', '0x7f.1', '1.2.3', '8.8.8.8 ', '[::1]', 'example.org']) {
    test(`${JSON.stringify(text)} is no public address`, () => assert.equal(isPublicAddress(text), false));
  }

  for (const [url, expected] of [
    ['https://fcm.googleapis.com/', true],
    ['https://8.8.8.8/', true],
    ['https://[2606:4700::1111]/', true],
    ['https://127.1/', false],
    ['https://0x7f000001/', false],
    ['https://2130706433/', false],
    ['https://[::ffff:127.0.0.1]/', false],
    ['https://[::1]/', false],
    ['https://localhost/', false],
    ['https://LOCALHOST./', false],
    ['https://app.localhost/', false],
    ['https://printer.local/', false],
    ['https://metadata.google.internal/', false],
    ['https://intranet/', false],
    ['https://10.0.0.1./', false],
  ] as const) {
    test(`the host of ${url} ${expected ? 'may be' : 'is not'} public`, () =>
      assert.equal(isPublicHost(new URL(url).hostname), expected));
  }

  test('a name that resolves to this machine is refused when connecting', async () => {
    assert.equal(await connectError('localhost'), 'ERR_ADDRESS_NOT_PUBLIC');
  });
});
