import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Beacon } from '../../sdk/src/index.ts';
import { cellsOf, csvColumns, missingColumns } from '../src/features/beacons/csv-columns.ts';
import { planImport } from '../src/features/beacons/import-plan.ts';
import { writePlanCsv } from '../src/features/venues/csv/write.ts';
import { planCsv, planGeoJson } from '../src/features/venues/geojson/plan-import.ts';
import { type Site, writeGeoJson } from '../src/features/venues/geojson/write.ts';
import { CsvError, completed, numberIn, parseCsv, writeCsv } from '../src/lib/text/csv.ts';
import { decodeText } from '../src/lib/text/decode.ts';
import { differenceText } from '../src/lib/text/json-compare.ts';

describe('CSV', () => {
  const read = (text: string) => parseCsv(text).rows.map(({ cells }) => cells);
  const cases: readonly [what: string, text: string, rows: readonly (readonly string[])[]][] = [
    ['quotes, commas and line breaks', 'a,b\n"x, ""y""","1\r\n2"\n', [['x, "y"', '1\n2']]],
    [
      'any line break, and none at the end',
      'a,b\r\n1,2\n3,4',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['a byte-order mark and empty lines', '\uFEFFa,b\n\n1,2\n\n', [['1', '2']]],
    [
      'empty fields, also the last',
      'a,b\n"",x\n1,',
      [
        ['', 'x'],
        ['1', ''],
      ],
    ],
    ['semicolons', 'a;b\n1;"2;3"\n', [['1', '2;3']]],
    ['one column', 'a\nx\n', [['x']]],
  ];
  for (const [what, text, rows] of cases) test(`reads ${what}`, () => assert.deepEqual(read(text), rows));

  test('refuses an empty file', () =>
    assert.throws(
      () => parseCsv(''),
      (error) => error instanceof CsvError && /empty/.test(error.message),
    ));

  test('of columns with one heading the first is read, or the one that was chosen', () => {
    const text = 'a,b,A,a\n1,2,3,4\n';
    const { header, repeated, rows } = parseCsv(text);
    assert.deepEqual(
      [header, rows[0]?.cells],
      [
        ['a', 'b', 'A', ''],
        ['1', '2', '3', '4'],
      ],
    );
    assert.deepEqual(repeated, [{ name: 'a', columns: [0, 3], chosen: 0 }]);
    const same = (name: string) => name.toLowerCase();
    assert.deepEqual(parseCsv(text, { same }).header, ['a', 'b', '', '']);
    assert.deepEqual(parseCsv(text, { same, chosen: { a: 2 } }).header, ['', 'b', 'A', '']);
    assert.deepEqual(parseCsv(text, { chosen: { a: 1 } }).header, ['a', 'b', 'A', ''], 'there is no such column now');
  });

  const mended: readonly [what: string, text: string, rows: string[][]][] = [
    ['short rows', 'a,b,c\n1\n', [['1', '', '']]],
    ['empty rows', 'a;b\n;\n1;2\n ; \n', [['1', '2']]],
    ['headings that end in nothing', 'a,b,,\n1,2,,\n', [['1', '2']]],
    ['a quote inside a field', 'a,b\n5" nail,1\n', [['5" nail', '1']]],
    ['tabs', 'a\tb\n1,5\t2\n', [['1,5', '2']]],
    ['a comma in a heading between semicolons', 'a;"b, c";d\n1;2;3\n', [['1', '2', '3']]],
    ['line breaks of old Macs', 'a,b\r1,2\r', [['1', '2']]],
  ];
  for (const [what, text, rows] of mended) test(`reads ${what}`, () => assert.deepEqual(read(text), rows));

  const ofOneRow: readonly [text: string, problem: RegExp][] = [
    ['a,b\n1,2,3\n4,5\n', /Line 2 has more fields than there are headings: 3/],
    ['a,b\n"1,2\n4,5\n', /quote that line 2 opens is never closed/],
    ['a,b\n"x"y,1\n4,5\n', /Line 2 has text behind a closing quote/],
  ];
  for (const [text, problem] of ofOneRow)
    test(`${JSON.stringify(text)} has a problem in one row, and the next one is read`, () => {
      const [first, second] = parseCsv(text).rows;
      assert.match(first?.problem ?? '', problem);
      assert.deepEqual([second?.cells, second?.problem], [['4', '5'], undefined]);
    });

  test('numbers have a decimal comma where no comma separates', () => {
    assert.deepEqual(
      [numberIn('4,2', ';'), numberIn('1.234,5', ';'), numberIn('4.2', ';'), numberIn('-0,5', '\t')],
      [4.2, 1234.5, 4.2, -0.5],
    );
    assert.deepEqual([numberIn('4,2'), numberIn(''), numberIn('4,2,1', ';')], [Number.NaN, Number.NaN, Number.NaN]);
  });

  test('reads what it writes', () => {
    const rows = [
      ['a', 'b'],
      ['x,"y"', ' 1\n2 '],
      ['-3.5', ';'],
      ['', 'é'],
    ];
    assert.deepEqual(read(writeCsv(rows)), rows.slice(1));
  });

  test('writes nothing that a spreadsheet would run', () => {
    assert.equal(writeCsv([['=1+1', '-5', '+a', '@b']]), '"\t=1+1",-5,"\t+a","\t@b"\r\n');
  });
});

const beacon = (part: Partial<Beacon>): Beacon => ({
  objectId: 'id1',
  name: 'Hall',
  uuid: 'AA-BB',
  major: 1,
  minor: 2,
  metadata: {},
  createdAt: '2026-05-04T09:30:00.000Z',
  updatedAt: '2026-05-04T09:30:00.000Z',
  ...part,
});

describe('an import', () => {
  const hall = beacon({
    location: { x: 1, y: 2, note: 'door' } as Beacon['location'],
    radius: 4,
    metadata: { b: 1, a: 2 },
  });
  const plan = (text: string, beacons: readonly Beacon[] = [hall]) => {
    const rows = planImport(parseCsv(text), beacons);
    assert.ok(typeof rows !== 'string', String(rows));
    return rows;
  };
  const kinds = (text: string, beacons?: readonly Beacon[]) => plan(text, beacons).map(({ kind }) => kind);

  test('of what was exported changes nothing', () => {
    const many = [hall, beacon({ objectId: 'id2', minor: 3, sensitivity: 'fast', measuredPower: -60, name: '=Hall' })];
    assert.deepEqual(kinds(writeCsv([csvColumns, ...many.map(cellsOf)]), many), ['unchanged', 'unchanged']);
  });

  test('finds a beacon by what it sends, however that is written, and sends only what differs', () => {
    const [row] = plan('name,uuid,major,minor,radius\nGreat hall,aabb,1,2,\n');
    assert.deepEqual([row?.kind, row?.beaconId], ['changed', 'id1']);
    assert.deepEqual(row?.members, { name: 'Great hall', uuid: 'aabb', radius: null });
    assert.deepEqual(row?.differences.at(-1), { member: 'radius', before: '4', after: 'nothing' });
  });

  test('keeps further members of a location, and leaves out what has no column', () => {
    const [row] = plan('objectId,x,y\nid1,5,6\n');
    assert.deepEqual(row?.members, { location: { x: 5, y: 6, note: 'door' } });
  });

  test('refuses a row with its reasons, and the others go on', () => {
    const rows = plan(
      'objectId,name,uuid,major,minor,x,y,metadata\n' +
        ',,u,-1,1.5,1,,[1]\nnone,N,u,1,1,,,\n,A,u,1,1,,,\n,B,U,1,1,,,\n',
    );
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['refused', 'refused', 'new', 'refused'],
    );
    assert.match(rows[0]?.problem ?? '', /name must have.*major must be a whole.*minor must.*x and y.*metadata must/);
    assert.match(rows[1]?.problem ?? '', /no beacon with the objectId none/);
    assert.match(rows[3]?.problem ?? '', /Line 4 is about the same beacon/);
  });

  test('asks for the objectId where two beacons send the same', () => {
    const twins = [beacon({}), beacon({ objectId: 'id2' })];
    const text = (id: string) => `objectId,name,uuid,major,minor\n${id},X,aabb,1,2\n`;
    assert.deepEqual([kinds(text(''), twins), kinds(text('id2'), twins)], [['refused'], ['changed']]);
  });

  test('headings are found in any case, and unknown columns are left out', () => {
    const [row] = plan('NAME,Uuid,MAJOR,minor,colour\nGreat hall,aabb,1,2,red\n');
    assert.deepEqual([row?.kind, row?.members], ['changed', { name: 'Great hall', uuid: 'aabb' }]);
  });

  test('a column that the file lacks is another one, or the same in all rows', () => {
    const table = parseCsv('Label;major;Nummer\nGate;1;7\nHall;1;8\n');
    const whole = completed(table, { name: { column: 0 }, minor: { column: 2 }, uuid: { value: 'AABB' } });
    assert.deepEqual(missingColumns(whole.header), []);
    assert.deepEqual(
      planImport(whole, []).map(({ kind, members }) => [kind, members]),
      [
        ['new', { name: 'Gate', uuid: 'AABB', major: 1, minor: 7 }],
        ['new', { name: 'Hall', uuid: 'AABB', major: 1, minor: 8 }],
      ],
    );
  });

  test('says which columns are missing', () => {
    assert.deepEqual(missingColumns(['name', 'UUID']), ['major', 'minor']);
    assert.deepEqual(missingColumns(['objectId']), [], 'a row with an objectId needs nothing more');
  });
});

describe('the bytes of a file', () => {
  const text = 'name;größe\nCafé;4,2\n';
  const cases: readonly [what: string, bytes: Uint8Array, encoding: string][] = [
    ['UTF-8', Buffer.from(text), 'UTF-8'],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`), 'UTF-8'],
    ['UTF-16, little end first', Buffer.from(`\uFEFF${text}`, 'utf16le'), 'UTF-16'],
    ['UTF-16, big end first', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), 'UTF-16'],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le'), 'UTF-16'],
    ['ANSI', Buffer.from(text, 'latin1'), 'Windows-1252 (ANSI)'],
  ];
  for (const [what, bytes, encoding] of cases)
    test(`are read as ${what}`, () => {
      const decoded = decodeText(bytes);
      assert.deepEqual([decoded.text.replace('\uFEFF', ''), decoded.encoding], [text, encoding]);
    });
});

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

  test('as a table changes nothing either, and makes the same in an empty venue', () => {
    const text = writePlanCsv(site);
    assert.equal(
      text.split('\r\n')[0]?.replace('\uFEFF', ''),
      'type,objectId,name,level,kind,capacity,north,corners,timeZone,address,date,hours',
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
    assert.match(text, /^venue,v,Museum,,,300,.*,"Tue 10:00-18:00; Sat 20:00-01:00"\r$/m);
    assert.match(text, /^day,,Christmas Eve,,,,,,,,2026-12-24,10:00-12:00\r$/m);
    assert.match(text, /^day,,,,,,,,,,2026-12-25,closed\r$/m);
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
    assert.match(writePlanCsv(never), /^venue,.*,closed\r$/m);
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
