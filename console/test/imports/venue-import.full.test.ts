import assert from 'node:assert/strict';
import type { Beacon, Floor, Zone } from '@pharos/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { create } from '../../../server/test/support/cases.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';

const triangle = [
  { x: 0, y: 0 },
  { x: 4, y: 0 },
  { x: 4, y: 3 },
];

describe('the file of a venue', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    page = visited.page;
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const records = async (path: string) =>
    (await app.send({ method: 'GET', url: `/api/v2/${path}`, headers })).body.results;
  const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

  async function take(venueId: string, name: string, text: string, result: string) {
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}/import`);
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.getByRole('button', { name: /^Import / }).click();
    const sentence = page.getByText(/rows are in/);
    const isOver = async () => {
      const text = await sentence.innerText();
      return text === result || text.includes('failed') ? text : undefined;
    };
    await becomes(async () => (await isOver()) !== undefined, true);
    assert.equal(await sentence.innerText(), result);
  }

  test('with many walls and gateways of one floor is in at the first try', async () => {
    const venueId = await create(app, '/api/v2/venues', { name: 'Town hall' }, headers);
    const line = (n: number) => ({
      type: 'LineString',
      coordinates: [
        [n, 0],
        [n, -5],
      ],
    });
    const features = [
      { feature_type: 'level', id: 'l', properties: { name: 'Ground floor', ordinal: 0 } },
      ...Array.from({ length: 60 }, (_, n) => ({
        feature_type: 'wall',
        geometry: line(n),
        properties: { level_id: 'l' },
      })),
      ...Array.from({ length: 30 }, (_, n) => ({
        feature_type: 'gateway',
        geometry: { type: 'Point', coordinates: [n, 0] },
        properties: { level_id: 'l', name: `Gateway ${n}` },
      })),
    ];
    const text = JSON.stringify({ type: 'FeatureCollection', units: 'metres', features });
    await take(venueId, 'hall.geojson', text, '91 of 91 rows are in.');
    const [floor] = (await records('floors')) as Floor[];
    assert.deepEqual([floor?.name, floor?.walls?.length, floor?.gateways?.length], ['Ground floor', 60, 30]);
  });

  test('that numbers its floors anew, to make room for one between them, moves no zone and no floor elsewhere', async () => {
    const venueId = await create(app, '/api/v2/venues', { name: 'Library' }, headers);
    const polygon = [
      { x: 0, y: 0 },
      { x: 4, y: 0 },
      { x: 4, y: 3 },
    ];
    const floors: string[] = [];
    for (const level of [0, 1, 2, 3, 4, 5]) {
      const body = { venueId: pointer('Venue', venueId), name: `Floor ${level}`, level };
      const floorId = await create(app, '/api/v2/floors', body, headers);
      floors.push(floorId);
      const zone = { floorId: pointer('Floor', floorId), name: 'Hall', kind: 'room', polygon };
      await create(app, '/api/v2/zones', zone, headers);
      const numbers = { uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: level };
      const place = { venueId: pointer('Venue', venueId), location: { x: 3, y: 1, floor: level } };
      await create(app, '/api/v2/beacons', { name: `Beacon ${level}`, ...numbers, ...place }, headers);
    }
    const rows = [
      'type;objectId;name;level;corners',
      ...floors.map((id, level) => `floor;${id};Floor ${level};${level === 0 ? 0 : level + 1};`),
      'floor;;Mezzanine;1;',
      ...floors.map((_, level) => `zone;;Hall;${level === 0 ? 0 : level + 1};"0 0; 4 0; 4 3"`),
      'zone;;Café;1;"0 0; 4 0; 4 3"',
    ];
    await take(venueId, 'library.csv', rows.join('\n'), '7 of 7 rows are in.');
    const now = (await records(`floors?where={"venueId":${JSON.stringify(pointer('Venue', venueId))}}`)) as Floor[];
    assert.deepEqual(now.map(({ name, level }) => `${level} ${name}`).sort(), [
      '0 Floor 0',
      '1 Mezzanine',
      '2 Floor 1',
      '3 Floor 2',
      '4 Floor 3',
      '5 Floor 4',
      '6 Floor 5',
    ]);
    const zones = (await records('zones')) as Zone[];
    const on = (floorId: string) => zones.filter((zone) => zone.floorId.objectId === floorId).map(({ name }) => name);
    assert.deepEqual(now.map(({ objectId, level }) => [level, on(objectId)]).sort(), [
      [0, ['Hall']],
      [1, ['Café']],
      [2, ['Hall']],
      [3, ['Hall']],
      [4, ['Hall']],
      [5, ['Hall']],
      [6, ['Hall']],
    ]);
    const beacons = (await records('beacons?order=minor')) as Beacon[];
    const levelOf = ({ location }: Beacon) => (location as { readonly floor?: unknown } | undefined)?.floor;
    assert.deepEqual(beacons.map(levelOf), [0, 2, 3, 4, 5, 6], 'each beacon comes along with its floor');
    assert.ok(beacons.every(({ zoneId }) => zoneId !== undefined));
  });

  test('that is cut short while the beacons of a floor come along is finished by the next try, also after a reload', async () => {
    const venueId = await create(app, '/api/v2/venues', { name: 'Tower' }, headers);
    const floor = { venueId: pointer('Venue', venueId), name: 'Top', level: 1 };
    const floorId = await create(app, '/api/v2/floors', floor, headers);
    const zone = { floorId: pointer('Floor', floorId), name: 'Room', kind: 'room', polygon: triangle };
    const zoneId = await create(app, '/api/v2/zones', zone, headers);
    for (const minor of [1, 2, 3, 4]) {
      const numbers = { uuid: 'D9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 8, minor };
      const place = { venueId: pointer('Venue', venueId), location: { x: 3, y: 1, floor: 1 } };
      await create(app, '/api/v2/beacons', { name: `Lamp ${minor}`, ...numbers, ...place }, headers);
    }
    const choose = (level: number) =>
      page.locator('input[type=file]').setInputFiles({
        name: 'tower.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`type;objectId;name;level;corners\nfloor;${floorId};Top;${level};\n`),
      });
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    // As if the service was killed: the second beacon is not answered any more, and nothing after it.
    let left = 1;
    await page.route(/\/v2\/(beacons|floors)/, (route) =>
      ['PUT', 'PATCH'].includes(route.request().method()) && --left < 0 ? route.abort() : route.continue(),
    );
    const cutShort = async (level: number) => {
      left = 1;
      await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}/import`);
      await choose(level);
      await press('Import 1');
      await page.getByText('0 of 1 rows are in, 1 failed.').waitFor();
      left = Number.POSITIVE_INFINITY;
    };
    const assertAt = async (level: number) => {
      const { results } = (await app.send({ method: 'GET', url: `/api/v2/floors?where={"name":"Top"}`, headers })).body;
      const lamps = (await records('beacons?where={"major":8}')) as Beacon[];
      assert.deepEqual(
        [results[0].level, ...lamps.map(({ location, zoneId }) => [location?.floor, zoneId?.objectId])],
        [level, ...lamps.map(() => [level, zoneId])],
      );
    };
    await cutShort(2);
    await press('Try 1 again');
    await page.getByText('1 of 1 rows are in.').waitFor();
    await assertAt(2);
    await cutShort(3);
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}`);
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}/import`);
    await choose(3);
    await press('Import 1');
    await page.getByText('1 of 1 rows are in.').waitFor();
    await assertAt(3);
    await create(app, '/api/v2/floors', { ...floor, name: 'Roof', level: 4 }, headers);
    // The second one is refused only when the beacons have gone ahead.
    const error = { code: 142, name: 'ValidationError', status: 400, error: 'Not today.', requestId: '-', details: [] };
    const refuse = () =>
      page.route(`**/v2/floors/${floorId}`, (route) =>
        route.request().method() === 'GET'
          ? route.continue()
          : route.fulfill({ status: 400, json: { code: 142, error } }),
      );
    for (const level of [4, 5]) {
      if (level === 5) await refuse();
      await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}`);
      await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}/import`);
      await choose(level);
      await press('Import 1');
      await page.getByText('0 of 1 rows are in, 1 failed.').waitFor();
      await assertAt(3);
    }
    await page.unroute(`**/v2/floors/${floorId}`);
    await page.unroute(/\/v2\/(beacons|floors)/);
  });

  test('takes back and doubles nothing that others have done since the preview', async () => {
    const venueId = await create(app, '/api/v2/venues', { name: 'Castle', capacity: 10 }, headers);
    const door = [{ name: 'Door', x: 0, y: 0 }];
    const cellar = { venueId: pointer('Venue', venueId), name: 'Cellar', level: -1, gateways: door };
    const floorId = await create(app, '/api/v2/floors', cellar, headers);
    const zoneOf = (name: string) => ({ floorId: pointer('Floor', floorId), name, kind: 'room', polygon: triangle });
    const zoneId = await create(app, '/api/v2/zones', zoneOf('Vault'), headers);
    const beacon = { name: 'Arch', uuid: 'C9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 7, minor: 1 };
    const beaconId = await create(app, '/api/v2/beacons', beacon, headers);
    const on = { level_id: floorId };
    const zone = { type: 'Polygon', coordinates: [[...triangle, triangle[0]].map((at) => [at?.x, -(at?.y ?? 0)])] };
    const line = {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [9, 0],
      ],
    };
    const at = (x: number) => ({ type: 'Point', coordinates: [x, -1] });
    const features = [
      { feature_type: 'venue', id: venueId, properties: { name: 'Castle', capacity: 20 } },
      { feature_type: 'level', id: floorId, properties: { name: 'Old cellar', ordinal: -1 } },
      { feature_type: 'unit', id: zoneId, geometry: zone, properties: { ...on, name: 'Treasury' } },
      { feature_type: 'unit', geometry: zone, properties: { ...on, name: 'Prison', category: 'room' } },
      { feature_type: 'unit', geometry: zone, properties: { ...on, name: 'Well', category: 'room' } },
      { feature_type: 'wall', geometry: line, properties: on },
      { feature_type: 'gateway', geometry: at(5), properties: { ...on, name: 'Door' } },
      { feature_type: 'gateway', geometry: at(6), properties: { ...on, name: 'Stairs' } },
      { feature_type: 'beacon', id: beaconId, geometry: at(1), properties: { ordinal: -1, name: 'Arch of the king' } },
      { feature_type: 'beacon', geometry: at(2), properties: { ...beacon, minor: 2, ordinal: -1, name: 'Niche' } },
    ];
    const text = JSON.stringify({ type: 'FeatureCollection', units: 'metres', features });
    await goTo(page, `/console/apps/${app.appId}/beacons/venues/${venueId}/import`);
    const file = { name: 'castle.geojson', mimeType: 'text/plain', buffer: Buffer.from(text) };
    await page.locator('input[type=file]').setInputFiles(file);
    const confirm = page.getByRole('button', { name: /^Import / });
    await confirm.waitFor();

    const change = async (path: string, payload: object) => {
      const { status } = await app.send({ method: 'PATCH', url: `/api/v2/${path}`, headers, body: payload });
      assert.equal(status, 200);
    };
    await change(`venues/${venueId}`, { capacity: 30 });
    const gateways = [
      { name: 'Door', x: 2, y: 2 },
      { name: 'Stairs', x: 6, y: 1 },
    ];
    const walls = [{ points: line.coordinates.map(([x, y]) => ({ x, y })) }];
    await change(`floors/${floorId}`, { name: 'Dungeon', gateways, walls });
    await change(`zones/${zoneId}`, { name: 'Safe' });
    await create(app, '/api/v2/zones', zoneOf('Prison'), headers);
    await create(app, '/api/v2/zones', { ...zoneOf('Well'), kind: 'shop' }, headers);
    await change(`beacons/${beaconId}`, { name: 'Gate' });
    await create(app, '/api/v2/beacons', { ...beacon, minor: 2, name: 'Corner' }, headers);

    await confirm.click();
    const sentence = page.getByText(/rows are in/);
    await becomes(() => sentence.innerText().then((text) => / 10 .*7 .*failed/s.test(text) || text), true);
    const [venue] = (await records(`venues?where={"objectId":"${venueId}"}`)) as { readonly capacity: number }[];
    const [floor] = (await records(`floors?where={"objectId":"${floorId}"}`)) as Floor[];
    assert.deepEqual([venue?.capacity, floor?.name], [30, 'Dungeon']);
    assert.deepEqual([floor?.gateways, floor?.walls], [gateways, walls]);
    const zones = (await records('zones?limit=100')) as Zone[];
    const names = zones.filter((zone) => zone.floorId.objectId === floorId).map(({ name, kind }) => `${name} ${kind}`);
    assert.deepEqual(names.sort(), ['Prison room', 'Safe room', 'Well shop']);
    const beacons = (await records('beacons?where={"major":7}')) as Beacon[];
    assert.deepEqual(beacons.map(({ name }) => name).sort(), ['Corner', 'Gate']);
    assert.equal(await page.getByText(/^Somebody else has (changed|added)/).count(), 7);
  });
});
