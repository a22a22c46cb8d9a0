import assert from 'node:assert/strict';
import { strToU8, zipSync } from 'fflate';
import { describe, test } from 'vitest';
import { planGeoJson } from '../../src/features/venues/geojson/plan-import.ts';
import type { Site } from '../../src/features/venues/geojson/write.ts';
import { unpacked } from '../../src/features/venues/imdf/archive.ts';
import { metresOf } from '../../src/features/venues/imdf/read.ts';
import { site } from './imdf-site.ts';

describe('an IMDF archive of somebody else', () => {
  const at = (east: number, north: number) => [10.58 + east / 59_600, 57.72 + north / 111_350];
  const square = [at(0, 0), at(5, 0), at(5, 5), at(0, 5), at(0, 0)];
  const collection = (...features: object[]) => ({ type: 'FeatureCollection', features });
  const level = { id: 'l', properties: { ordinal: 0, name: { en: 'Floor', da: 'Etage' } } };
  const unit = (id: string, properties: object, geometry: object = { type: 'Polygon', coordinates: [square] }) => ({
    id,
    geometry,
    properties: { level_id: 'l', ...properties },
  });
  const archive = (units: readonly object[], more: Readonly<Record<string, object>> = {}) =>
    new Map<string, unknown>(
      Object.entries({
        'manifest.json': { language: 'da' },
        'level.geojson': collection(level),
        'unit.geojson': collection(...units),
        ...more,
      }),
    );
  const planned = (units: readonly object[], more?: Readonly<Record<string, object>>) =>
    planGeoJson('app', metresOf(archive(units, more), site), { ...site, zones: [] }).map(
      ({ name, problem }) => problem ?? name,
    );

  test('names units in its language, by occupant or else by category; walls are no units', () => {
    const found = planned(
      [
        unit('a', { name: { en: 'Hall', da: 'Sal' } }),
        unit('b', { category: 'room' }),
        unit('c', { category: 'restroom.female' }, { type: 'MultiPolygon', coordinates: [[square]] }),
        unit('d', { category: 'column' }),
        unit('e', { name: { en: 'Ring' } }, { type: 'Polygon', coordinates: [square, square] }),
        unit('f', { name: { en: 'Off' } }, { type: 'Polygon', coordinates: [[at(0, 0), [999, 0], null, at(0, 0)]] }),
        unit('g', { name: { en: 'Two' } }, { type: 'MultiPolygon', coordinates: [[square], [square]] }),
      ],
      {
        'anchor.geojson': collection({ id: 'x', properties: { unit_id: 'b' } }),
        'occupant.geojson': collection({ properties: { anchor_id: 'x', name: { da: 'Café' } } }),
      },
    );
    assert.deepEqual(found, [
      'Etage',
      'Sal',
      'Café',
      'restroom.female 1',
      'Features of the type unit (column) are not imported.',
      'A zone has no holes: its Polygon needs exactly one ring.',
      'Its ring needs at least four positions of two numbers.',
      'A zone needs a Polygon.',
    ]);
  });

  test('is refused as a whole where it is about another place, or the venue says none', () => {
    const far = { latitude: 48.2, longitude: 16.4 };
    const read = (venue: Pick<Site['venue'], 'location'>) => () =>
      metresOf(archive([unit('a', {})]), { venue, floors: [], zones: [] });
    assert.throws(read({ location: far }), /about a place \d{4} km from the coordinates/);
    assert.throws(read({}), /where x and y are 0\. The archive is about 57\.72, 10\.58\./);
  });

  const zip = (entries: Readonly<Record<string, string | Uint8Array>>) =>
    zipSync(
      Object.fromEntries(
        Object.entries(entries).map(([name, of]) => [name, of instanceof Uint8Array ? of : strToU8(of)]),
      ),
    );
  const hostile: readonly [what: string, bytes: () => Uint8Array, said: RegExp][] = [
    ['no archive', () => strToU8('PK\u0003\u0004 and nothing'), /no ZIP archive that can be read/],
    ['half an archive', () => zip({ 'unit.geojson': '{}' }).slice(0, 60), /no ZIP archive that can be read/],
    ['a bomb', () => zip({ 'unit.geojson': new Uint8Array(60_000_000) }), /more than 50 MB/],
    [
      'one file twice',
      () => zip({ 'a/unit.geojson': '{}', 'b/unit.geojson': '{}' }),
      /unit\.geojson is in the archive twice/,
    ],
    ['broken JSON', () => zip({ 'unit.geojson': '{"features": [' }), /unit\.geojson is no JSON/],
    ['a workbook', () => zip({ 'xl/workbook.xml': '<x/>' }), /no IMDF archive: level\.geojson is missing/],
    [
      'no features',
      () => zip({ 'level.geojson': '[]', 'unit.geojson': '7' }),
      /level\.geojson is no FeatureCollection/,
    ],
    ['no levels', () => zip({ 'unit.geojson': '{"features":[]}' }), /level\.geojson is missing/],
  ];
  for (const [what, bytes, said] of hostile)
    test(`is refused with a sentence: ${what}`, async () => {
      await assert.rejects(async () => metresOf(await unpacked(bytes()), site), said);
    });

  test('may lie in folders, with the files of a Mac beside it, and names that lead elsewhere are only names', async () => {
    const found = await unpacked(
      zip({ '__MACOSX/._unit.geojson': 'no', '../../unit.geojson': '{}', 'x/../level.geojson': '{}', 'a.exe': 'no' }),
    );
    assert.deepEqual([...found.keys()], ['unit.geojson', 'level.geojson']);
  });
});
