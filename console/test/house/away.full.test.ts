import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import type { AdminRole } from '../../../server/src/access/roles.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { pointer, uuid } from '../../../server/test/support/site.ts';
import { becomes, launchBrowser, openAs, readAgain, startConsole, type Visit, visit } from '../browser.ts';
import { type Gateway, openGateway } from '../gateway.ts';

/** What a page last read is not said to be so now, and is read again by itself when the service is back. */
describe('while the service is away, pages that read by themselves', () => {
  let app: TestApp;
  let gateway: Gateway;
  let browser: Browser;
  let venueId: string;
  let beaconId: string;

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    const { headers } = await signInManager(app);
    venueId = await create(app, '/api/v2/venues', { name: 'North museum' }, headers);
    const of = pointer('Venue', venueId);
    const floorId = await create(app, '/api/v2/floors', { venueId: of, name: 'Ground floor', level: 0 }, headers);
    const polygon = [
      { x: 0, y: 0 },
      { x: 9, y: 0 },
      { x: 9, y: 9 },
    ];
    const zone = { floorId: pointer('Floor', floorId), name: 'Hall', kind: 'room', polygon };
    await create(app, '/api/v2/zones', zone, headers);
    const hall = { name: 'Hall', uuid, major: 1, minor: 1, venueId: of, location: { x: 6, y: 3, floor: 0 } };
    const beacon = await create(app, '/api/v2/beacons', hall, headers);
    await create(app, '/api/v2/installations', { installationId: 'phone', deviceType: 'ios' });
    beaconId = beacon;
    const body = { installationId: 'phone', sightings: [{ beacon, event: 'ENTER' }] };
    assert.equal((await app.send({ method: 'POST', url: '/api/v2/sightings', body })).status, 200);
    const push = { generate: true, subject: 'mailto:ops@museum.example' };
    await app.app.senders.save({ appId: app.appId, kind: 'webpush' }, push, service);
    gateway = await openGateway(started.origin);
    browser = await launchBrowser();
  });
  afterEach(async () => {
    await gateway.stop();
    await gateway.start();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    await app?.close();
  });

  const as = (role: AdminRole) => openAs(browser, { app, origin: gateway.origin, role });
  async function asLimited(): Promise<Visit> {
    const account = { email: 'limited@museum.example', password: 'a long enough secret' };
    const apps = [{ appId: app.appId, venues: [venueId] }];
    const admin = { ...account, name: 'Limited', role: 'manager' as const, apps };
    await app.app.admins.create(admin, { name: 'test', address: null });
    const visited = await visit(browser, gateway.origin);
    const headers = { origin: gateway.origin };
    const answer = await visited.context.request.post('/console/api/session', { data: account, headers });
    assert.equal(answer.status(), 201);
    return visited;
  }

  test('do not say on the home page that all is well', async () => {
    const { page, context } = await as('editor');
    await page.goto(`/console/apps/${app.appId}/home`);
    const calm = page.getByText('All is well.');
    await calm.waitFor();
    await page.getByRole('heading', { name: 'Live now' }).waitFor();
    await gateway.stop();
    await page.getByText('no connection, trying again').waitFor();
    await calm.waitFor({ state: 'detached' });
    // The visitors are those of before.
    await page.getByText('The service does not answer.').first().waitFor();
    await gateway.start();
    await calm.waitFor();
    await page.getByText('The service does not answer.').first().waitFor({ state: 'detached' });
    await context.close();
  });

  test('do not say of the system that everything is working', async () => {
    const { page, context } = await as('owner');
    await page.goto('/console/system');
    const calm = page.getByText('Everything is working.');
    await calm.waitFor();
    await gateway.stop();
    await readAgain(page);
    await page.getByText('The service does not answer.').first().waitFor();
    assert.equal(await calm.count(), 0);
    await gateway.start();
    await calm.waitFor();
    await context.close();
  });

  test('do not say on a live plan without a stream that it is live', async () => {
    await app.app.apps.change(app.appId, { policy: { oneZone: true, smallGroups: 'shown' } }, service);
    const { page, context } = await asLimited();
    await page.goto(`/console/apps/${app.appId}/activity/analytics/plan?show=now`);
    await page.getByText(/visitors? in the zones of this floor now\./).waitFor();
    await gateway.stop();
    await page.getByText(/visitors? in the zones of this floor now \(connecting …\)\./).waitFor();
    await gateway.start();
    await page.getByText(/visitors? in the zones of this floor now\./).waitFor();
    await context.close();
  });

  test('notice a connection of which nothing is heard any more, and catch up', async () => {
    const { page, context } = await as('editor');
    await page.clock.install();
    await page.goto(`/console/apps/${app.appId}/home`);
    const live = page.getByText('live', { exact: true });
    const entered = page.getByText(/Entered/);
    await live.waitFor();
    await entered.first().waitFor();
    const before = await entered.count();
    gateway.forget();
    await create(app, '/api/v2/installations', { installationId: 'late', deviceType: 'ios' });
    const body = { installationId: 'late', sightings: [{ beacon: beaconId, event: 'ENTER' }] };
    assert.equal((await app.send({ method: 'POST', url: '/api/v2/sightings', body })).status, 200);
    await page.clock.fastForward(46_000);
    await page.getByText('no connection, trying again').waitFor();
    await page.clock.fastForward(6_000);
    await live.waitFor();
    await becomes(() => entered.count(), before + 1);
    await context.close();
  });
});
