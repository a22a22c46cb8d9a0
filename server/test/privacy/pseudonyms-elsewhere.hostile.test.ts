import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { commandLine } from '../../src/access/audit.ts';
import { type ScopeResource, scopeVerbs } from '../../src/access/keys/scopes.ts';
import { type AdminRole, adminRoles, isAllowed } from '../../src/access/roles.ts';
import type { DeviceBroker } from '../../src/delivery/mqtt/mqtt-device-broker.ts';
import { atOneDay, databases, type SignedIn, signIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { openConsole } from '../support/console.ts';
import { type EventStream, openStream } from '../support/event-stream.ts';
import { openDevice, type TestDevice } from '../support/servers/mqtt-devices.ts';
import { startReceiver, type WebhookReceiver } from '../support/servers/webhook-receiver.ts';
import { openSite, type Site, stay, walk } from '../support/site.ts';
import { listen } from '../support/socket.ts';

/**
 * Under pseudonyms that change daily no phone is named beside the lists either, of which pseudonyms.test.ts is: to keys and administrators
 * who listen, by any page of the console, to the gateways that hear its tag, and to devices that listen over MQTT.
 */

const tag = 'AA:BB:CC:00:11:22';
/** What administrators with the permission read about phones and people themselves. */
const aboutPhones = /\/installations\/:|\/users|\/own-phones|\/hearing/;

for (const database of databases) {
  describe(`pseudonyms beside the lists on ${database}`, () => {
    let site: Site;
    let anna: SignedIn;
    let phone: string;
    let receiver: WebhookReceiver;
    let webhookId: string;
    let replayId: string;
    let keyHeaders: Readonly<Record<string, string>>;
    let gatewayAnswer: string;
    let device: TestDevice;
    const streams: { readonly who: string; readonly stream: EventStream }[] = [];

    beforeAll(async () => {
      const settings = { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8', PHAROS_MQTT_PORT: '0' };
      site = await openSite(database, settings, atOneDay(1_800_000));
      const { app } = site;
      const rateLimit = { enabled: false, perSecond: 1, burst: 1 };
      await app.app.apps.change(app.appId, { policy: { pseudonyms: 'daily', oneZone: true, rateLimit } });
      // The switch takes effect when every node has heard of it.
      app.clock.now += 6_000;
      anna = await signIn(app);
      await site.notification();
      await site.beacon({ name: 'Gate', minor: 7, metadata: { gatewayId: 'room-1' } });
      const body = {
        deviceType: 'android',
        deviceToken: 'token of anna',
        channels: ['all'],
        metadata: { advertisedId: tag },
      };
      phone = await create(app, '/api/v2/installations', { installationId: 'client-of-anna', ...body }, anna.headers);
      receiver = await startReceiver();
      const owner = await openConsole(app, 'owner');
      const hook = { url: receiver.url, events: ['visit.opened', 'presence.enter', 'message.fired', 'push.finished'] };
      const made = await owner.send({ method: 'POST', url: `/apps/${app.appId}/webhooks`, body: hook });
      webhookId = made.body.result.objectId;
      device = await openGate();
      await listenAll();
      await drive();
      const draft = { beacons: [site.hall], event: 'ENTER' };
      const replay = await owner.send({ method: 'POST', url: `/apps/${app.appId}/replays`, body: { draft } });
      assert.ok(replay.status < 300, replay.raw.toString());
      replayId = replay.body.result.objectId;
      await app.app.idle();
    });
    afterAll(async () => {
      for (const { stream } of streams) stream.close();
      await device?.close();
      await site.close();
      await receiver.close();
    });

    /** A device that is connected over MQTT. */
    async function openGate(): Promise<TestDevice> {
      const { app } = site;
      const broker = app.app.devices as DeviceBroker;
      await broker.listen(0, '127.0.0.1');
      const topic = 'museum/gate';
      const body = { deviceName: 'Gate', manufacture: 'Acme', topic };
      const id = await create(app, '/api/v2/device', body, site.user.headers);
      const installer = await openConsole(app, 'installer');
      const url = `/apps/${app.appId}/devices/${id}/credentials`;
      const { username, password } = (await installer.send({ method: 'POST', url })).body.result;
      await site.installation({ installationId: 'the gate', deviceType: 'embedded', deviceToken: topic });
      const opened = await openDevice(broker.port, { username, password });
      await opened.client.subscribeAsync(topic, { qos: 1 });
      return opened;
    }

    async function listenAll(): Promise<void> {
      const { app } = site;
      const scopes = (Object.entries(scopeVerbs) as [ScopeResource, readonly string[]][]).map(([resource, verbs]) => ({
        resource,
        verbs,
      }));
      const { secretKey } = await app.app.secretKeys.create(app.appId, { name: 'All', scopes }, commandLine);
      keyHeaders = { ...app.credentials, 'x-service-appkey': secretKey };
      const port = await listen(app);
      const kinds = 'presence.enter,presence.exit,visit.opened,visit.closed,message.fired,position.changed';
      const add = async (who: string, path: string, headers: Readonly<Record<string, string>>) => {
        const stream = await openStream(port, `${path}?kinds=${kinds}`, headers);
        await stream.ready;
        streams.push({ who, stream });
      };
      await add('a secret key', '/api/v2/stream', keyHeaders);
      for (const role of adminRoles.filter((role) => isAllowed(role, 'activity.read'))) {
        const { cookie } = await openConsole(app, role);
        await add(role, `/console/api/apps/${app.appId}/v2/stream`, { cookie });
      }
    }

    /** Long enough for the visit to end, and short enough for events to be kept for those who listen. */
    async function silence(): Promise<void> {
      await site.app.app.idle();
      site.app.clock.now += 200_000;
      await site.app.app.ticker.tick();
    }

    /** Everybody is sent a push, she walks through the hall, and the gateway hears her tag. */
    async function drive(): Promise<void> {
      const { app } = site;
      // Before time passes, since a device is looked for at nodes that have said lately that they are there.
      const push = { data: { title: 'Closing time' } };
      assert.equal((await site.ask({ method: 'POST', url: '/api/v2/push/notification', body: push })).status, 200);
      await app.app.idle();
      await device.received(1);
      const headers = anna.headers;
      const sightings = walk(stay(1, 40), site.now);
      app.clock.now += 41_000;
      const body = { installationId: 'client-of-anna', sightings };
      assert.equal((await app.send({ method: 'POST', url: '/api/v2/sightings', headers, body })).status, 200);
      await silence();
      const heard = [4, 3, 2, 1].map((n) => ({ id: 'aabbcc001122', rssi: -50, occurredAt: site.now - n * 1000 }));
      const gateway = { gateway: 'room-1', sightings: heard };
      const told = await app.send({ method: 'POST', url: '/api/v2/sightings', headers: keyHeaders, body: gateway });
      assert.equal(told.status, 200, told.raw.toString());
      gatewayAnswer = told.raw.toString();
      await silence();
    }

    const secrets = () => [phone, 'client-of-anna', anna.userId, tag, 'aabbcc001122', 'token of anna'];
    const namesNobody = (text: string, what: string) =>
      assert.deepEqual(
        secrets().filter((id) => text.includes(id)),
        [],
        what,
      );
    const namesIn = (text: string) =>
      new Set([...text.matchAll(/"_Installation","objectId":"([^"]*)"/g)].map(([, name]) => name));

    test('what a secret key and administrators listen to has her pseudonym of the day, and nothing else of her', async () => {
      const visits = await site.list('visits');
      assert.equal(visits.length, 2, 'one that her phone reported, one that the gateway heard');
      const [pseudonym, ...more] = [...namesIn(JSON.stringify(visits))];
      assert.deepEqual(more, []);
      assert.match(pseudonym ?? '', /^[0-9a-f]{32}$/);
      for (const { who, stream } of streams) {
        await stream.received(6);
        const text = JSON.stringify(stream.events);
        namesNobody(text, who);
        assert.ok(text.includes('visit.closed') && text.includes('message.fired'), `${who}: ${text}`);
        assert.deepEqual([...namesIn(text)], [pseudonym], who);
      }
    });

    test('no page of the console asks for anything that names her, whatever the role', async () => {
      const ids: Readonly<Record<string, string>> = {
        appId: site.app.appId,
        beaconId: site.hall,
        objectId: replayId,
        webhookId,
      };
      const asked = site.app.app.consoleEndpoints.filter(
        ({ method, path, permission }) => method === 'GET' && permission !== 'public' && !aboutPhones.test(path),
      );
      const answered = new Set<string>();
      for (const role of adminRoles as readonly AdminRole[]) {
        const browser = await openConsole(site.app, role);
        for (const { path, query = [] } of asked) {
          const filled = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'none');
          const sent: Record<string, string> = { limit: '100', since: new Date(site.now - 500_000).toISOString() };
          const asks = new URLSearchParams(
            Object.entries(sent).filter(([name]) => query.some((one) => one.name === name)),
          );
          const { status, raw } = await browser.send({ method: 'GET', url: `${filled}?${asks}` });
          if (status !== 200) continue;
          answered.add(path);
          namesNobody(raw.toString(), `${role}: ${path}`);
        }
      }
      for (const path of [
        'live',
        'funnel',
        'webhooks/:webhookId/deliveries',
        'replays/:objectId',
        'attention',
        'usage',
      ])
        assert.ok(answered.has(`/apps/:appId/${path}`), path);
      assert.ok(receiver.calls.length > 0, 'the webhook was called');
    });

    test('a gateway does not learn whose tag it hears, and an MQTT device nothing about other phones', () => {
      assert.deepEqual(JSON.parse(gatewayAnswer).result, {
        received: 4,
        duplicates: 0,
        events: [],
        messages: [],
        problems: [],
      });
      const text = device.messages.join('\n');
      assert.match(text, /Closing time/);
      namesNobody(text, 'a device over MQTT');
    });
  });
}
