import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { create } from '../../../server/test/support/cases.ts';
import { openSite, pointer, type Site, uuid } from '../../../server/test/support/site.ts';
import {
  type Hearing,
  type Permission,
  PharosClient,
  type PlannedRegion,
  platformEntries,
  reactNativeAdapter,
  Sensing,
  type SensingAdapter,
  type SensingHealth,
  type Sighting,
  SightingQueue,
  sensingFindings,
  webAdapter,
} from '../../src/index.ts';
import { missingPermissions } from '../../src/sensing/adapter.ts';

/** Whether a phone can hear beacons, and what is asked of the visitor for it. */

describe('why a phone hears nothing', () => {
  const causes = (device: SensingAdapter['device'], health: SensingHealth) =>
    sensingFindings(device, health).map(({ cause }) => cause);

  test('is found for each platform, the worst first', () => {
    const bad = { bluetoothOn: false, location: 'whenInUse', precise: false, batterySaver: true } as const;
    assert.deepEqual(causes('android', { ...bad, bluetooth: 'denied', notifications: 'denied' }), [
      'bluetoothOff',
      'bluetoothDenied',
      'imprecise',
      'foregroundOnly',
      'batterySaver',
      'notificationsDenied',
    ]);
    assert.deepEqual(causes('ios', { ...bad, bluetooth: 'denied' }), ['bluetoothOff', 'imprecise', 'foregroundOnly']);
    assert.deepEqual(causes('web', { ...bad, notifications: 'notAsked' }), ['notificationsNotAsked']);
    assert.deepEqual(causes('ios', { location: 'always', precise: true, bluetoothOn: true }), []);
    assert.deepEqual(causes('ios', {}), [], 'what is not known is not claimed');
    for (const { text, remedy } of sensingFindings('android', { location: 'restricted', locationOn: false }))
      assert.ok(text.endsWith('.') && remedy.endsWith('.'));
  });

  test('the visitor is asked in the order of the platform, and never for what was denied', () => {
    const fresh = { location: 'notAsked', bluetooth: 'notAsked', notifications: 'notAsked' } as const;
    assert.deepEqual(missingPermissions('android', fresh), ['bluetooth', 'location', 'notifications']);
    assert.deepEqual(missingPermissions('ios', { ...fresh, location: 'whenInUse' }), ['background', 'notifications']);
    assert.deepEqual(missingPermissions('ios', { location: 'denied', notifications: 'denied' }), []);
    const less = { background: false, notifications: false };
    assert.deepEqual(missingPermissions('ios', { location: 'whenInUse', notifications: 'notAsked' }, less), []);
  });

  test('the entries for both platforms hold what the app asks for', () => {
    const { infoPlist, androidManifest } = platformEntries({ purpose: 'To tell you about <what> is near & new.' });
    assert.match(
      infoPlist,
      /NSLocationAlwaysAndWhenInUseUsageDescription<\/key>\n<string>To tell you about &lt;what&gt; is near &amp; new\./,
    );
    assert.match(androidManifest, /BLUETOOTH_SCAN" \/>/);
    assert.match(androidManifest, /ACCESS_BACKGROUND_LOCATION/);
    assert.ok(!androidManifest.includes('neverForLocation'));
    const open = platformEntries({ purpose: 'Near you.', background: false, notifications: false });
    assert.ok(!/Always/.test(open.infoPlist) && !/BACKGROUND|NOTIFICATIONS/.test(open.androidManifest));
    assert.throws(() => platformEntries({ purpose: ' ' }), /purpose is empty/);
  });
});

/** A phone whose visitor allows everything, one question after the other. */
class Phone implements SensingAdapter {
  readonly device = 'ios';
  readonly asked: Permission[] = [];
  health: SensingHealth = { location: 'notAsked', notifications: 'notAsked', bluetoothOn: true };
  regions: readonly PlannedRegion[] = [];
  hearing: Hearing | undefined;

  read = async () => this.health;
  ask = async (permission: Permission) => {
    this.asked.push(permission);
    if (permission === 'location') this.health = { ...this.health, location: 'whenInUse', precise: true };
    if (permission === 'background') this.health = { ...this.health, location: 'always' };
    if (permission === 'notifications') this.health = { ...this.health, notifications: 'granted' };
  };
  hear = async (regions: readonly PlannedRegion[], hearing: Hearing) => {
    [this.regions, this.hearing] = [regions, hearing];
    return () => {
      this.hearing = undefined;
    };
  };
}

describe('sensing, against the service', () => {
  let site: Site;
  let baseUrl: string;
  let client: PharosClient;
  let venue: string;
  beforeAll(async () => {
    site = await openSite('sqlite');
    await site.app.app.apps.change(site.app.appId, { policy: { readContent: 'app' } });
    await site.app.app.server.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(site.app.app.server.server.address() as AddressInfo).port}`;
    let secret: string | null = null;
    client = new PharosClient({
      ...{ baseUrl, appId: site.app.appId, appKey: site.app.appKey },
      secretStorage: {
        load: () => secret,
        save: (text) => {
          secret = text;
        },
      },
    });
    venue = await create(site.app, '/api/v2/venues', { name: 'Museum' }, site.user.headers);
    await site.ask({
      method: 'PUT',
      url: `/api/v2/beacons/${site.hall}`,
      body: { venueId: pointer('Venue', venue) },
    });
    await site.beacon({ minor: 2, venueId: pointer('Venue', venue) });
  });
  afterAll(() => site.close());

  test('asks for what is missing, reports it, monitors what the service plans, and reports borders and samples', async () => {
    const phone = new Phone();
    const now = () => site.now;
    const installationId = 'sensing-1';
    const queue = new SightingQueue(client, { installationId, now });
    let fails: (error: unknown) => void = () => undefined;
    const sensing = new Sensing(client, {
      ...{ adapter: phone, queue, now },
      installation: { installationId, deviceType: 'ios' },
      motion: () => 'walking',
      onError: (error) => fails(error),
    });
    assert.deepEqual(
      (await sensing.doctor()).map(({ cause }) => cause),
      ['locationNotAsked', 'notificationsNotAsked'],
    );
    assert.deepEqual(await sensing.start(venue, { because: 'region' }), []);
    assert.deepEqual(phone.asked, ['location', 'background', 'notifications']);
    const [row] = (await site.rows('installations')).filter((one) => one['installation_id'] === installationId);
    assert.deepEqual(
      [row?.['sensing_cause'], JSON.parse(String(row?.['sensing'])).lastWakeBecause],
      ['none', 'region'],
    );
    assert.deepEqual(
      phone.regions.map(({ identifier }) => identifier),
      [uuid, `${uuid}:1:1`, `${uuid}:1:2`],
    );
    await new Promise<void>((resolve, reject) => {
      fails = reject;
      const { hear } = phone;
      phone.hear = async (...args) => {
        phone.hear = hear;
        const end = await hear(...args);
        resolve();
        return end;
      };
      phone.hearing?.onBorder({ identifier: uuid, event: 'ENTER' });
    });
    assert.deepEqual(
      (await site.rows('venue_entries')).map(({ venue_id }) => venue_id),
      [venue],
    );
    assert.equal((await site.list('visits')).length, 0);
    const { add } = queue;
    const added = await new Promise<readonly unknown[]>((resolve) => {
      queue.add = async (...heard: Sighting[]) => {
        await add.apply(queue, heard);
        resolve(heard);
      };
      phone.hearing?.onSamples([{ uuid, major: 1, minor: 2, rssi: -60 }]);
    });
    assert.deepEqual(added, [{ motion: 'walking', uuid, major: 1, minor: 2, rssi: -60 }]);
    sensing.stop();
    assert.equal(phone.hearing, undefined);
  });

  test('hears after a restart without a network, and tells the service when there is one again', async () => {
    let isOnline = true;
    const installationId = 'sensing-2';
    const app = new PharosClient({
      ...{ baseUrl, appId: site.app.appId, appKey: site.app.appKey, retry: false },
      fetch: async (url, request) => {
        if (!isOnline) throw new TypeError('no network');
        return fetch(url, request);
      },
    });
    const kept: string[] = [];
    const restarted = (phone: Phone, failed: (error: unknown) => void) =>
      new Sensing(app, {
        adapter: phone,
        queue: {
          add: async () => [],
          flush: async () => {
            if (!isOnline) throw new TypeError('no network');
          },
        } as never,
        installation: { installationId, deviceType: 'ios' },
        storage: { load: () => kept.at(-1) ?? null, save: (text) => kept.push(text) },
        onError: failed,
      });
    isOnline = false;
    const [first, second] = [new Phone(), new Phone()];
    await assert.rejects(restarted(first, assert.ifError).start(venue), { name: 'Unreachable' });
    assert.equal(first.hearing, undefined);
    isOnline = true;
    await restarted(first, assert.ifError).start(venue);
    isOnline = false;
    const errors: unknown[] = [];
    const sensing = restarted(second, (error) => errors.push(error));
    assert.deepEqual(await sensing.start(venue, { because: 'region' }), []);
    assert.deepEqual([second.regions, errors.length], [first.regions, 1]);
    isOnline = true;
    await new Promise<void>((resolve) => {
      const { hear } = second;
      second.hear = async (...args) => {
        resolve();
        return hear(...args);
      };
      second.hearing?.onSamples([{ uuid, major: 1, minor: 2, rssi: -60 }]);
    });
    const full = () => {
      throw new Error('full');
    };
    const third = new Phone();
    const without = new Sensing(app, {
      adapter: third,
      queue: new SightingQueue(client, { installationId }),
      installation: { installationId: 'sensing-3', deviceType: 'ios' },
      storage: { load: full, save: full },
      onError: (error) => errors.push(error),
    });
    await without.start(venue);
    assert.deepEqual([third.regions, errors.length], [first.regions, 3]);
    without.stop();
    const [row] = (await site.rows('installations')).filter((one) => one['installation_id'] === installationId);
    assert.equal(JSON.parse(String(row?.['sensing'])).lastWakeBecause, 'region');
    sensing.stop();
  });
});

describe('the adapters', () => {
  test('a page asks for notifications alone', async () => {
    const notification = { permission: 'default', requestPermission: async () => undefined };
    Object.assign(globalThis, { Notification: notification });
    try {
      const adapter = webAdapter();
      assert.deepEqual(await adapter.read(), { notifications: 'notAsked' });
      notification.permission = 'denied';
      assert.deepEqual(await adapter.read(), { notifications: 'denied' });
    } finally {
      Reflect.deleteProperty(globalThis, 'Notification');
    }
    assert.deepEqual(await webAdapter().read(), {});
  });

  test('React Native reads what two libraries say, and keeps regions that stay', async () => {
    const granted: Record<string, string> = {
      'android.permission.ACCESS_FINE_LOCATION': 'denied',
      'android.permission.ACCESS_COARSE_LOCATION': 'granted',
      'android.permission.ACCESS_BACKGROUND_LOCATION': 'blocked',
      'android.permission.BLUETOOTH_SCAN': 'blocked',
      'ios.permission.LOCATION_WHEN_IN_USE': 'granted',
      'ios.permission.LOCATION_ALWAYS': 'denied',
    };
    const requested: string[] = [];
    const permissions = {
      check: async (permission: string) => granted[permission] ?? 'unavailable',
      request: async (permission: string) => {
        requested.push(permission);
        return 'granted';
      },
      checkNotifications: async () => ({ status: 'denied' }),
      requestNotifications: async () => requested.push('notifications'),
      checkLocationAccuracy: async () => 'reduced',
    };
    const calls: string[] = [];
    const listeners = new Map<string, (data: never) => void>();
    const note = (name: string) => async (region: unknown) => {
      calls.push(`${name} ${typeof region === 'string' ? region : (region as PlannedRegion).identifier}`);
    };
    const events = {
      addListener: (event: string, listener: (data: never) => void) => {
        listeners.set(event, listener);
        return { remove: () => listeners.delete(event) };
      },
    };
    const beacons = {
      startMonitoringForRegion: note('monitor'),
      stopMonitoringForRegion: note('leave'),
      startRangingBeaconsInRegion: note('range'),
      stopRangingBeaconsInRegion: note('rest'),
    };
    const made = (OS: string) =>
      reactNativeAdapter({
        platform: { OS, Version: 35 },
        permissions,
        beacons,
        events,
        state: async () => ({ bluetoothOn: true }),
      });
    const { location, precise, bluetooth, notifications, bluetoothOn, os } = await made('android').read();
    assert.deepEqual(
      [location, precise, bluetooth, notifications, bluetoothOn, os],
      ['whenInUse', false, 'denied', 'notAsked', true, 'Android'],
    );
    const ios = made('ios');
    const health = await ios.read();
    assert.deepEqual([health.location, health.precise], ['whenInUse', false]);
    await ios.ask('background');
    assert.deepEqual(requested, ['ios.permission.LOCATION_ALWAYS']);

    const [one, two, three] = ['1', '2', '3'].map((minor) => ({
      identifier: minor,
      uuid,
      major: 1,
      minor: Number(minor),
    }));
    const heard: unknown[] = [];
    const hearing = {
      onBorder: (border: unknown) => void heard.push(border),
      onSamples: (samples: unknown) => void heard.push(samples),
    };
    await ios.hear([one, two] as PlannedRegion[], hearing);
    const end = await ios.hear([two, three] as PlannedRegion[], hearing);
    assert.deepEqual(calls, ['monitor 1', 'monitor 2', `range ranging ${uuid}`, 'leave 1', 'monitor 3']);
    listeners.get('regionDidEnter')?.({ identifier: '3' } as never);
    listeners.get('regionDidEnter')?.({ identifier: 'of another part of the app' } as never);
    listeners.get('beaconsDidRange')?.({
      beacons: [
        { uuid, major: 1, minor: 3, rssi: 0 },
        { uuid, major: 1, minor: 2, rssi: -60, accuracy: 3 },
      ],
    } as never);
    assert.deepEqual(heard, [{ identifier: '3', event: 'ENTER' }, [{ uuid, major: 1, minor: 2, rssi: -60 }]]);
    end();
  });
});
