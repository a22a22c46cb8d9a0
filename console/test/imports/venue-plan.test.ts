import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { writePlanCsv } from '../../src/features/venues/csv/write.ts';
import { planCsv, planGeoJson } from '../../src/features/venues/geojson/plan-import.ts';
import { type Site, writeGeoJson } from '../../src/features/venues/geojson/write.ts';
import { differenceText } from '../../src/lib/text/json-compare.ts';

describe('a venue as GeoJSON', () => {
  const pointer = <Name extends string>(className: Name, objectId: string) =>
    ({ __type: 'Pointer', className, objectId }) as const;
  const stamps = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
  const polygon = [
    { x: 0, y: 0 },
    { x: 4.5, y: 0 },
    { x: 4.5, y: 3 },
  ];
  const shop = {
    objectId: 'z',
    name: 'Shop',
    kind: 'shop',
    floorId: pointer('Floor', 'f'),
    polygon,
    ...stamps,
  } as const;
  const wall = {
    points: [
      { x: 0, y: 0 },
      { x: 4, y: 0 },
      { x: 4, y: 2.5 },
    ],
  };
  const gateway = { name: 'By the stairs', x: 3, y: 1.5 };
  const site: Site = {
    venue: { objectId: 'v', name: 'Museum', exceptions: [], ...stamps },
    floors: [
      {
        objectId: 'f',
        venueId: pointer('Venue', 'v'),
        name: 'Cellar',
        level: -1,
        walls: [wall],
        gateways: [gateway],
        ...stamps,
      },
    ],
    zones: [{ ...shop, polygon: [...polygon], venueId: pointer('Venue', 'v') }],
    beacons: [
      {
        objectId: 'b',
        name: 'Door',
        uuid: 'u',
        major: 1,
        minor: 2,
        metadata: {},
        location: { x: 1.5, y: 2.5, floor: -1 },
        venueId: pointer('Venue', 'v'),
        ...stamps,
      },
    ],
  };
  const planned = (features: readonly object[], into = site) =>
    planGeoJson('app', JSON.stringify({ type: 'FeatureCollection', units: 'metres', features }), into);
  const said = (features: readonly object[]) => planned(features).map(({ kind, problem }) => problem ?? kind);

  test('that was exported changes nothing, and makes the same in an empty venue', () => {
    const text = writeGeoJson(site);
    assert.match(text, /"feature_type": "unit"/);
    assert.deepEqual(
      planGeoJson('app', text, site).map(({ kind }) => kind),
      ['unchanged', 'unchanged', 'unchanged', 'unchanged', 'unchanged', 'unchanged'],
    );
    const empty = { ...site, floors: [], zones: [], beacons: [] };
    assert.deepEqual(
      planGeoJson('app', text, empty).map(({ kind, name }) => `${kind} ${name}`),
      ['unchanged Museum', 'new Cellar', 'new Wall of level -1', 'new By the stairs', 'new Shop', 'new Door'],
    );
    const other = { ...empty, venue: { ...site.venue, objectId: 'other', name: 'Library' } };
    assert.deepEqual(
      planGeoJson('app', text, other).map(({ name }) => name),
      ['Cellar', 'Wall of level -1', 'By the stairs', 'Shop', 'Door'],
      'another venue keeps its own name',
    );
  });

  test('is refused feature by feature, in sentences, and as a whole where it is in degrees', () => {
    const unit = (coordinates: unknown, level_id = 'f') => ({
      feature_type: 'unit',
      geometry: { type: 'Polygon', coordinates },
      properties: { name: { en: 'Hall' }, category: 'elevator', level_id },
    });
    const wallOf = (coordinates: unknown) => ({
      feature_type: 'wall',
      geometry: { type: 'LineString', coordinates },
      properties: { level_id: 'f' },
    });
    const ring = [
      [0, 0],
      [1, 0],
      [1, -1],
      [0, 0],
    ];
    assert.deepEqual(
      said([
        unit([ring]),
        unit([ring, ring]),
        unit([ring.slice(1)]),
        unit([
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [2, 2],
          ],
        ]),
        unit([ring], 'nowhere'),
        wallOf([
          [4, -2.5],
          [4, 0],
          [0, 0],
        ]),
        wallOf([
          [4, 0],
          [0, 0],
        ]),
        wallOf([[4, 0]]),
        { feature_type: 'wall', geometry: { type: 'Point', coordinates: [1, 1] }, properties: { level_id: 'f' } },
        { feature_type: 'gateway', geometry: { type: 'Point', coordinates: [1, 1] }, properties: { level_id: 'f' } },
        { feature_type: 'gateway', properties: { name: 'East', level_id: 'f' } },
        { feature_type: 'opening' },
        { feature_type: 'level', properties: { name: 'Roof' } },
        { feature_type: 'beacon', geometry: { type: 'Point', coordinates: [1, null] } },
      ]),
      [
        'new',
        'A zone has no holes: its Polygon needs exactly one ring.',
        'Its ring needs at least four positions of two numbers.',
        'Its ring has to end where it begins.',
        'Its level_id is no level of this file and no floor of the venue.',
        'unchanged',
        'new',
        'Its line needs at least two positions of two numbers.',
        'A wall needs a LineString.',
        'A gateway needs a name.',
        'A gateway needs a point.',
        'Features of the type opening are not imported.',
        'A level needs a number as its ordinal.',
        'A beacon needs a point.',
      ],
    );
    const broken = (text: string) => () => planGeoJson('app', text, site);
    assert.throws(broken('{'), /The file is not JSON\. Line 1, column 2: /);
    assert.throws(broken('[]'), /FeatureCollection is needed/);
    assert.throws(broken('{"type":"FeatureCollection","features":[]}'), /does not say that its coordinates are metres/);
  });

  test('warns of a beacon whose UUID no phone would find', () => {
    const whole = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
    const rows = planned(
      [whole, whole.slice(0, -4)].map((uuid, minor) => ({
        feature_type: 'beacon',
        geometry: { type: 'Point', coordinates: [1, 1] },
        properties: { name: 'Stairs', uuid, major: 7, minor },
      })),
    );
    assert.deepEqual(
      rows.map(({ kind, warning }) => [kind, warning !== undefined]),
      [
        ['new', false],
        ['new', true],
      ],
    );
  });

  test('as a table changes nothing either, and makes the same in an empty venue', () => {
    const text = writePlanCsv(site);
    assert.equal(
      text.split('\r\n')[0]?.replace('\uFEFF', ''),
      'type,objectId,name,level,kind,capacity,north,corners,timeZone,address,date,hours,keyId',
    );
    const summary = (into: Site, table = text) =>
      planCsv('app', table, into).map(({ kind, name, differences }) =>
        [kind, name, ...differences.map(({ member, after }) => `${member}=${after}`)].join(' '),
      );
    assert.deepEqual(summary(site), [
      'unchanged Museum',
      'unchanged Cellar',
      'unchanged Wall of level -1',
      'unchanged By the stairs',
      'unchanged Shop',
    ]);
    const empty = { ...site, floors: [], zones: [], beacons: [] };
    assert.deepEqual(summary(empty), [
      'unchanged Museum',
      'new Cellar',
      'new Wall of level -1',
      'new By the stairs',
      'new Shop',
    ]);
    // As a spreadsheet of another country saves it, with fewer columns, in another order.
    const changed = [
      'Name;Type;objectId;Level;Corners;Capacity;North;timeZone',
      'Museum of Ships;venue;v;;;;;Europe/Vienna',
      'Vault;Floor;f;-1;;;12,5;',
      'Shop;zone;;-1;"0 0; 4,25 0; 4 2.5; 0 2,5";30;;',
      'Roof;floor;;3;;;;',
      'By the stairs;gateway;;-1;3 2,5;;;',
    ].join('\n');
    assert.deepEqual(
      summary(site, changed).map((line) => line.replaceAll('\n', ' ')),
      [
        'changed Museum of Ships name=Museum of Ships timeZone=Europe/Vienna',
        'changed Vault name=Vault north=12.5',
        `changed Shop polygon=${differenceText([
          { x: 0, y: 0 },
          { x: 4.25, y: 0 },
          { x: 4, y: 2.5 },
          { x: 0, y: 2.5 },
        ])} capacity=30`,
        'new Roof',
        'changed By the stairs y=2.5',
      ],
    );
  });

  test('as a table has the hours of a venue and its holidays, and gives them to another one', () => {
    const openingHours = [
      { dayName: 'Tue' as const, from: '10:00', until: '18:00' },
      { dayName: 'Sat' as const, from: '20:00', until: '01:00' },
    ];
    const exceptions = [
      { date: '2026-12-24', name: 'Christmas Eve', hours: [{ from: '10:00', until: '12:00' }] },
      { date: '2026-12-25', hours: [] },
    ];
    const open = { ...site, venue: { ...site.venue, capacity: 300, openingHours, exceptions } };
    const text = writePlanCsv(open);
    assert.match(text, /^venue,v,Museum,,,300,.*,"Tue 10:00-18:00; Sat 20:00-01:00",\r$/m);
    assert.match(text, /^day,,Christmas Eve,,,,,,,,2026-12-24,10:00-12:00,\r$/m);
    assert.match(text, /^day,,,,,,,,,,2026-12-25,closed,\r$/m);
    const plan = (into: Site, table = text) =>
      planCsv('app', table, into)
        .slice(0, 3)
        .map(({ kind, name, problem, differences = [] }) => ({
          is: [kind, name, problem].filter(Boolean).join(' '),
          to: Object.fromEntries(differences.map(({ member, after }) => [member, after])),
        }));
    assert.deepEqual(
      plan(open).map(({ is }) => is),
      ['unchanged Museum', 'unchanged Christmas Eve', 'unchanged 2026-12-25'],
    );
    assert.deepEqual(plan(site), [
      { is: 'changed Museum', to: { openingHours: differenceText(openingHours), capacity: '300' } },
      { is: 'new Christmas Eve', to: {} },
      { is: 'new 2026-12-25', to: {} },
    ]);
    const never = { ...open, venue: { ...open.venue, openingHours: [] } };
    assert.match(writePlanCsv(never), /^venue,.*,closed,\r$/m);
    assert.equal(plan(never, writePlanCsv(never))[0]?.is, 'unchanged Museum');
    // A table without hours changes none, nor does it take a holiday away.
    assert.deepEqual(
      plan(open, 'type,objectId,name\nvenue,v,Museum\n').map(({ is }) => is),
      ['unchanged Museum'],
    );
    // As a spreadsheet of another country saves it.
    assert.deepEqual(
      plan(
        open,
        'Type;Name;Date;Hours\nDay;Christmas Eve;24.12.2026;9:00 – 12:00\nday;;25.12.2026;Closed\nday;Leap day;2028-02-29;closed\n',
      ),
      [
        { is: 'changed Christmas Eve', to: { hours: differenceText([{ from: '09:00', until: '12:00' }]) } },
        { is: 'unchanged 2026-12-25', to: {} },
        { is: 'new Leap day', to: {} },
      ],
    );
    const said = (line: string) => plan(site, `type,objectId,name,date,hours\n${line}\n`)[0]?.is;
    assert.equal(said('day,,Fool,30.2.2026,closed'), 'refused Fool A day needs a date such as 2026-12-25: 30.2.2026.');
    assert.equal(said('day,,Fool,,closed'), 'refused Fool A day needs a date such as 2026-12-25: –.');
    const ofDay = (text: string) => `Hours of a day look like 10:00-12:00; 14:00-18:00, or closed: ${text}.`;
    assert.equal(said('day,,Fool,2026-04-01,10 to 12'), `refused Fool ${ofDay('10 to 12')}`);
    assert.equal(said('day,,Fool,2026-04-01,Mon 10:00-12:00'), `refused Fool ${ofDay('Mon 10:00-12:00')}`);
    assert.equal(
      said('venue,v,Museum,,Foo 10:00-12:00'),
      'refused Museum Hours of a week look like Tue 10:00-18:00; Sat 20:00-01:00, or closed: Foo 10:00-12:00.',
    );
  });

  test('has its hours and holidays, and gives them to another one', () => {
    const openingHours = [
      { dayName: 'Mon' as const, from: '10:00', until: '18:00' },
      { dayName: 'Sun' as const, from: '20:00', until: '24:00' },
    ];
    const exceptions = [
      { date: '2026-12-24', name: 'Christmas Eve', hours: [{ from: '10:00', until: '12:00' }] },
      { date: '2026-12-25', hours: [] },
    ];
    const open = { ...site, venue: { ...site.venue, capacity: 300, openingHours, exceptions } };
    const plan = (into: Site, from: Site) =>
      planGeoJson('app', writeGeoJson(from), into)
        .slice(0, 1)
        .flatMap(({ kind, differences }) => [kind, ...differences.map(({ member, after }) => `${member} ${after}`)]);
    assert.match(writeGeoJson(open), /"hours": "Mo 10:00-18:00; Su 20:00-24:00; 2026 Dec 24 10:00-12:00 /);
    assert.deepEqual(plan(open, open), ['unchanged']);
    assert.deepEqual(plan(site, open), [
      'changed',
      `openingHours ${differenceText(openingHours)}`,
      `exceptions ${differenceText(exceptions)}`,
      'capacity 300',
    ]);
    assert.deepEqual(plan(open, site), ['unchanged'], 'a file without hours changes none, and takes no holiday away');
    const never = { ...open, venue: { ...open.venue, openingHours: [], exceptions: [] } };
    assert.deepEqual(plan(never, never), ['unchanged']);
    assert.deepEqual(plan(open, never), ['changed', 'openingHours []']);
    // Other days stay, and a day without a comment keeps its name.
    const later = { ...open.venue, exceptions: [{ date: '2026-12-24', hours: [] }] };
    assert.deepEqual(plan(open, { ...open, venue: later }), [
      'changed',
      `exceptions ${differenceText([{ date: '2026-12-24', hours: [], name: 'Christmas Eve' }, exceptions[1]])}`,
    ]);
  });

  test('whose levels are numbered anew keeps its zones, walls and gateways on their floors', () => {
    const [cellar] = site.floors;
    assert.ok(cellar);
    const ground = { ...cellar, objectId: 'g', name: 'Ground', level: 0, walls: [], gateways: [] };
    const two: Site = { ...site, floors: [cellar, ground] };
    const summary = (text: string) =>
      (text.startsWith('{') ? planGeoJson : planCsv)('app', text, two).map(({ kind, name, problem, differences }) =>
        [kind, name, problem, ...differences.map(({ member, after }) => `${member}=${after}`)]
          .filter(Boolean)
          .join(' '),
      );
    const anew = {
      ...two,
      floors: [
        { ...cellar, level: 0 },
        { ...ground, level: 1 },
      ],
      beacons: [],
    };
    for (const write of [writeGeoJson, writePlanCsv])
      assert.deepEqual(summary(write(anew)), [
        'unchanged Museum',
        'changed Cellar level=0',
        'changed Ground level=1',
        'unchanged Wall of level 0',
        'unchanged By the stairs',
        'unchanged Shop',
      ]);
  });

  test('that other programs or hands have written: ids that are numbers, copies of rows, names that are there twice', () => {
    const polygonAt = (x: number) => ({
      type: 'Polygon',
      coordinates: [
        [
          [x, 0],
          [x + 1, 0],
          [x + 1, -1],
          [x, 0],
        ],
      ],
    });
    const unit = (id: unknown, name: string, x: number, more: object = {}) => ({
      feature_type: 'unit',
      id,
      geometry: polygonAt(x),
      properties: { name, level_id: 7, ...more },
    });
    const level = { feature_type: 'level', id: 7, properties: { name: 'Cellar', ordinal: -1 } };
    assert.deepEqual(said([level, unit(7, 'Hall', 0), unit(8, 'Hall', 2), unit(8, 'Copy', 4)]), [
      'unchanged',
      'new',
      'new',
      'The file has the id 8 before. A copy needs an id of its own, or none.',
    ]);
    assert.deepEqual(
      said([level, { ...level, id: 9, properties: { name: 'Vault', ordinal: -1 } }]),
      ['unchanged', 'The file has a level -1 before, and each level has one floor.'],
      'of two floors of one level none is lost in silence',
    );
    // Once two zones of one name are there, the file changes neither.
    const corners = (x: number) => [
      { x, y: 0 },
      { x: x + 1, y: 0 },
      { x: x + 1, y: 1 },
    ];
    const hall = (objectId: string, x: number) => ({ ...shop, objectId, name: 'Hall', polygon: corners(x) });
    const twice = { ...site, zones: [hall('h1', 2), hall('h2', 0)] };
    const names = [unit(undefined, 'Hall', 0), unit(undefined, 'Hall', 2), unit(undefined, 'Hall', 4)];
    assert.deepEqual(
      planned([level, ...names], twice).map(({ kind }) => kind),
      ['unchanged', 'unchanged', 'unchanged', 'new'],
    );
    assert.deepEqual(said([unit('z', 'Shop', 0, { capacity: '40', level_id: 'f' })]), [
      'Its capacity is no whole number from 1: 40.',
    ]);
    const table = 'type,objectId,name,level,capacity,north\nfloor,f,Cellar,-1,,400\nvenue,v,Museum,,0,\n';
    assert.deepEqual(
      planCsv('app', table, site).map(({ problem }) => problem),
      ['Its north is no number of degrees from 0 to 360: 400.', 'Its capacity is no whole number from 1: 0.'],
    );
    assert.deepEqual(
      planCsv('app', table, { ...site, isLenient: true }).map(({ kind, unread }) => `${kind} ${unread?.join()}`),
      [
        'unchanged Its north is no number of degrees from 0 to 360: 400.',
        'unchanged Its capacity is no whole number from 1: 0.',
      ],
    );
    // Above the row of its floor, which gives the floor its name.
    const zonesFirst = 'type,name,level,corners\nzone,Bar,3,0 0; 1 0; 1 1\nfloor,Roof,3,\n';
    assert.deepEqual(
      planCsv('app', zonesFirst, site).map(({ kind, name }) => `${kind} ${name}`),
      ['new Bar', 'new Roof'],
    );
  });

  test('keeps the secret keys of its gateways, which another name does not untie', () => {
    const [cellar] = site.floors;
    assert.ok(cellar);
    const hung = (...gateways: { name: string; x: number; y: number; keyId?: string }[]): Site => ({
      ...site,
      floors: [{ ...cellar, gateways }],
    });
    const tied = { ...gateway, keyId: 'k' };
    const plan = (text: string, into: Site, options: object = {}) =>
      (text.startsWith('{') ? planGeoJson : planCsv)('app', text, { ...into, ...options })
        .filter(({ name }) => name.startsWith('By') || name === 'Stairs')
        .map(({ kind, name, problem, unread = [], differences }) =>
          [kind, name, problem, ...unread, ...differences.map(({ member, after }) => `${member}=${after}`)]
            .filter(Boolean)
            .join(' '),
        );
    for (const write of [writeGeoJson, writePlanCsv]) {
      assert.deepEqual(plan(write(hung(tied)), hung(tied)), ['unchanged By the stairs']);
      assert.deepEqual(plan(write(hung(tied)), site), ['changed By the stairs keyId=k']);
      assert.deepEqual(plan(write(site), hung(tied)), ['unchanged By the stairs'], 'a file without keys unties none');
      assert.deepEqual(plan(write(hung({ ...tied, name: 'Stairs' })), hung(tied)), ['changed Stairs name=Stairs']);
      const two = hung(tied, { ...tied, name: 'By the door' });
      assert.deepEqual(plan(write(hung({ ...tied, name: 'Stairs' })), two), ['new Stairs'], 'two share the key');
      const sentence = 'There is no secret key k in this app.';
      const strange = { keyIds: new Set(['other']) };
      assert.deepEqual(plan(write(hung(tied)), site, strange), [`refused By the stairs ${sentence} ${sentence}`]);
      const without = [`unchanged By the stairs ${sentence}`];
      assert.deepEqual(plan(write(hung(tied)), site, { ...strange, isLenient: true }), without);
      assert.deepEqual(
        plan(write(hung(tied)), hung(tied), strange),
        ['unchanged By the stairs'],
        'a revoked key stays',
      );
      assert.deepEqual(plan(write(hung(tied)), site, { keyIds: new Set(['k']) }), ['changed By the stairs keyId=k']);
    }
  });

  test('as a table is refused line by line, in sentences', () => {
    const lines = [
      'type,name,level,kind,capacity,corners',
      'zone,Hall,-1,room,,0 0; 1 0',
      'zone,Hall,-1,room,,0 0; 1 0; 1 x',
      'zone,Hall,-1,dungeon,,0 0; 1 0; 1 1',
      'zone,Hall,deep,room,,0 0; 1 0; 1 1',
      'zone,Hall,-1,room,many,0 0; 1 0; 1 1',
      'zone,Hall,7,room,,0 0; 1 0; 1 1',
      'zone,,-1,room,,0 0; 1 0; 1 1',
      'wall,,-1,,,0 0',
      'gateway,East,-1,,,0 0; 1 1',
      'floor,Roof,,,,',
      'stairs,Up,1,,,',
      'zone,Hall,-1,room,,0 0; 1 0; 1 1,too much',
    ];
    const said = planCsv('app', lines.join('\n'), site).map(({ kind, problem }) => problem ?? kind);
    const corners = (fewest: number) =>
      `It needs corners: ${fewest} or more pairs of metres, such as 0 0; 4.5 0; 4.5 3.`;
    assert.deepEqual(said.slice(0, 2), [corners(3), corners(3)]);
    assert.match(said[2] ?? '', /^There is no kind of zone called dungeon: room, /);
    assert.deepEqual(said.slice(3, 11), [
      'level is no number: deep.',
      'capacity is no number: many.',
      'new',
      'A zone needs a name.',
      corners(2),
      'A gateway needs one pair of metres as its corners, such as 4.5 3.',
      'A level needs a number as its ordinal.',
      'Features of the type stairs are not imported.',
    ]);
    assert.match(said[11] ?? '', /Line 13 has more fields than there are headings/);
    assert.throws(
      () => planCsv('app', 'name,level\nHall,1\n', site),
      /needs a column type, with venue, day, floor, wall, gateway or zone/,
    );
  });
});
