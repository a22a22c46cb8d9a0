import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import type { Beacon } from '../../../sdk/src/index.ts';
import { cellsOf, csvColumns, missingColumns } from '../../src/features/beacons/import/csv-columns.ts';
import { planImport } from '../../src/features/beacons/import/import-plan.ts';
import { completed, parseCsv, writeCsv } from '../../src/lib/text/csv.ts';

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

  test('warns of a UUID that no phone would find, also where only that changes', () => {
    const whole = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
    const rows = plan(
      `objectId,name,uuid,major,minor\n,A,${whole},1,1\n,B,${whole.slice(0, -4)},1,2\nid1,Hall,${whole.slice(4)},1,2\nid1,Hall,AA-BB,1,2\n`,
    );
    assert.deepEqual(
      rows.map(({ kind, warning }) => `${kind} ${warning?.slice(0, 15) ?? ''}`.trim()),
      ['new', 'new This is no UUID', 'changed This is no UUID', 'refused'],
    );
    assert.equal(plan('objectId,uuid\nid1,AA-BB\n')[0]?.warning, undefined, 'as it is already');
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
