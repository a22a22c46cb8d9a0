import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { isAllowed } from '../../src/access/roles.ts';
import { sql } from '../../src/base/sql.ts';
import { dataPermission } from '../../src/http/console/console-roles.ts';
import { isByVenue } from '../../src/http/grants.ts';
import { type Answer, databases, type SentRequest } from '../support/build-app.ts';
import { type Browser, browserOf, openConsole, password, signInToConsole } from '../support/console.ts';
import { openSite, pointer, type Site, uuid } from '../support/site.ts';

const absent = '0000000000000000NONE';

interface Half {
  readonly venue: string;
  readonly beacon: string;
  readonly notification: string;
  readonly floor: string;
  readonly zone: string;
  readonly visit: string;
  readonly event: string;
}

for (const database of databases) {
  describe(`administrators who are limited to apps and venues, on ${database}`, () => {
    let site: Site;
    let north: Half;
    let south: Half;
    let owner: Browser;
    let otherApp: string;

    /** An administrator with a role that holds in these apps. */
    const limited = async (role: string, apps: readonly object[]): Promise<Browser> => {
      const email = `limited${people++}@museum.example`;
      const body = { email, name: 'Lim', role, password, apps };
      const made = await owner.send({ method: 'POST', url: '/administrators', body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return browserOf(site.app, await signInToConsole(site.app, email));
    };
    let people = 0;

    const make = async (path: string, body: object): Promise<string> => {
      const answer = await site.ask({ method: 'POST', url: `/api/v2/${path}`, body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.result.objectId;
    };

    const half = async (name: string, minor: number): Promise<Half> => {
      const venue = await make('venues', { name });
      const of = pointer('Venue', venue);
      const beacon = await site.beacon({ name: `${name} door`, minor, venueId: of, location: { x: 1, y: 1 } });
      const notification = await site.notification({ description: `At ${name}`, beaconId: pointer('Beacon', beacon) });
      const floor = await make('floors', { name: `${name} ground`, level: 0, venueId: of });
      const polygon = [
        { x: 0, y: 0 },
        { x: 5, y: 0 },
        { x: 5, y: 5 },
      ];
      const zone = await make('zones', {
        name: `${name} room`,
        kind: 'room',
        floorId: pointer('Floor', floor),
        polygon,
      });
      const [{ visitId, eventId }] = (await site.send([{ beacon, event: 'ENTER' }])).events ?? [{}];
      const where = JSON.stringify({ beaconId: pointer('Beacon', beacon) });
      const visit = visitId ?? (await site.list('visits', { where }))[0].objectId;
      const event = eventId ?? (await site.list('events', { where }))[0].objectId;
      return { venue, beacon, notification, floor, zone, visit, event };
    };

    beforeAll(async () => {
      site = await openSite(database);
      north = await half('North', 21);
      south = await half('South', 22);
      await site.app.app.idle();
      await site.app.app.rollups.settle(site.app.appId);
      owner = await openConsole(site.app, 'owner');
      const made = await owner.send({ method: 'POST', url: '/apps', body: { name: 'Another' } });
      otherApp = made.body.result.appId;
    });
    afterAll(() => site.close());

    /** What is decided before the database is asked is tried on one of the two. */
    const onOne = (name: string, work: () => Promise<void>) => void (database === 'sqlite' && test(name, work));
    const data = (path: string) => `/apps/${site.app.appId}/v2${path}`;
    /** An answer as everybody gets it: without the id of the request. */
    const told = ({ body }: Answer) => JSON.stringify(body).replace(/"requestId":"[^"]*"/, '');
    const refusal = ({ status, body }: Answer) => [status, body.error?.name];

    /** Every endpoint that the console reaches below an app, with ids that name nothing. */
    const endpointsOfApp = (appId: string) => [
      ...site.app.app.consoleEndpoints
        .filter(({ path }) => path.startsWith('/apps/:appId'))
        .map((endpoint) => ({
          name: `${endpoint.method} ${endpoint.path}`,
          permission: endpoint.permission as Parameters<typeof isAllowed>[1],
          isByVenue: endpoint.narrows === 'venues',
          request: requestOf(endpoint, endpoint.path.replace(':appId', appId), endpoint.body !== undefined),
        })),
      ...site.app.app.endpoints.flatMap((endpoint) => {
        const permission = dataPermission(endpoint);
        if (!permission) return [];
        const url = `/apps/${appId}/v2${endpoint.path}`;
        const name = `${endpoint.method} v2${endpoint.path}`;
        const request = requestOf(endpoint, url, endpoint.body !== undefined);
        return [{ name, permission, isByVenue: isByVenue(endpoint), request }];
      }),
    ];
    const requestOf = ({ method }: { readonly method: string }, path: string, hasBody: boolean): SentRequest => ({
      method: method as 'GET',
      url: path.replace(/:\w+/g, absent),
      ...(hasBody ? { body: { name: 7, role: 7 } } : {}),
    });

    onOne('an app to which the role does not reach is not there, whatever is asked of it', async () => {
      const browser = await limited('manager', [{ appId: otherApp }]);
      for (const { name, request } of endpointsOfApp(site.app.appId)) {
        const hidden = await browser.send(request);
        const unknown = await browser.send({ ...request, url: request.url.replace(site.app.appId, absent) });
        assert.deepEqual(refusal(hidden), [404, 'ObjectNotFound'], name);
        assert.equal(
          told(hidden).replaceAll(site.app.appId, absent),
          told(unknown),
          `${name}: as of an app that does not exist`,
        );
      }
      const { body } = await browser.send({ method: 'GET', url: '/apps' });
      assert.deepEqual(
        body.results.map(({ appId }: { appId: string }) => appId),
        [otherApp],
      );
      const audit = await browser.send({ method: 'GET', url: '/audit' });
      assert.ok(audit.body.results.length > 0);
      for (const { appId } of audit.body.results) assert.equal(appId, otherApp);
      const alerts = await browser.send({ method: 'GET', url: `/alerts?app=${site.app.appId}` });
      assert.equal(alerts.status, 404);
    });

    onOne('in its app a role includes what it always does, and another app may have another role', async () => {
      const apps = [{ appId: site.app.appId, role: 'installer' }, { appId: otherApp }];
      const browser = await limited('analyst', apps);
      for (const [appId, role] of [
        [site.app.appId, 'installer'],
        [otherApp, 'analyst'],
      ] as const)
        for (const { name, permission, request } of endpointsOfApp(appId)) {
          // It would be open until somebody closes it.
          if (name === 'GET v2/stream') continue;
          const { status, body } = await browser.send(request);
          const isRefused = status === 403 && /^The role/.test(body.error.error);
          assert.equal(!isRefused, isAllowed(role, permission), `${role} ${name}: ${status}`);
        }
    });

    test('nor is whoever is limited later, by way of one that was made before', async () => {
      const all = `/apps/${site.app.appId}/webhooks`;
      const email = `whole${people++}@museum.example`;
      const body = { email, name: 'Whole', role: 'manager', password };
      const made = await owner.send({ method: 'POST', url: '/administrators', body });
      assert.equal(made.status, 201, made.raw.toString());
      const browser = browserOf(site.app, await signInToConsole(site.app, email));
      const hook = async (by: Browser, events: readonly string[]) => {
        const answer = await by.send({ method: 'POST', url: all, body: { url: 'https://93.184.215.14/hook', events } });
        assert.equal(answer.status, 201, answer.raw.toString());
        return answer.body.result.objectId;
      };
      const service = 'service.alert.ended';
      const mixed = await hook(browser, ['alert.begun', service]);
      const only = await hook(browser, [service]);
      const off = await hook(browser, [service]);
      await browser.send({ method: 'PUT', url: `${all}/${off}`, body: { enabled: false } });
      const theirs = await hook(owner, [service]);
      const taken = await hook(browser, [service]);
      const keep = { method: 'PUT', url: `${all}/${taken}`, body: { description: 'ours' } } as const;
      assert.equal((await owner.send(keep)).status, 200);
      const url = `/administrators/${made.body.result.adminId}`;
      const limit = await owner.send({ method: 'PUT', url, body: { apps: [{ appId: site.app.appId }] } });
      assert.equal(limit.status, 200, limit.raw.toString());
      const now = async (id: string) => {
        const { events, enabled } = (await owner.send({ method: 'GET', url: `${all}/${id}` })).body.result;
        return [events, enabled];
      };
      assert.deepEqual(await now(mixed), [['alert.begun'], true]);
      assert.deepEqual(await now(only), [[service], false]);
      assert.deepEqual(await now(theirs), [[service], true]);
      assert.deepEqual(await now(taken), [[service], true], 'an owner has taken it over');
      const why = async (id: string) => {
        const { disabledBy, disabledReason } = (await owner.send({ method: 'GET', url: `${all}/${id}` })).body.result;
        return [disabledBy, disabledReason];
      };
      assert.deepEqual(await why(only), [
        'rights',
        'The administrator who chose its events is limited to some apps now, and may no longer be told of the whole service.',
      ]);
      assert.deepEqual(await why(off), [null, null], 'somebody had switched it off before');
      assert.deepEqual(await why(mixed), [null, null]);
      const attention = await owner.send({ method: 'GET', url: `/apps/${site.app.appId}/attention` });
      assert.deepEqual(
        attention.body.result.findings
          .filter(({ kind }: { kind: string }) => kind === 'webhooks')
          .map(({ title, text }: Record<string, string>) => [title, text]),
        [['1 webhook does not get through', '1 was switched off because whoever chose its events lost the right to.']],
      );
      for (const request of [
        { method: 'PUT', url: `${all}/${only}`, body: { enabled: true } },
        { method: 'POST', url: `${all}/${theirs}/secret` },
      ] as const)
        assert.deepEqual(refusal(await browser.send(request)), [403, 'OperationForbidden'], request.url);
      const audit = await owner.send({ method: 'GET', url: '/audit?kind=webhook&limit=3' });
      assert.deepEqual(
        audit.body.results.map(({ subject }: { subject: string }) => subject).toSorted(),
        [mixed, only, off].toSorted(),
      );
      const others = { method: 'PUT', url: `${all}/${only}`, body: { events: ['alert.begun'] } } as const;
      assert.equal((await browser.send(others)).status, 200);
      assert.deepEqual(
        [await now(only), await why(only)],
        [
          [['alert.begun'], false],
          [null, null],
        ],
      );
      const again = { method: 'PUT', url: `${all}/${only}`, body: { events: [service], enabled: true } } as const;
      assert.equal((await owner.send(again)).status, 200);
      assert.deepEqual(
        [await now(only), await why(only)],
        [
          [[service], true],
          [null, null],
        ],
      );
    });

    test('nor is it told by way of a webhook of an app', async () => {
      const browser = await limited('manager', [{ appId: site.app.appId }]);
      const all = `/apps/${site.app.appId}/webhooks`;
      const hook = (events: readonly string[]) => ({ url: 'https://93.184.215.14/hook', events });
      const everything = hook(['alert.begun', 'service.alert.begun']);
      const refused = async (request: SentRequest) =>
        assert.deepEqual(refusal(await browser.send(request)), [403, 'OperationForbidden'], JSON.stringify(request));
      await refused({ method: 'POST', url: all, body: everything });
      const own = await browser.send({ method: 'POST', url: all, body: hook(['alert.begun']) });
      assert.equal(own.status, 201, own.raw.toString());
      const ofOwner = await owner.send({ method: 'POST', url: all, body: everything });
      const [mine, theirs] = [own.body.result.objectId, ofOwner.body.result.objectId];
      await refused({ method: 'PUT', url: `${all}/${mine}`, body: everything });
      await refused({ method: 'PUT', url: `${all}/${theirs}`, body: { url: 'https://93.184.215.15/mine' } });
      const many = { operation: 'changeWebhook', ids: [mine, theirs], change: everything };
      const { failed } = (await browser.send({ method: 'POST', url: `/apps/${site.app.appId}/bulk`, body: many })).body
        .result;
      assert.deepEqual(
        failed.map(({ error }: { error: string }) => error),
        ['OperationForbidden', 'OperationForbidden'],
      );
      for (const [n, type] of ['alert.begun', 'service.alert.begun'].entries())
        await site.app.storage.db.run(sql`insert into webhook_deliveries (app_id, object_id, webhook_id, event, payload, state, attempts,
            expires_at, created_at, updated_at)
          values (${site.app.appId}, ${`told${n}`}, ${theirs}, ${type}, '{}', 'sent', 1, 0, 0, 0)`);
      const told = async (by: Browser) =>
        (await by.send({ method: 'GET', url: `${all}/${theirs}/deliveries` })).body.results.map(
          ({ event }: { event: string }) => event,
        );
      assert.deepEqual(await told(owner), ['service.alert.begun', 'alert.begun']);
      assert.deepEqual(await told(browser), ['alert.begun']);
      const without = await browser.send({ method: 'PUT', url: `${all}/${theirs}`, body: hook(['alert.begun']) });
      assert.equal(without.status, 200, 'what is left is of the app');
    });

    onOne('what is about the service as a whole is refused to everybody who is limited', async () => {
      const browser = await limited('manager', [{ appId: site.app.appId }]);
      const ofService = site.app.app.consoleEndpoints.filter(
        ({ path, permission, narrows }) =>
          !path.includes(':appId') && !['public', 'anybody', 'session.own'].includes(permission) && narrows !== 'apps',
      );
      assert.ok(ofService.length > 20);
      for (const endpoint of ofService) {
        const answer = await browser.send(requestOf(endpoint, endpoint.path, endpoint.body !== undefined));
        assert.deepEqual(refusal(answer), [403, 'OperationForbidden'], endpoint.operationId);
      }
    });

    onOne('whoever is limited to venues reaches nothing that is not divided by venue, and is told so', async () => {
      const grants = { appId: site.app.appId, venues: [north.venue] };
      const browsers = await Promise.all(
        (['manager', 'analyst'] as const).map(async (role) => [role, await limited(role, [grants])] as const),
      );
      for (const [role, browser] of browsers)
        for (const { name, permission, isByVenue: isNarrowed, request } of endpointsOfApp(site.app.appId)) {
          const { status, body } = await browser.send(request);
          const expected = !isAllowed(role, permission) ? 'role' : isNarrowed ? 'in' : 'venues';
          const said = /^The role/.test(body.error?.error ?? '')
            ? 'role'
            : /limited to some venues/.test(body.error?.error ?? '') && status === 403
              ? 'venues'
              : 'in';
          assert.equal(said, expected, `${role} ${name}: ${status} ${JSON.stringify(body.error)}`);
        }
    });

    test('and finds, counts and guesses only what belongs to these venues', async () => {
      const browser = await limited('manager', [{ appId: site.app.appId, venues: [north.venue] }]);
      const get = (path: string) => browser.send({ method: 'GET', url: data(path) });
      const lists = {
        venue: 'venues',
        beacon: 'beacons',
        floor: 'floors',
        zone: 'zones',
        notification: 'notifications',
      };
      const traces = { visit: 'visits', event: 'events' };
      for (const [kind, path] of Object.entries({ ...lists, ...traces }) as [keyof Half, string][]) {
        const { status, body } = await get(`/${path}?count=1`);
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(
          [body.count, ...body.results.map(({ objectId }: { objectId: string }) => objectId)],
          [1, north[kind]],
          path,
        );
        const where = encodeURIComponent(JSON.stringify({ $or: [{ objectId: south[kind] }, { objectId: absent }] }));
        assert.equal((await get(`/${path}?where=${where}&count=1&limit=0`)).body.count, 0, path);
        assert.equal((await get(`/${path}/${north[kind]}`)).status, 200, path);
        const [hidden, unknown] = [await get(`/${path}/${south[kind]}`), await get(`/${path}/${absent}`)];
        assert.deepEqual([hidden.status, told(hidden)], [404, told(unknown)], path);
      }
      assert.equal((await get('/verdicts?count=1')).body.count, 1);
      const numbers = await get(`/analytics/visits?until=2100-01-01&from=2099-01-01`);
      assert.equal(numbers.status, 200);
    });

    test('numbers count only these venues', async () => {
      const browser = await limited('analyst', [{ appId: site.app.appId, venues: [north.venue] }]);
      const { body: live } = await browser.send({ method: 'GET', url: `/apps/${site.app.appId}/live` });
      assert.deepEqual(
        live.result.beacons.map(({ beaconId }: { beaconId: string }) => beaconId),
        [north.beacon],
      );
      assert.equal(live.result.occupied, 1);
      const day = new Date(site.now).toISOString().slice(0, 10);
      const url = data(`/analytics/visits?from=${day}&groupBy=beacon`);
      const { result: part } = (await browser.send({ method: 'GET', url })).body;
      const { result: all } = (await owner.send({ method: 'GET', url })).body;
      const beaconsOf = (rows: readonly { beaconId: string }[]) => rows.map(({ beaconId }) => beaconId).sort();
      assert.deepEqual(beaconsOf(all.rows), [north.beacon, south.beacon].sort());
      assert.deepEqual([beaconsOf(part.rows), part.total.visits], [[north.beacon], 1]);
    });

    test('writes what belongs to these venues, and nothing elsewhere', async () => {
      const browser = await limited('manager', [{ appId: site.app.appId, venues: [north.venue] }]);
      const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) =>
        browser.send({ method, url: data(path), ...(body ? { body } : {}) });
      const beacon = { name: 'New', uuid, major: 7, minor: 7 };
      assert.equal((await send('PUT', `/beacons/${north.beacon}`, { name: 'Front door' })).status, 200);
      assert.equal((await send('POST', '/beacons', { ...beacon, venueId: pointer('Venue', north.venue) })).status, 201);
      const elsewhere = await send('POST', '/beacons', { ...beacon, venueId: pointer('Venue', south.venue) });
      const nowhere = await send('POST', '/beacons', beacon);
      assert.deepEqual([elsewhere.status, nowhere.status], [404, 403], JSON.stringify(nowhere.body));
      assert.match(nowhere.body.error.error, /limited to some venues/);
      const moved = await send('PUT', `/beacons/${north.beacon}`, { venueId: pointer('Venue', south.venue) });
      const freed = await send('PUT', `/beacons/${north.beacon}`, { venueId: null });
      assert.deepEqual([moved.status, freed.status], [404, 403]);
      for (const method of ['PUT', 'PATCH', 'DELETE'] as const)
        for (const path of ['beacons', 'venues', 'floors', 'zones', 'notifications'] as const) {
          const kind = path.slice(0, -1) as keyof Half;
          const answer = await send(
            method,
            `/${path}/${south[kind]}`,
            method === 'DELETE' ? undefined : { name: 'Mine' },
          );
          assert.deepEqual(refusal(answer), [404, 'ObjectNotFound'], `${method} ${path}`);
        }
      const many = await browser.send({
        method: 'POST',
        url: `/apps/${site.app.appId}/bulk`,
        body: { operation: 'patchBeacon', ids: [north.beacon, south.beacon], change: { name: 'Both' } },
      });
      assert.deepEqual([many.body.result.done, many.body.result.failed.length], [[north.beacon], 1]);
      const forget = (id: string) => browser.send({ method: 'DELETE', url: `/apps/${site.app.appId}/radio/${id}` });
      assert.deepEqual([(await forget(south.beacon)).status, (await forget(north.beacon)).status], [404, 200]);
      const { name } = await site.get(`beacons/${south.beacon}`);
      assert.equal(name, 'South door');
      const report = (venueId: string) => {
        const body = { venueId, every: 'week', isOn: true, administrators: [browser.adminId], addresses: [] };
        return browser.send({ method: 'POST', url: `/apps/${site.app.appId}/reports`, body });
      };
      const [ofAnother, ofNone] = [await report(south.venue), await report(absent)];
      assert.deepEqual([ofAnother.status, told(ofAnother)], [403, told(ofNone)], 'as if there were no such venue');
    });

    test('puts back what was deleted in these venues, and nothing of another one or of the app as a whole', async () => {
      const browser = await limited('manager', [{ appId: site.app.appId, venues: [north.venue] }]);
      const restore = async (who: Browser, kind: string, ids: readonly string[]) => {
        const body = { operation: 'restoreDeleted', kind, ids };
        return who.send({ method: 'POST', url: `/apps/${site.app.appId}/bulk`, body });
      };
      for (const [kind, one] of [
        ['zones', 'zone'],
        ['notifications', 'notification'],
      ] as const) {
        for (const { [one]: id } of [north, south])
          assert.equal((await owner.send({ method: 'DELETE', url: data(`/${kind}/${id}`) })).status, 200);
        const { status, body } = await restore(browser, kind, [north[one], south[one], absent]);
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(body.result.done, [north[one]], kind);
        const [hidden, unknown] = body.result.failed;
        assert.deepEqual([hidden.error, hidden.message], [unknown.error, unknown.message], 'as if it were not there');
        assert.equal((await site.ask({ method: 'GET', url: `/api/v2/${kind}/${north[one]}` })).status, 200);
        assert.deepEqual((await restore(owner, kind, [south[one]])).body.result.done, [south[one]]);
      }
      const beacon = async (venueId?: object) => {
        const place = venueId ? { venueId } : {};
        const id = await make('beacons', { name: 'Spare', uuid, major: 9, minor: people++, ...place });
        assert.equal((await owner.send({ method: 'DELETE', url: data(`/beacons/${id}`) })).status, 200);
        return id;
      };
      const [theirs, another, free] = [
        await beacon(pointer('Venue', north.venue)),
        await beacon(pointer('Venue', south.venue)),
        await beacon(),
      ];
      const { body } = await restore(browser, 'beacons', [theirs, another, free]);
      assert.deepEqual(body.result.done, [theirs]);
      const ofAll = await restore(browser, 'files', [absent]);
      assert.deepEqual(refusal(ofAll), [403, 'OperationForbidden']);
      const analyst = await limited('analyst', [{ appId: site.app.appId, venues: [north.venue] }]);
      assert.equal((await restore(analyst, 'beacons', [theirs])).status, 403);
    });

    test('a secret key whose scopes name a venue finds, counts and writes only what belongs to it', async () => {
      const of = (resource: string, verbs: readonly string[]) => ({ resource, verbs, venues: [north.venue] });
      const body = {
        name: 'Signs of the north',
        scopes: [of('beacons', ['list', 'create', 'update']), of('visits', ['list', 'get']), of('analytics', ['list'])],
      };
      const made = await owner.send({ method: 'POST', url: `/apps/${site.app.appId}/secret-keys`, body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const headers = { 'x-service-appkey': made.body.result.secretKey };
      const send = (method: 'GET' | 'POST' | 'PUT', path: string, sent?: object) =>
        site.app.send({ method, url: `/api/v2/${path}`, headers, ...(sent ? { body: sent } : {}) });
      const { body: found } = await send('GET', 'visits?count=1');
      assert.deepEqual([found.count, found.results[0].objectId], [1, north.visit]);
      const [hidden, unknown] = [await send('GET', `visits/${south.visit}`), await send('GET', `visits/${absent}`)];
      assert.deepEqual([hidden.status, told(hidden)], [404, told(unknown)]);
      assert.equal((await send('PUT', `beacons/${south.beacon}`, { name: 'Mine' })).status, 404);
      assert.equal((await send('PUT', `beacons/${north.beacon}`, { name: 'Sign' })).status, 200);
      const beacon = { name: 'New', uuid, major: 8, minor: 8 };
      assert.equal((await send('POST', 'beacons', beacon)).status, 403);
      assert.equal((await send('POST', 'beacons', { ...beacon, venueId: pointer('Venue', north.venue) })).status, 201);
      const day = new Date(site.now).toISOString().slice(0, 10);
      assert.equal((await send('GET', `analytics/visits?from=${day}`)).body.result.total.visits, 1);
    });

    test('an owner gives and takes it; it counts from the next request on, and an owner is limited to nothing', async () => {
      const browser = await limited('editor', [{ appId: otherApp }]);
      const change = (body: object) => owner.send({ method: 'PUT', url: `/administrators/${browser.adminId}`, body });
      const apps = async () => (await browser.send({ method: 'GET', url: '/session' })).body.result.apps;
      assert.deepEqual(await apps(), [{ appId: otherApp }]);
      assert.equal((await change({ apps: null })).status, 200);
      assert.equal(await apps(), null);
      assert.equal((await browser.send({ method: 'GET', url: `/apps/${site.app.appId}` })).status, 200);
      assert.equal((await change({ apps: [] })).status, 200);
      assert.deepEqual((await browser.send({ method: 'GET', url: '/apps' })).body.results, []);
      const both = await change({ role: 'owner', apps: [{ appId: otherApp }] });
      assert.deepEqual([both.status, both.body.error.details[0].field], [400, 'apps']);
      const twice = await change({ apps: [{ appId: otherApp }, { appId: otherApp }] });
      assert.deepEqual([twice.status, twice.body.error.details[0].field], [400, 'apps.1.appId']);
      assert.equal((await change({ role: 'owner' })).body.result.apps, null);
    });
  });
}
