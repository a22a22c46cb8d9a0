import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { writeVenue } from '../../../server/src/demo/venue.ts';
import { planGeoJson } from '../../src/features/venues/geojson/plan-import.ts';
import type { Site } from '../../src/features/venues/geojson/write.ts';
import { packed, unpacked } from '../../src/features/venues/imdf/archive.ts';
import { Earth } from '../../src/features/venues/imdf/earth.ts';
import { metresOf } from '../../src/features/venues/imdf/read.ts';
import { objectIdOf, uuidOf } from '../../src/features/venues/imdf/uuid.ts';
import { imdfFiles, imdfProblems } from '../../src/features/venues/imdf/write.ts';
import { differenceText } from '../../src/lib/text/json-compare.ts';
import { imdfFaults } from '../imdf-rules.ts';
import { ids, location, particulars, pointer, polygon, site, stamps } from './imdf-site.ts';

const files = () => imdfFiles(site, particulars, new Date(0)) as Readonly<Record<string, Collection>>;

interface Collection {
  readonly features: readonly {
    readonly id: string;
    readonly geometry: { readonly type: string; readonly coordinates: readonly (readonly [number, number])[][] };
    readonly properties: Readonly<Record<string, unknown>>;
  }[];
}

describe('positions on earth', () => {
  test('go with north, which is clockwise from upwards', () => {
    const earth = new Earth(location);
    const [longitude, latitude] = earth.positionOf({ x: 0, y: -100 }, 0);
    assert.equal(longitude, location.longitude, 'upwards is north');
    // A degree of latitude has 111.3 km there.
    assert.ok(Math.abs((latitude - location.latitude) * 111_300 - 100) < 0.2);
    const [east, level] = earth.positionOf({ x: 100, y: 0 }, 0);
    assert.equal(level, location.latitude);
    assert.ok(Math.abs((east - location.longitude) * 111_600 * Math.cos((57.72 * Math.PI) / 180) - 100) < 0.3);
    assert.deepEqual(earth.positionOf({ x: 100, y: 0 }, 90), [longitude, latitude], 'north is to the right');
    const back = earth.pointOf(earth.positionOf({ x: 12.34, y: 56.78 }, 217), 217);
    assert.ok(Math.hypot(back.x - 12.34, back.y - 56.78) < 0.001);
  });
});

describe('ids', () => {
  test('become UUIDs of version 4 and come back; other UUIDs are of nothing here', () => {
    for (const id of Object.values(ids)) {
      const uuid = uuidOf(id);
      assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(objectIdOf(uuid.toUpperCase()), id);
    }
    const all = (['record', 'building', 'footprint', 'address'] as const).map((part) => uuidOf(ids.venue, part));
    assert.equal(new Set(all).size, 4);
    for (const other of [all[1] ?? '', 'ffffffff-ffff-4fff-bfff-ffffffffffff', 'no', '']) {
      assert.equal(objectIdOf(other), undefined);
    }
  });
});

describe('a venue as IMDF', () => {
  test('has every file, closed rings counterclockwise, and references that lead somewhere', () => {
    const { 'manifest.json': manifest, ...collections } = files();
    assert.deepEqual({ ...manifest }, {
      version: '1.0.0',
      created: '1970-01-01T00:00:00.000Z',
      generated_by: 'Pharos',
      language: 'en',
      extensions: null,
    } as never);
    assert.deepEqual(
      Object.keys(collections),
      ['address', 'venue', 'building', 'footprint', 'level', 'unit'].map((type) => `${type}.geojson`),
    );
    const all = Object.values(collections).flatMap(({ features }) => features);
    const known = new Set(all.map(({ id }) => id));
    for (const { geometry, properties } of all) {
      for (const [name, value] of Object.entries(properties))
        if (/_ids?$/.test(name)) for (const id of [value].flat()) assert.ok(known.has(String(id)), name);
      for (const ring of geometry?.coordinates ?? []) {
        assert.deepEqual(ring[0], ring.at(-1));
        const twice = ring.reduce((sum, [x, y], index) => {
          const [nextX, nextY] = ring[index + 1] ?? [x, y];
          return sum + (x - 10.58) * (nextY - 57.72) - (nextX - 10.58) * (y - 57.72);
        }, 0);
        assert.ok(twice > 0, 'counterclockwise');
      }
    }
    const [address] = collections['address.geojson']?.features ?? [];
    assert.deepEqual([address?.properties['locality'], address?.properties['country']], ['Skagen', 'DK']);
    const [venue] = collections['venue.geojson']?.features ?? [];
    assert.deepEqual([venue?.properties['category'], venue?.properties['hours']], ['museum', 'Tu 10:00-18:00']);
    const [unit] = collections['unit.geojson']?.features ?? [];
    assert.deepEqual(
      [unit?.properties['category'], unit?.properties['name'], unit?.properties['level_id']],
      ['room', { en: 'Shop' }, uuidOf(ids.floor)],
    );
  });

  test('that was exported changes nothing, and makes the same in an empty venue', async () => {
    const read = await unpacked(await packed(files()));
    assert.deepEqual(
      planGeoJson('app', metresOf(read, site), site).map(({ kind, differences }) => [kind, differences]),
      [
        ['unchanged', []],
        ['unchanged', []],
        ['unchanged', []],
      ],
    );
    const empty: Site = { ...site, floors: [], zones: [] };
    const text = metresOf(read, empty);
    assert.deepEqual(
      planGeoJson('app', text, empty).map(({ kind, name }) => `${kind} ${name}`),
      ['unchanged Museum', 'new Ground floor', 'new Shop'],
    );
    // Without a floor north is up, and all of it is turned by the 30 degrees.
    const { features } = JSON.parse(text) as Collection;
    assert.equal(features[1]?.properties['north'], 0);
    const [, corner] = (features[2]?.geometry.coordinates[0] ?? []).filter(([x, y]) => Math.hypot(x, y) > 1);
    assert.ok(corner);
    const moved: Site = { ...site, zones: site.zones.map((zone) => ({ ...zone, polygon: polygon.slice(1) })) };
    assert.deepEqual(
      planGeoJson('app', metresOf(read, moved), moved).map(({ kind, differences }) => [kind, differences.length]),
      [
        ['unchanged', 0],
        ['unchanged', 0],
        ['changed', 1],
      ],
    );
  });

  test('has its hours and holidays, which come back, and nothing of another venue', async () => {
    const openingHours = [
      { dayName: 'Sat' as const, from: '20:00', until: '01:00' },
      { dayName: 'Tue' as const, from: '14:00', until: '18:00' },
      { dayName: 'Tue' as const, from: '10:00', until: '12:00' },
    ];
    const exceptions = [{ date: '2026-12-25', name: 'Christmas "Day"; closed', hours: [] }];
    const open: Site = { ...site, venue: { ...site.venue, openingHours, exceptions } };
    const read = await unpacked(await packed(imdfFiles(open, particulars, new Date(0))));
    assert.deepEqual(imdfFaults(read), []);
    const [venue] = (read.get('venue.geojson') as Collection).features;
    assert.equal(
      venue?.properties['hours'],
      'Tu 10:00-12:00,14:00-18:00; Sa 20:00-01:00; 2026 Dec 25 off "Christmas ”Day”; closed"',
    );
    const plan = (into: Site, files = read) =>
      planGeoJson('app', metresOf(files, into), into)
        .slice(0, 1)
        .flatMap(({ kind, name, problem, differences }) => [
          `${kind} ${name}`,
          ...(problem ? [problem] : []),
          ...differences.map(({ member, after }) => `${member} ${after}`),
        ]);
    assert.deepEqual(plan(open), ['unchanged Museum']);
    const [tuesdayMorning, tuesday, saturday] = [openingHours[2], openingHours[1], openingHours[0]];
    assert.deepEqual(plan(site), [
      'changed Museum',
      `openingHours ${differenceText([tuesdayMorning, tuesday, saturday])}`,
      `exceptions ${differenceText([{ ...exceptions[0], name: 'Christmas ”Day”; closed' }])}`,
    ]);
    const elsewhere = { ...open, venue: { ...open.venue, objectId: ids.floor } };
    assert.deepEqual(plan(elsewhere), ['unchanged Ground floor'], 'of another venue here');
    const foreign = (hours: unknown) => {
      const properties = { name: { en: 'Their museum' }, hours };
      const venue = { features: [{ id: 'ffffffff-ffff-4fff-bfff-ffffffffffff', properties }] };
      return new Map<string, unknown>([...read, ['venue.geojson', venue]]);
    };
    const we = { dayName: 'Wed', from: '09:00', until: '17:00' };
    assert.deepEqual(plan(site, foreign('We 09:00-17:00')), ['changed Museum', `openingHours ${differenceText([we])}`]);
    assert.deepEqual(plan(site, foreign(null)), ['unchanged Ground floor']);
    assert.deepEqual(plan(site, foreign('We 09:00-17:00; PH off')), [
      'refused ',
      'This part of its hours cannot be understood: PH off. Hours of weekdays and of dates can, such as Tu-Su 10:00-18:00; 2026 Dec 25 off.',
    ]);
  });

  test('is refused as long as the venue lacks something, all at once', () => {
    assert.deepEqual(imdfProblems(site), []);
    const { location: _nowhere, ...venue } = site.venue;
    const floor = { objectId: 'f', venueId: pointer('Venue', ids.venue), name: 'Loft', level: 0.5, ...stamps };
    const problems = imdfProblems({ ...site, venue, floors: [floor], zones: [] });
    const said = [
      /where it is on earth/,
      /Loft does not say where north is/,
      /Loft is on level 0.5/,
      /Loft has neither/,
    ];
    assert.equal(problems.length, said.length);
    for (const [index, text] of said.entries()) assert.match(problems[index] ?? '', text);
    assert.match(imdfProblems({ ...site, floors: [] })[0] ?? '', /no floors/);
  });
});

describe('the rules of IMDF', () => {
  const archived = async (of: Site) => unpacked(await packed(imdfFiles(of, particulars, new Date(0))));

  /** The museum of the demo, as its code writes it. */
  async function museum(): Promise<Site> {
    const made: { readonly path: string; readonly record: object }[] = [];
    await writeVenue(
      {
        at: () => undefined,
        async post(path, body) {
          const objectId = `0VnZ${String(made.length).padStart(16, '0')}`;
          made.push({ path, record: { ...body, objectId, ...stamps } });
          return { objectId, result: { objectId } };
        },
      },
      Date.now(),
    );
    const of = <T>(path: string) => made.flatMap((one) => (one.path === path ? [one.record as T] : []));
    const [venue] = of<Site['venue']>('/venues');
    assert.ok(venue);
    return { venue, floors: of('/floors'), zones: of('/zones'), beacons: [] };
  }

  test('are kept by the museum of the demo, with three levels and a unit for each hall', async () => {
    const files = await archived(await museum());
    assert.deepEqual(imdfFaults(files), []);
    const count = (name: string) => (files.get(name) as Collection).features.length;
    assert.deepEqual([count('level.geojson'), count('unit.geojson')], [3, 24]);
  });

  test('are kept by a room around a corner, by one that reaches out of the plan, and on a floor that is turned', async () => {
    const [zone] = site.zones;
    assert.ok(zone);
    const corner = [
      { x: 0, y: 0 },
      { x: 10, y: 0 },
      { x: 10, y: 1 },
      { x: 1, y: 1 },
      { x: 1, y: 9 },
      { x: 10, y: 9 },
      { x: 10, y: 10 },
      { x: 0, y: 10 },
    ];
    for (const shift of [0, 15])
      for (const points of [corner, corner.toReversed()]) {
        const polygon = points.map(({ x, y }) => ({ x: x + shift, y }));
        assert.deepEqual(imdfFaults(await archived({ ...site, zones: [{ ...zone, polygon }] })), []);
      }
  });

  const broken: readonly [string, (file: Record<string, Collection>) => void, RegExp][] = [
    [
      'a reference',
      ({ unit }) => replaced(unit, { level_id: 'ffffffff-ffff-4fff-bfff-ffffffffffff' }),
      /leads nowhere/,
    ],
    [
      'a reference to another type',
      ({ unit, address }) => replaced(unit, { level_id: address?.features[0]?.id }),
      /leads to a address/,
    ],
    ['a category', ({ unit }) => replaced(unit, { category: 'shop' }), /unit: category is "shop"/],
    ['a name', ({ venue }) => replaced(venue, { name: 'Museum' }), /venue: name is "Museum"/],
    ['an ordinal', ({ level }) => replaced(level, { ordinal: 0.5 }), /ordinal is 0\.5/],
    ['a ring', ({ unit }) => ringOf(unit)?.reverse(), /runs the wrong way/],
    ['an open ring', ({ unit }) => ringOf(unit)?.pop(), /not closed/],
    [
      'a crossing',
      ({ unit }) => ringOf(unit)?.splice(1, 2, ...(ringOf(unit)?.slice(1, 3).reverse() ?? [])),
      /crosses itself|wrong way/,
    ],
    [
      'a point',
      ({ unit }) => replaced(unit, { display_point: { type: 'Point', coordinates: [10.5, 57.7] } }),
      /is outside/,
    ],
    [
      'a unit elsewhere',
      ({ unit }) => {
        for (const at of ringOf(unit) ?? []) at.splice(0, 1, (at[0] ?? 0) + 0.1);
      },
      /out of its level/,
    ],
    ['a footprint', ({ footprint }) => replaced(footprint, { category: 'aerial' }), /no footprint on the ground/],
  ];
  const replaced = (file: Collection | undefined, properties: object) =>
    Object.assign(file?.features[0]?.properties ?? {}, properties);
  const ringOf = (file: Collection | undefined) => file?.features[0]?.geometry.coordinates[0] as number[][] | undefined;
  for (const [what, breaks, said] of broken)
    test(`are seen to be broken: ${what}`, async () => {
      const files = await archived(site);
      const named = [...files].map(([name, content]) => [name.replace('.geojson', ''), content]);
      breaks(Object.fromEntries(named) as Record<string, Collection>);
      assert.match(imdfFaults(files).join(), said);
    });
});
