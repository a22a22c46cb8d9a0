import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { type DayName, week as weekDays } from '../../src/components/rules/days.ts';
import { osmHours, readOsmHours } from '../../src/features/venues/osm-hours.ts';

describe('opening hours of OpenStreetMap', () => {
  const read = (text: string) => {
    const found = readOsmHours(text);
    if ('unknown' in found) return `unknown ${found.unknown}`;
    const { openingHours, exceptions } = found;
    return [
      openingHours?.map(({ dayName, from, until }) => `${dayName} ${from}-${until}`).join(' '),
      ...exceptions.map(({ date, name, hours }) =>
        [date, name, ...hours.map(({ from, until }) => `${from}-${until}`)].filter(Boolean).join(' '),
      ),
    ];
  };
  const on = (days: readonly DayName[], times: string) => days.map((day) => `${day} ${times}`).join(' ');

  test('are read day by day; a later rule replaces the ones before it on its days', () => {
    assert.deepEqual(read('Mo-Fr 9:00-17:00; We off; Sa,Su 10:00-12:00,13:00-15:00'), [
      'Mon 09:00-17:00 Tue 09:00-17:00 Thu 09:00-17:00 Fri 09:00-17:00 ' +
        'Sat 10:00-12:00 Sat 13:00-15:00 Sun 10:00-12:00 Sun 13:00-15:00',
    ]);
    assert.deepEqual(read('Sa-Mo 20:00-26:00'), [on(['Mon', 'Sat', 'Sun'], '20:00-02:00')]);
    assert.deepEqual(read('24/7'), [on(weekDays, '00:00-24:00')]);
    assert.deepEqual(read('10:00–18:00'), [on(weekDays, '10:00-18:00')]);
    assert.deepEqual(read('Mo: 10:00 - 18:00;'), ['Mon 10:00-18:00']);
    assert.deepEqual(read('off; Mo 10:00-18:00'), ['Mon 10:00-18:00']);
    assert.deepEqual(read('closed'), ['']);
    assert.deepEqual(read(''), [undefined]);
  });

  test('are read of dates and of a few days in a row, with their comment as the name', () => {
    assert.deepEqual(read('2026 Dec 24 10:00-12:00 "Eve; of Christmas"; 2026 Dec 30-2027 Jan 01,2027 Jan 6 off'), [
      undefined,
      '2026-12-24 Eve; of Christmas 10:00-12:00',
      '2026-12-30',
      '2026-12-31',
      '2027-01-01',
      '2027-01-06',
    ]);
    assert.deepEqual(read('2028 Feb 29 off'), [undefined, '2028-02-29']);
  });

  for (const [text, part = text] of [
    ['PH off'],
    ['Mo 10:00-18:00; SH off', 'SH off'],
    ['Mo-Fr 10:00+'],
    ['sunrise-sunset'],
    ['Mo 10:00-18:00 || "by appointment"'],
    ['Mo[1] 10:00-18:00'],
    ['Mo 25:00-26:00'],
    ['Mo 10:70-12:00'],
    ['Mo 10:00-12:00, We 12:00-13:00'],
    ['2027 Feb 29 off'],
    ['2026 Jun 01-2026 Sep 30 10:00-18:00'],
    ['Dec 25 off'],
    ['"by appointment'],
    ['in summer'],
  ] as const)
    test(`are told where they cannot be understood: ${text}`, () => {
      assert.equal(read(text), `unknown ${part}`);
    });

  test('are written so that they are read again, whatever the hours', () => {
    // Each of the 2^7 weeks, with hours that begin when others end, and past midnight.
    for (let bits = 0; bits < 128; bits++) {
      const openingHours = weekDays.flatMap((dayName, at) =>
        bits & (1 << at)
          ? [
              { dayName, from: '08:00', until: at % 2 ? '12:00' : '12:30' },
              { dayName, from: '20:00', until: at % 3 ? '24:00' : '03:00' },
            ]
          : [],
      );
      const exceptions = [{ date: '2026-01-01', name: 'New Year', hours: [{ from: '00:00', until: '24:00' }] }];
      const text = osmHours({ openingHours, exceptions });
      assert.deepEqual(readOsmHours(text ?? ''), { openingHours, exceptions }, String(text));
    }
    assert.equal(osmHours({ exceptions: [] }), null, 'nobody knows');
  });
});
