import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../../server/src/access/audit.ts';
import { signInManager, type TestApp } from '../../../server/test/support/build-app.ts';
import { pointer } from '../../../server/test/support/site.ts';
import { assertAccessible } from '../axe.ts';
import { becomes, goTo, launchBrowser, openAs, startConsole, type Visit } from '../browser.ts';
import { houseOf } from './house.ts';

const minute = 60_000;
const day = 1440 * minute;
type Row = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, string>>;

/** Every plot of every page: what is drawn, what its table and its files say, against the answers of the interface. */
describe('plots and the numbers of the interface', () => {
  let app: TestApp;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let paper: Page;
  let colleague: Visit;
  let headers: Readonly<Record<string, string>>;
  let venue: string;
  let floor: string;
  let shopBeacon: string;
  let today: string;
  const { make, report, makeHouse, savedBy } = houseOf(() => ({ page, app, headers }));

  beforeAll(async () => {
    const started = await startConsole();
    app = started.app;
    headers = (await signInManager(app)).headers;
    browser = await launchBrowser();
    visited = await openAs(browser, { ...started, role: 'owner' });
    colleague = await openAs(browser, { ...started, role: 'analyst' });
    page = visited.page;
    paper = await (await browser.newContext()).newPage();
    await fill();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** Six were in the hall and then in the shop today, and four yesterday; a message leads to the shop. */
  async function fill(): Promise<void> {
    // A zone in which it is about noon, so that no day ends in the middle, and in which the clocks never change.
    const now = Date.now();
    const east = 12 - new Date(now).getUTCHours();
    const timeZone = `Etc/GMT${east < 0 ? '+' : '-'}${Math.abs(east)}`;
    today = new Date(now + east * 60 * minute).toISOString().slice(0, 10);
    await app.app.apps.change(app.appId, { policy: { timeZone } }, service);
    const house = await makeHouse();
    [venue, floor] = [house.venueId.objectId, house.floorId.objectId];
    const openingHours = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((dayName) => ({
      dayName,
      from: '10:00',
      until: '18:00',
    }));
    const url = `/api/v2/venues/${venue}`;
    assert.equal((await app.send({ method: 'PUT', url, headers, body: { openingHours } })).status, 200);
    const beacons = (await app.send({ method: 'GET', url: '/api/v2/beacons?order=minor', headers })).body.results;
    const [hall, shop] = beacons.map(({ objectId }: { objectId: string }) => objectId) as [string, string];
    shopBeacon = shop;
    const goal = { kind: 'visit', beaconId: shop, withinHours: 3 };
    const message = { alertTitle: 'Posters', alertMessage: 'In the shop.' };
    const about = { beaconId: pointer('Beacon', hall), event: 'ENTER', type: 'TEXT', isEnabled: true };
    await make('/notifications', { ...about, description: 'Posters', message, goal, holdout: 30 });
    await make('/notifications', { ...about, description: 'Soup', message });
    for (let phone = 0; phone < 6; phone++) {
      const deviceToken = `token-${phone}`.padEnd(140, 'y');
      await make('/installations', { installationId: `p${phone}`, deviceType: 'android', deviceToken });
    }
    for (const [ago, phones] of [
      [day, 4],
      [0, 6],
    ] as const)
      for (const [beacon, event, minutes, each] of [
        [hall, 'ENTER', -60, 0],
        [hall, 'EXIT', -50, 1],
        [shop, 'ENTER', -40, 0],
        [shop, 'EXIT', -30, 2],
      ] as const)
        for (let phone = 0; phone < phones; phone++) {
          // Somebody does not go to the shop.
          if (phone === 1 && beacon === shop) continue;
          app.clock.now = now - ago + (minutes + each * phone) * minute;
          await report(`p${phone}`, [{ beacon, event, occurredAt: app.clock.now }]);
        }
    app.clock.now = now;
    await app.app.rollups.settle(app.appId);
  }

  async function told(what: string, query: Query) {
    const url = `/api/v2/analytics/${what}?${new URLSearchParams(query)}`;
    const answer = await app.send({ method: 'GET', url, headers });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.result;
  }
  const dateIn = (days: number, from = today) =>
    new Date(Date.parse(`${from}T12:00:00Z`) + days * day).toISOString().slice(0, 10);
  const ofDay = (from = today) => ({ from, until: dateIn(1, from) });
  function ofWeek() {
    const from = dateIn(-((new Date(`${today}T12:00:00Z`).getUTCDay() + 6) % 7));
    return { from, until: dateIn(7, from) };
  }
  const path = (rest: string) => `/console/apps/${app.appId}/activity/${rest}`;
  /** Each row with all its cells, also where the table is folded. */
  async function cells(name: string, on = page): Promise<string[][]> {
    const table = on.getByRole('table', { name, exact: true, includeHidden: true });
    await table.waitFor({ state: 'attached' });
    const text = await table.evaluate((element) =>
      JSON.stringify(
        [...(element as unknown as { rows: Iterable<{ cells: Iterable<{ textContent: string }> }> }).rows].map((row) =>
          [...row.cells].map(({ textContent }) => textContent),
        ),
      ),
    );
    return (JSON.parse(text) as string[][]).slice(1);
  }
  const columns = (rows: readonly (readonly string[])[], ...wanted: number[]) =>
    rows.map((row) => wanted.map((at) => row[at] ?? '').join(' '));
  const texts = (rows: readonly Row[], ...members: string[]) =>
    rows.map((row) => members.map((member) => String(row[member] ?? '–')).join(' '));
  const drawn = (label: string) => page.locator(`[role=img][aria-label="${label}"][data-drawn=true]`).waitFor();

  interface Told {
    readonly from: string;
    readonly until: string;
    readonly rows: readonly Row[];
  }

  /**
   * Metrics have the names of the interface, durations with their unit, and its values: those of the period, and below them those of the
   * one that it is compared with. A place that was chosen is named.
   */
  async function assertCsv(button: string, periods: readonly Told[], metrics: readonly string[], place?: string) {
    const lines = (await savedBy(button)).toString().trimEnd().split('\r\n');
    const [header = [], ...saved] = lines.map((line) => line.split(','));
    const rows = periods.flatMap(({ from, until, rows }) =>
      rows.map((row) => ({ periodFrom: from, periodUntil: until, ...row, ...(place ? { placeName: place } : {}) })),
    );
    assert.equal(saved.length, rows.length, button);
    const members = header.map((column) => column.replace(/Seconds$/, ''));
    assert.deepEqual(
      members.filter((name) => /^(dwell|time)/.test(name) && header.includes(name)),
      [],
    );
    for (const metric of [...metrics, 'periodFrom', ...(place ? ['placeName'] : [])])
      assert.ok(members.includes(metric), `${button}: ${metric} in ${header}`);
    for (const [index, told] of rows.entries())
      for (const [column, name] of members.entries()) {
        const row: Row = told;
        const value = row[name];
        if (name in row && (value === null || typeof value !== 'object'))
          assert.equal(saved[index]?.[column], String(value ?? ''), `${button}: ${name} of row ${index}`);
      }
  }

  /** Lengths of the bars of a saved drawing, along its axis. */
  async function bars(label: string, fill: string, along: 'x' | 'y'): Promise<number[]> {
    const svg = (await savedBy(`${label}: save as SVG`)).toString();
    assert.match(svg, /^<svg/);
    assert.equal((await savedBy(`${label}: save as PNG`)).subarray(1, 4).toString(), 'PNG');
    await paper.setContent(svg);
    const boxes = (await paper.evaluate(`[...document.querySelectorAll('path')]
      .filter((path) => path.getAttribute('fill')?.toLowerCase() === ${JSON.stringify(fill.toLowerCase())})
      .map((path) => path.getBBox()).map(({ x, y, width, height }) => ({ x, y, width, height }))`)) as readonly {
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    }[];
    const bars = boxes.filter(({ width, height }) => width > 1 && height > 1);
    if (along === 'x') return bars.toSorted((a, b) => a.y - b.y).map(({ width }) => width);
    // The legend has the colour of the bars, and does not stand on the axis.
    const axis = Math.max(...bars.map(({ y, height }) => y + height));
    const standing = bars.filter(({ y, height }) => y + height > axis - 1);
    return standing.toSorted((a, b) => a.x - b.x).map(({ height }) => height);
  }
  /** As long as the values are large; what is zero has no bar. */
  function assertProportional(lengths: readonly number[], values: readonly number[], label: string): void {
    const large = values.filter((value) => value > 0);
    const [longest, most] = [Math.max(...lengths), Math.max(...large)];
    assert.deepEqual(
      lengths.map((length) => Math.round((100 * length) / longest) / 100),
      large.map((value) => Math.round((100 * value) / most) / 100),
      label,
    );
  }
  const colourOf = (name: string) =>
    page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('${name}').trim()`) as Promise<string>;
  const main = () => colourOf('--mantine-color-blue-6');

  /** Whoever gets the address reads the same. */
  async function assertShared(table: string): Promise<void> {
    const { pathname, search } = new URL(page.url());
    await colleague.page.goto(pathname + search);
    const own = await cells(table);
    await becomes(() => cells(table, colleague.page), own);
  }

  const metrics = ['visitors', 'newVisitors', 'returningVisitors', 'visits', 'dwellMedian', 'dwellTotal'];
  const ofRooms = metrics.filter((metric) => !/^new|^returning/.test(metric));

  test('Numbers of a day: bars, table, CSV and address; closed hours are shaded', async () => {
    await goTo(page, path(`analytics?unit=day&venue=${venue}`));
    await drawn('Visitors by hour');
    const hours = await told('visits', { ...ofDay(), interval: 'hour', venueId: venue, compare: 'previous' });
    const { rows, previous } = hours;
    assert.equal(Math.max(...rows.map(({ visitors }: { visitors: number }) => visitors)), 6);
    const seen = await cells('Visitors by hour');
    assert.deepEqual(columns(seen, 1, 2, 3, 4), texts(rows, 'visitors', 'newVisitors', 'returningVisitors', 'visits'));
    assert.deepEqual(columns(seen, 7), texts(previous.rows, 'visitors'), 'beside the hours of the day before');
    const lengths = await bars('Visitors by hour', await main(), 'y');
    assertProportional(
      lengths,
      rows.map(({ visitors }: { visitors: number }) => visitors),
      'visitors',
    );
    // Open for eight of the hours.
    assert.equal((await bars('Visitors by hour', await colourOf('--line'), 'y')).length, rows.length - 8);
    await page.getByText('Shaded: when House is closed.').waitFor();
    await assertCsv('Visitors by hour: save as CSV', [hours, previous], metrics, 'House');
    const places = await told('visits', { ...ofDay(), groupBy: 'floor', venueId: venue });
    await assertCsv('Floors: save as CSV', [places], ofRooms, 'House');
    await assertShared('Visitors by hour');
  });

  test('Numbers of a zone or beacon: nobody is said to be new or to return, on the page, in the table or in the file', async () => {
    const zones = (await app.send({ method: 'GET', url: '/api/v2/zones', headers })).body.results;
    const shop = zones.find(({ name }: { name: string }) => name === 'Shop').objectId;
    for (const [kind, id, name] of [
      ['zone', shop, 'Shop'],
      ['beacon', shopBeacon, 'Shop beacon'],
    ] as const) {
      await goTo(page, path(`analytics?unit=week&${kind}=${id}`));
      await drawn('Visitors by day');
      const days = await told('visits', { ...ofWeek(), interval: 'day', compare: 'previous', [`${kind}Id`]: id });
      const figures = page.getByRole('list', { name: 'Figures of the period' }).locator('li > span');
      assert.deepEqual(await figures.allTextContents(), ['Visitors', 'Visits', 'Stay (median)']);
      const table = page.getByRole('table', { name: 'Visitors by day', includeHidden: true });
      assert.deepEqual(await table.locator('thead th').allTextContents(), [
        'When',
        'Visitors',
        'Visits',
        'Stay (median)',
        'Usually',
        'Compared with',
      ]);
      assert.deepEqual(columns(await cells('Visitors by day'), 1, 2), texts(days.rows, 'visitors', 'visits'));
      const saved = (await savedBy('Visitors by day: save as CSV')).toString();
      assert.doesNotMatch(saved, /newVisitors|returningVisitors/);
      await assertCsv('Visitors by day: save as CSV', [days, days.previous], ofRooms, name);
    }
  });

  test('Numbers of a week: days, hours of the week, and stays', async () => {
    await goTo(page, path('analytics?unit=week'));
    await drawn('Visitors by day');
    const days = await told('visits', { ...ofWeek(), interval: 'day', compare: 'previous' });
    const { rows, distribution } = days;
    assert.deepEqual(columns(await cells('Visitors by day'), 1, 4), texts(rows, 'visitors', 'visits'));
    assertProportional(
      await bars('Visitors by day', await main(), 'y'),
      rows.map(({ visitors }: { visitors: number }) => visitors),
      'days',
    );
    await assertCsv('Visitors by day: save as CSV', [days, days.previous], metrics);
    await drawn('Visits by stay');
    assert.deepEqual(columns(await cells('Visits by stay'), 1), texts(distribution, 'visits'));
    assertProportional(
      await bars('Visits by stay', await main(), 'y'),
      distribution.map(({ visits }: { visits: number }) => visits),
      'stays',
    );
    await assertCsv('Visits by stay: save as CSV', [{ ...ofWeek(), rows: distribution }], ['visits', 'from', 'until']);
    const label = 'Visitors by hour and day of the week';
    await drawn(label);
    const hours = (await told('visits', { ...ofWeek(), interval: 'hourOfWeek' })).rows;
    const at = (weekday: number, hour: number) =>
      hours.find((row: Row) => row['weekday'] === weekday && row['hour'] === hour)?.visitors;
    assert.deepEqual(
      (await cells(label)).map((row) => row.slice(1)),
      Array.from({ length: 24 }, (_, hour) => [1, 2, 3, 4, 5, 6, 7].map((weekday) => String(at(weekday, hour)))),
    );
    await assertCsv(`${label}: save as CSV`, [{ ...ofWeek(), rows: hours }], metrics);
    assert.match((await savedBy(`${label}: save as SVG`)).toString(), /^<svg/);
    await assertShared(label);
  });

  for (const [show, member, label] of [
    ['visits', 'visits', /^Visits on Ground floor/],
    ['time', 'dwellTotal', /^Time that visitors spent on Ground floor/],
  ] as const)
    test(`On the plan, ${show}: colours, table, files and address, beside the day before`, async () => {
      await goTo(page, path(`analytics/plan?unit=day&show=${show}&floor=${floor}&compare=previous`));
      await page.getByRole('img', { name: label }).waitFor();
      const asked = { floorId: floor, groupBy: 'zone' };
      const [now, past] = [
        await told('visits', { ...ofDay(), ...asked }),
        await told('visits', { ...ofDay(dateIn(-1)), ...asked }),
      ];
      const zones = new Map<string, string>(
        (await app.send({ method: 'GET', url: '/api/v2/zones', headers })).body.results.map(
          ({ objectId, name }: { objectId: string; name: string }) => [objectId, name],
        ),
      );
      const of = ({ rows }: { rows: readonly Row[] }) =>
        rows.map((row) => `${zones.get(String(row['zoneId']))} ${row['visitors']} ${row['visits']}`).sort();
      await becomes(async () => columns(await cells('Zones of the floor'), 0, 2, 3).sort(), of(now));
      if (show === 'visits') {
        const before = past.rows.map((row: Row) => `${zones.get(String(row['zoneId']))} ${row['visits']}`).sort();
        await becomes(
          async () => (await cells('Zones of the floor')).map((row) => `${row[0]} ${row.at(-1)}`).sort(),
          before,
        );
      }
      const most = Math.max(...now.rows.map((row: Row) => Number(row[member])));
      const opacities = (await page.evaluate(
        "[...document.querySelectorAll('polygon')].map((zone) => zone.getAttribute('fill-opacity'))",
      )) as readonly string[];
      const shades = opacities.map(Number);
      assert.deepEqual(
        shades.toSorted((a, b) => a - b).map((shade) => shade.toFixed(3)),
        now.rows
          .map((row: Row) => 0.04 + (0.4 * Number(row[member])) / most)
          .sort((a: number, b: number) => a - b)
          .map((shade: number) => shade.toFixed(3)),
      );
      await assertCsv('CSV', [now, past], ofRooms, 'Ground floor');
      assert.match((await savedBy('SVG')).toString(), /^<svg/);
      assert.equal((await savedBy('PNG')).subarray(1, 4).toString(), 'PNG');
      await assertShared('Zones of the floor');
    });

  test('Ways: the table, paths, times, files and address, beside the day before', async () => {
    // A page that has no width yet.
    const setWidth = (width: string) => page.evaluate(`document.getElementById('page').style.width = '${width}'`);
    await goTo(page, path('analytics/peaks?unit=day'));
    await page.locator('#page').waitFor();
    await setWidth('0');
    await goTo(page, path('analytics/ways?unit=day'));
    await page.locator('[role=img][aria-label="Ways between zones"][data-drawn=true]').waitFor({ state: 'attached' });
    await setWidth('');
    await drawn('Ways between zones');
    assert.deepEqual(visited.complaints, []);
    await page.getByRole('combobox', { name: 'Comparison' }).selectOption({ label: 'Compared with the period before' });
    const [now, past] = [await told('flows', ofDay()), await told('flows', ofDay(dateIn(-1)))];
    const keyOf = ({ from, to }: Row) => JSON.stringify([from, to]);
    const before = new Map(past.moves.map((move: Row) => [keyOf(move), move['tours']]));
    await becomes(
      async () => columns(await cells('Ways between zones'), 2, 3, 5),
      now.moves.map((move: Row) => `${move['tours']} ${move['visitors']} ${before.get(keyOf(move)) ?? 0}`),
    );
    assert.ok([...before.values()].includes(3), 'three went from the hall to the shop yesterday');
    const flowsOf = (kind: 'moves' | 'reaches') => [
      { ...ofDay(), rows: now[kind] },
      { ...ofDay(dateIn(-1)), rows: past[kind] },
    ];
    await assertCsv('Ways between zones: save as CSV', flowsOf('moves'), ['tours', 'visitors', 'timeMedian']);
    assert.match((await savedBy('Ways between zones: save as SVG')).toString(), /Hall/);
    assert.equal((await savedBy('Ways between zones: save as PNG')).subarray(1, 4).toString(), 'PNG');
    await assertCsv('Times between zones: save as CSV', flowsOf('reaches'), ['tours', 'timeUpperQuartile']);
    const { paths } = await told('paths', ofDay());
    await assertCsv('The commonest paths: save as CSV', [{ ...ofDay(), rows: paths }], ['tours', 'visitors', 'isCut']);
    assert.match(page.url(), /compare=previous/);
    await assertShared('Ways between zones');
    await assertAccessible(page);
    await goTo(page, path(`analytics/ways?unit=day&beacon=${shopBeacon}`));
    await page.getByText('these are the ways of the zones in which this beacon was').waitFor();
    const own = await told('flows', { ...ofDay(), beaconId: shopBeacon });
    assert.ok(own.moves.length > 0 && own.moves.length < now.moves.length);
    await becomes(async () => columns(await cells('Ways between zones'), 2, 3), texts(own.moves, 'tours', 'visitors'));
  });

  test('Peaks and waits: bars, table, files and address, beside the day before', async () => {
    await goTo(page, path(`analytics/peaks?unit=day&floor=${floor}&compare=previous`));
    const label = 'Most visitors at once by place';
    await drawn(label);
    const asked = { interval: 'hour', floorId: floor };
    const [now, past] = [
      await told('peaks', { ...ofDay(), ...asked }),
      await told('peaks', { ...ofDay(dateIn(-1)), ...asked }),
    ];
    const maxOf = ({ rows }: { rows: readonly Row[] }) => {
      const most = new Map<unknown, number>();
      for (const row of rows) most.set(row['zoneId'], Math.max(most.get(row['zoneId']) ?? 0, Number(row['peak'])));
      return most;
    };
    const [peaks, before] = [maxOf(now), maxOf(past)];
    await becomes(
      async () => columns(await cells(label), 1, 5).sort(),
      [...peaks].map(([zone, peak]) => `${peak} ${before.get(zone) ?? 0}`).sort(),
    );
    assert.deepEqual([...peaks.values()].sort(), [5, 6]);
    assertProportional(
      await bars(label, await main(), 'x'),
      [...peaks.values()].sort((a, b) => b - a),
      label,
    );
    assert.equal((await bars(label, '#b4c0cd', 'x')).length, 2, 'and those of the day before');
    await assertCsv(
      `${label}: save as CSV`,
      [
        { ...ofDay(), ...now },
        { ...ofDay(dateIn(-1)), ...past },
      ],
      ['peak'],
      'Ground floor',
    );
    await assertShared(label);
    await assertAccessible(page);
    await goTo(page, path(`analytics/peaks?unit=day&beacon=${shopBeacon}`));
    const own = await told('peaks', { ...ofDay(), interval: 'hour', beaconId: shopBeacon });
    const most = Math.max(...own.rows.map(({ peak }: Row) => Number(peak)));
    await becomes(async () => (await cells(label)).map(([place, peak]) => `${place} ${peak}`), [`Shop beacon ${most}`]);
    await page.getByText('is told of zones, not of one beacon').waitFor();
    await assertCsv(`${label}: save as CSV`, [{ ...ofDay(), ...own }], ['peak'], 'Shop beacon');
  });

  test('Messages: shares, messages per visitor, table, files and address', async () => {
    await goTo(page, path('messages?unit=week'));
    const { messages, load } = await told('messages', ofWeek());
    assert.equal(messages.length, 2);
    const groups = messages.flatMap((one: { groups: Row[] }) => one.groups);
    await drawn('Posters: by group');
    assert.deepEqual(
      columns(await cells('All messages'), 1, 2, 3, 4, 6),
      texts(groups, 'reached', 'shown', 'openedBy', 'acted', 'withdrawn'),
    );
    const shares = ['reached', 'acted', 'share', 'shareLow', 'shareHigh'];
    await assertCsv('All messages: save as CSV', [{ ...ofWeek(), rows: groups }], shares);
    const posters = messages.find(({ name }: { name: string }) => name === 'Posters');
    await assertCsv('Posters: by group: save as CSV', [{ ...ofWeek(), rows: posters.groups }], ['reached', 'share']);
    const svg = (await savedBy('Posters: by group: save as SVG')).toString();
    for (const { share } of posters.groups)
      if (share !== null) assert.ok(svg.includes(`>${Math.round(share * 1000) / 10} %<`), `${share} in the drawing`);
    const label = 'Messages per visitor';
    await drawn(label);
    assert.deepEqual(columns(await cells(label), 0, 1), texts(load, 'messages', 'visitors'));
    assertProportional(
      await bars(label, await main(), 'y'),
      load.map(({ visitors }: { visitors: number }) => visitors),
      label,
    );
    await assertCsv(`${label}: save as CSV`, [{ ...ofWeek(), rows: load }], ['messages', 'visitors']);
    await assertShared('All messages');
    await page.getByRole('combobox', { name: 'Comparison' }).selectOption({ label: 'Compared with the period before' });
    // Nobody was reached for the first time a week before, unless the week began today.
    const past = await told('messages', { from: dateIn(-7, ofWeek().from), until: ofWeek().from });
    const namesOf = (found: readonly { name: string; groups: Row[] }[]) =>
      found.flatMap(({ name, groups }) => groups.map(({ group }) => `${name} ${group}`));
    const reached = namesOf(past.messages);
    await becomes(
      async () => (await cells('All messages')).map((row) => row.at(-1) !== '–'),
      namesOf(messages).map((name) => reached.includes(name)),
    );
    await assertAccessible(page);
    await goTo(page, path('messages?unit=week'));
    await page.getByRole('combobox', { name: 'Place' }).selectOption({ label: '\u2003Shop' });
    await page.getByText(/^No message reached anybody for the first time in /).waitFor();
    await page.getByRole('combobox', { name: 'Place' }).selectOption({ label: '\u2003Hall' });
    await page.getByText('Messages that were first shown at this place').waitFor();
    await becomes(
      async () => columns(await cells('All messages'), 1, 2, 3, 4, 6),
      texts(groups, 'reached', 'shown', 'openedBy', 'acted', 'withdrawn'),
    );
    assert.equal(await page.getByRole('heading', { name: label }).count(), 0, 'nobody has counted these by place');
    assert.match(page.url(), /zone=/);
    assert.deepEqual([...visited.complaints, ...colleague.complaints], []);
  });

  /** What moves without being asked to while a page loads, as browsers count it, if one of its answers comes last. */
  async function shiftOf(address: string, last: string, isThere: string, isWhole: string): Promise<number> {
    const fresh = await visited.context.newPage();
    await fresh.addInitScript(`window.moved = 0; new PerformanceObserver((list) => {
      for (const one of list.getEntries()) if (!one.hadRecentInput) window.moved += one.value;
    }).observe({ type: 'layout-shift', buffered: true });`);
    const gate = Promise.withResolvers<void>();
    await fresh.route(last, async (route) => {
      await gate.promise;
      await route.continue();
    });
    await fresh.goto(path(address));
    await fresh.locator(isThere).first().waitFor();
    const painted = () => fresh.evaluate('new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))');
    await painted();
    gate.resolve();
    await fresh.locator(isWhole).first().waitFor();
    await painted();
    await becomes(() => fresh.evaluate('document.fonts.status'), 'loaded');
    const moved = Number(await fresh.evaluate('window.moved'));
    await fresh.close();
    return moved;
  }

  test('nothing moves while the pages of numbers, messages, beacons and a beacon load', async () => {
    let lamp = '';
    for (let minor = 100; minor < 120; minor++)
      lamp = await make('/beacons', { name: `Lamp ${minor}`, uuid: 'AB', major: 1, minor });
    const drawn = '[role=img][data-drawn=true]';
    const places = 'select[aria-label=Place]:not([disabled])';
    const moved = {
      numbers: await shiftOf('analytics?unit=week', '**/v2/venues?*', drawn, places),
      messages: await shiftOf('messages?unit=week', '**/v2/venues?*', drawn, places),
      beacons: await shiftOf('../beacons', '**/v2/beacons?*', 'table[aria-busy=true]', 'table[aria-busy=false]'),
      beacon: await shiftOf(`../beacons/${lamp}`, '**/v2/{events,visits,notifications}?*', '#page h1', '#page details'),
    };
    for (const [name, shift] of Object.entries(moved)) assert.ok(shift < 0.02, `${name}: ${JSON.stringify(moved)}`);
  });
});
