import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { kindsOf, openSite, pointer, type Site } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';
import { parseScope, readScopes } from '../../../access/keys/scopes.ts';

const uuid = 'E2C56DB5DFFB48D2B060D0F5A71096E0';
const hour = 3_600_000;

for (const database of databases) {
  describe(`what gateways report on ${database}`, () => {
    let site: Site;
    let key: Record<string, string>;
    const places: string[] = [];
    let tags = 0;
    let keys = 0;
    const keyFor = async (gateways?: readonly string[]) => {
      const scope = { resource: 'sightings', verbs: ['create'], ...(gateways ? { gateways } : {}) };
      const body = { name: `Gateway ${++keys}`, scopes: [scope] };
      const { secretKey } = await site.app.app.secretKeys.create(site.app.appId, body, commandLine);
      return secretKey;
    };
    const headersOf = (secretKey: string) => ({ 'x-service-appid': site.app.appId, 'x-service-appkey': secretKey });
    beforeAll(async () => {
      site = await openSite(database);
      for (const gatewayId of ['AC:23:3F:C0:36:41', 'hall'])
        places.push(await site.beacon({ metadata: { gatewayId } }));
      key = headersOf(await keyFor());
    });
    afterAll(() => site.close());

    /** A tag that is worn by somebody, by its beacon's numbers or its address. */
    async function worn(advertised: (minor: number) => string) {
      const minor = ++tags;
      const advertisedId = advertised(minor);
      const body = { installationId: `tag-${minor}`, deviceType: 'embedded', metadata: { advertisedId } };
      const objectId = await site.installation(body);
      return { minor, objectId };
    }
    const asBeacon = (minor: number) => `iBeacon:${uuid}-7-${minor}`;

    const report = async (gateway: string, body: unknown, { headers = {} as Record<string, string> } = {}) =>
      site.app.send({
        method: 'POST',
        url: `/api/v2/gateways/${gateway}/report`,
        headers: { 'content-type': 'application/json', ...key, ...headers },
        body,
      });

    /** Somebody stays beside a Minew gateway for some seconds. */
    const minew = (minor: number, { seconds = 10, clock = 0, mac = 'AC233FC03641' } = {}) => {
      const at = (second: number) => new Date(site.now + clock - (seconds - second) * 1_000).toISOString();
      const one = { type: 'iBeacon', mac: 'C3000025EF6A', ibeaconUuid: uuid, ibeaconMajor: 7, ibeaconMinor: minor };
      return [
        { timestamp: at(seconds), type: 'Gateway', mac, gatewayFree: 89, gatewayLoad: 0.03 },
        ...Array.from({ length: seconds }, (_, second) => ({
          ...{ ...one, timestamp: at(second), rssi: -60, ibeaconTxPower: -59, battery: 0 },
        })),
      ];
    };

    const visitsOf = async (objectId: string) =>
      (await site.list('visits', {
        where: JSON.stringify({ installationId: pointer('_Installation', objectId) }),
      })) as { enteredAt: string }[];

    test('becomes a visit at the gateway; the answer counts', async () => {
      const { minor, objectId } = await worn(asBeacon);
      const message = minew(minor);
      const stranger = { ...(message[1] as object), ibeaconMinor: 65_000, mac: 'C30000FFFFFF' };
      const { status, body } = await report('ac233fc03641', [...message, stranger, { ...stranger, rssi: 127 }]);
      assert.equal(status, 200);
      const { problems, ...counts } = body.result;
      assert.deepEqual(counts, {
        format: 'minew',
        taken: 10,
        beacon: 0,
        unknown: 1,
        merged: 0,
        refused: 1,
      });
      assert.deepEqual(
        problems.map(({ code, count }: Record<string, unknown>) => [code, count]),
        [
          ['no_signal', 1],
          ['unknown_tag', 1],
        ],
      );
      assert.equal((await visitsOf(objectId)).length, 1);
      assert.deepEqual(kindsOf(await site.list('logs', { limit: '1' })), ['ENTER']);
    });

    test('counts once when it is sent again, and one advertisement a second', async () => {
      const { minor, objectId } = await worn(asBeacon);
      const message = minew(minor);
      const often = message.flatMap((one) => [one, one, one]);
      assert.deepEqual((await report('ac233fc03641', often)).body.result.taken, 10);
      site.app.clock.now += 1_000;
      await report('ac233fc03641', message);
      assert.equal((await visitsOf(objectId)).length, 1);
    });

    test('is corrected by the clock of the gateway, if it is hours off', async () => {
      const { minor, objectId } = await worn(asBeacon);
      await site.beacon({ metadata: { gatewayId: 'behind' } });
      await report('behind', minew(minor, { clock: -9 * hour }));
      const [visit] = await visitsOf(objectId);
      assert.equal(visit?.enteredAt, new Date(site.now - 10_000).toISOString());
    });

    test('is found by the address of the tag, and by the id of its vendor', async () => {
      const byAddress = await worn(() => 'F4:1F:0C:28:CB:D6');
      const byVendor = await worn(() => 'abcdef');
      const data = '0201061BFF99040515AE4C6DC6D7000CFFF803F4ADB6AD697FF41F0C28CBD6';
      const tag = { rssi: -60, timestamp: String(Math.floor(site.now / 1000)), data };
      const ruuvi = {
        data: { gw_mac: 'C8:25:2D:8E:9C:2C', timestamp: tag.timestamp, tags: { 'F4:1F:0C:28:CB:D6': tag } },
      };
      assert.equal((await report('hall', ruuvi)).body.result.taken, 1);
      const plain = Buffer.from('0F166AFE0206010F6404616263646566', 'hex').toString('base64');
      const events = [{ rssi: -60, data: plain, srData: '', timestamp: site.now, deviceAddress: 'f9:10:e1:40:d4:f1' }];
      const kontakt = await report('hall', { version: 4, sourceId: '3cRCZ', timestamp: site.now, events });
      assert.deepEqual([kontakt.body.result.format, kontakt.body.result.taken], ['kontakt', 1]);
      assert.notEqual(byAddress.objectId, byVendor.objectId);
    });

    test('is a phone’s whose address changes, if its key is known; addresses of strangers are not stored', async () => {
      // A new key counts within a minute.
      site.app.clock.now += 61_000;
      // Core Specification, Vol 3, Part H, Appendix D.7.
      await worn(() => 'irk:EC0234A357C8AD05341010A60A397D9B');
      const line = (address: string) => `$GPRP,${address},CB412F0C8EDC,-49,020106\r\n`;
      assert.equal((await report('hall', line('7081940DFBAA'))).body.result.taken, 1);
      const before = await site.rows('installations');
      const strangers = Array.from({ length: 500 }, (_, at) =>
        line(`4${at.toString(16).padStart(11, '0')}`.toUpperCase()),
      );
      assert.equal((await report('hall', strangers.join(''))).body.result.unknown, 500);
      assert.deepEqual(await site.rows('installations'), before);
    });

    test('comes with whatever type and compression the gateway uses', async () => {
      const line = '$GPRP,C30000FFFFFF,CB412F0C8EDC,-49,020106\r\n';
      const asText = await report('hall', line, { headers: { 'content-type': 'text/plain' } });
      assert.deepEqual([asText.body.result.format, asText.body.result.unknown], ['ingics', 1]);
      const compressed = gzipSync(JSON.stringify(minew(9_999)));
      const asGzip = await report('ac233fc03641', compressed, { headers: { 'content-encoding': 'gzip' } });
      assert.deepEqual([asGzip.body.result.format, asGzip.body.result.unknown], ['minew', 10]);
    });

    test('is read as whose somebody says it is, until nobody does', async () => {
      const set = async (gateway: string, format: unknown) =>
        (await site.ask({ method: 'PUT', url: `/api/v2/gateways/${gateway}`, body: { format } })).status;
      const send = async () => (await report('hall', { mac: 'C3:00:00:FF:FF:FE', rssi: -60 })).body.result;
      assert.equal((await send()).problems[0].code, 'unknown_format');
      await site.app.app.idle();
      assert.equal(await set('hall', 'openmqttgateway'), 200);
      const { format, unknown } = await send();
      assert.deepEqual([format, unknown], ['openmqttgateway', 1]);
      const [listed] = (await site.list('gateways')).filter(
        ({ gatewayId }: { gatewayId: string }) => gatewayId === 'hall',
      );
      assert.deepEqual([listed.format, listed.isFormatSet], ['openmqttgateway', true]);
      assert.equal(await set('hall', null), 200);
      assert.equal((await send()).format, null);
      assert.deepEqual([await set('hall', 'acme'), await set('nowhere', 'minew')], [400, 404]);
    });

    test('works as the page about gateways says', async () => {
      const page = readFileSync(new URL('../../../../../docs/gateways.md', import.meta.url), 'utf8');
      const [, line = ''] = /--data-binary \\\n {2}'(.+)'/.exec(page) ?? [];
      await worn(() => `iBeacon:${uuid}-1-2`);
      assert.equal((await report('hall', line)).body.result.taken, 1);
      const scopes = [...page.matchAll(/--scope (\S+)/g)].map(([, scope = '']) => readScopes([parseScope(scope)]));
      assert.deepEqual(scopes, [[{ resource: 'sightings', verbs: ['create'], gateways: ['hall'] }]]);
    });

    test('from a gateway that no beacon stands for, or that is nothing, is refused with the reason', async () => {
      const unknown = await report('cellar', minew(1));
      assert.deepEqual([unknown.status, unknown.body.result.refused], [200, 10]);
      assert.equal(unknown.body.result.problems[0].code, 'unknown_gateway');
      for (const [body, code] of [
        ['[{"type"', 'malformed'],
        [{ temperature: 21 }, 'unknown_format'],
      ] as const)
        assert.equal((await report('hall', body)).body.result.problems[0].code, code);
      assert.equal((await report('hall', Buffer.alloc(1_048_577, ' '))).status, 413);
      const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
      assert.equal((await report('hall', bomb, { headers: { 'content-encoding': 'gzip' } })).status, 413);
      const noGzip = await report('hall', 'no', { headers: { 'content-encoding': 'gzip' } });
      assert.equal(noGzip.status, 400);
    });

    test('says how the gateway is, which managers and its key can list', async () => {
      const list = async (headers: Record<string, string>) => {
        await site.app.app.idle();
        const { status, body } = await site.app.send({ method: 'GET', url: '/api/v2/gateways', headers });
        assert.equal(status, 200);
        return body.results as readonly Record<string, unknown>[];
      };
      const gateway = async (name: string, headers = site.user.headers) =>
        (await list(headers)).find(({ gatewayId }) => gatewayId === name);
      site.app.clock.now += 30_000;
      await report('AC:23:3F:C0:36:41', minew(9_999, { clock: 5_000 }));
      await report('hall', '$GPRP,C30000FFFFFF,CB412F0C8EDC,-49,020106');
      assert.deepEqual(await gateway('ac233fc03641'), {
        ...{ gatewayId: 'ac233fc03641', isOnline: true, heardAt: new Date(site.now).toISOString() },
        ...{ beaconId: pointer('Beacon', places[0] ?? ''), heardBeacons: 0, isFormatSet: false },
        ...{ format: 'minew', clockOffset: 5_000, load: 0.03 },
      });
      // Less than half a minute later, nothing is written again.
      const before = site.now;
      site.app.clock.now += 29_000;
      await report('ac233fc03641', minew(9_999));
      assert.equal((await gateway('ac233fc03641'))?.['heardAt'], new Date(before).toISOString());
      site.app.clock.now += 299_000;
      assert.equal((await gateway('ac233fc03641'))?.['isOnline'], false);
      await report('ac233fc03641', minew(9_999));
      assert.equal((await gateway('ac233fc03641'))?.['isOnline'], true);
      const own = headersOf(await keyFor(['hall']));
      assert.ok(await gateway('hall', own));
      assert.equal(await gateway('ac233fc03641', own), undefined);
    });

    test('needs a secret key of this app, which may be limited to gateways, also as user and password', async () => {
      const basic = (appId: string, secret: string) => ({
        authorization: `Basic ${Buffer.from(`${appId}:${secret}`).toString('base64')}`,
        ...{ 'x-service-appid': undefined, 'x-service-appkey': undefined },
      });
      const own = await keyFor(['hall']);
      const send = async (gateway: string, headers: Record<string, string | undefined>) =>
        (await report(gateway, minew(9_999), { headers: headers as Record<string, string> })).status;
      assert.equal(await send('hall', headersOf(own)), 200);
      assert.equal(await send('ac233fc03641', headersOf(own)), 403);
      // However its address is spelled, it is the same gateway.
      assert.equal(await send('ac233fc03641', headersOf(await keyFor(['AC:23:3F:C0:36:41']))), 200);
      assert.equal(await send('hall', basic(site.app.appId, own)), 200);
      assert.equal(await send('ac233fc03641', basic(site.app.appId, own)), 403);
      assert.equal(await send('hall', basic(site.app.appId, `${own}x`)), 404);
      assert.equal(await send('hall', basic('0000000000000000NONE', own)), 404);
      // The key that is in every copy of the app opens nothing here.
      const { 'x-service-appkey': appKey = '' } = site.app.credentials;
      assert.equal(await send('hall', basic(site.app.appId, appKey)), 404);
      assert.equal(await send('hall', site.app.credentials), 403);
    });

    test('a key that is limited to gateways speaks for no other one, and for no phone, by the other way either', async () => {
      const { minor, objectId } = await worn(asBeacon);
      const headers = headersOf(await keyFor(['hall']));
      const sighting = { id: asBeacon(minor), rssi: -60 };
      const send = async (body: object) =>
        (await site.app.send({ method: 'POST', url: '/api/v2/sightings', headers, body })).body.result.problems;
      assert.deepEqual(await send({ gateway: 'hall', sightings: [sighting] }), []);
      for (const body of [
        { gateway: 'ac233fc03641', sightings: [sighting] },
        { installationId: objectId, sightings: [site.decided('ENTER')] },
      ])
        assert.deepEqual(
          (await send(body)).map(({ code }: { code: string }) => code),
          ['forbidden_gateway'],
        );
    });
  });
}
