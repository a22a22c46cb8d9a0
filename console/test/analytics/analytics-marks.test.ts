import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import type { HoursCalendar } from '../../src/features/analytics/hours.ts';
import { type Campaign, marksOf, namesAt, rowsOf } from '../../src/features/analytics/marks/marks.ts';
import { periodOf, readAnalyticsSearch } from '../../src/features/analytics/period.ts';
import { speak } from '../../src/lib/words/words.ts';

const days = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, day) => `2026-12-${String(from + day).padStart(2, '0')}`);
const december = { starts: days(20, 32), end: '2027-01-01' };
const calendarOf = (exceptions: HoursCalendar['exceptions']): HoursCalendar => ({
  name: 'Museum',
  week: [],
  exceptions,
});
const closed = (date: string, name?: string) => ({ date, hours: [], ...(name ? { name } : {}) });
const campaign = (name: string, from?: string, until?: string): Campaign => ({ name, from, until });

const shown = (time: typeof december, marked: Partial<Parameters<typeof marksOf>[1]>) =>
  marksOf(time, { calendar: undefined, campaigns: [], ...marked }).map(
    ({ kind, name, first, last }) => `${kind} ${name} ${first}-${last}`,
  );

describe('what is marked above the bars', () => {
  test('adjacent days of a holiday are one mark, and days without a name are described', () => {
    const calendar = calendarOf([
      closed('2026-12-25', 'Christmas'),
      closed('2026-12-26', 'Christmas'),
      closed('2026-12-28'),
      { date: '2026-12-31', hours: [{ from: '10:00', until: '12:00' }] },
      closed('2027-01-01', 'New Year'),
    ]);
    assert.deepEqual(shown(december, { calendar }), [
      'holiday Christmas 5-6',
      'holiday closed 8-8',
      'holiday other hours 11-11',
    ]);
  });

  test('a month names each of its holidays once, and the hours of a day are all of it', () => {
    const calendar = calendarOf([
      closed('2026-11-01', 'All Saints'),
      closed('2026-12-25', 'Christmas'),
      closed('2026-12-26', 'Christmas'),
      closed('2026-12-31', 'Old year'),
    ]);
    const months = { starts: ['2026-11-01', '2026-12-01'], end: '2027-01-01' };
    assert.deepEqual(shown(months, { calendar }), ['holiday All Saints 0-0', 'holiday Christmas; Old year 1-1']);
    const hours = { starts: ['2026-12-25T09:00', '2026-12-25T10:00'], end: '2026-12-26' };
    assert.deepEqual(shown(hours, { calendar }), ['holiday Christmas 0-1']);
  });

  test('a campaign marks the intervals in which it was valid, whichever end it has', () => {
    const campaigns = [
      campaign('open end', '2026-12-30T18:00'),
      campaign('until midnight', undefined, '2026-12-23T00:00'),
      campaign('both', '2026-12-22T09:00', '2026-12-24T09:00'),
      campaign('before', undefined, '2026-12-20T00:00'),
      campaign('after', '2027-01-01T00:00'),
    ];
    assert.deepEqual(shown(december, { campaigns }), [
      'campaign until midnight 0-2',
      'campaign both 2-4',
      'campaign open end 10-11',
    ]);
  });

  test('strips that do not overlap share a row, holidays have their own, and each interval names all its marks', () => {
    const marks = marksOf(december, {
      calendar: calendarOf([closed('2026-12-25', 'Christmas')]),
      campaigns: [
        campaign('a', '2026-12-20T00:00', '2026-12-22T00:00'),
        campaign('b', '2026-12-21T00:00', '2026-12-26T00:00'),
        campaign('c', '2026-12-22T00:00', '2026-12-27T00:00'),
      ],
    });
    const names = (most: number) => rowsOf(marks, most).map((row) => row.map(({ name }) => name).join());
    assert.deepEqual(names(5), ['Christmas', 'a,c', 'b']);
    assert.deepEqual(names(2), ['Christmas', 'a,c']);
    assert.deepEqual(namesAt(marks, 5), ['Christmas', 'b', 'c']);
    assert.deepEqual(namesAt(marks, 8), []);
  });
});

describe('when a venue is open', () => {
  test('a night belongs to the day on which it began, and reaches into the next, a holiday too', async () => {
    const { isClosedAt, isOpenInWeek } = await import('../../src/features/analytics/hours.ts');
    const calendar = {
      ...calendarOf([closed('2026-12-26'), { date: '2026-12-31', hours: [{ from: '22:00', until: '24:00' }] }]),
      week: (['Fri', 'Thu'] as const).map((dayName) => ({ dayName, from: '20:00', until: '02:00' })),
    };
    const open = ['2026-12-25T20:00', '2026-12-25T23:00', '2026-12-26T00:00', '2026-12-26T01:00', '2026-12-31T23:00'];
    const shut = ['2026-12-25T19:00', '2026-12-26T02:00', '2026-12-26T23:00', '2026-12-31T20:00', '2027-01-01T00:00'];
    for (const at of open) assert.equal(isClosedAt(calendar, at), false, at);
    for (const at of shut) assert.equal(isClosedAt(calendar, at), true, at);
    assert.deepEqual(
      (
        [
          [5, 23],
          [6, 1],
          [6, 2],
          [4, 0],
          [4, 21],
        ] as const
      ).map(([day, hour]) => isOpenInWeek(calendar, day, hour)),
      [true, true, false, false, true],
    );
  });

  test('is said by the days of the interface, whatever language the console speaks', async () => {
    speak('de', { Sat: 'Sa', Sun: 'So' });
    try {
      const { isClosedAt, isOpenInWeek } = await import('../../src/features/analytics/hours.ts');
      const calendar = {
        ...calendarOf([closed('2026-12-26')]),
        week: [{ dayName: 'Sat' as const, from: '10:00', until: '18:00' }],
      };
      assert.deepEqual(
        ['2026-12-19T10:00', '2026-12-19T18:00', '2026-12-19', '2026-12-20', '2026-12-26'].map((at) =>
          isClosedAt(calendar, at),
        ),
        [false, true, false, true, true],
      );
      assert.deepEqual([isOpenInWeek(calendar, 6, 17), isOpenInWeek(calendar, 7, 17)], [true, false]);
    } finally {
      speak('en', {});
    }
  });
});

test('of an address that names no place the numbers are those of everything', () => {
  assert.deepEqual(readAnalyticsSearch({ zone: '', unit: 'week' }), { unit: 'week' });
  assert.deepEqual(readAnalyticsSearch({ venue: '', zone: 'z1' }), { zone: 'z1' });
});

test('a period is the whole day, week, month or year around a day', () => {
  const around = (unit: Parameters<typeof periodOf>[0]) => {
    const { from, until } = periodOf(unit, '2027-01-03');
    return [from, until];
  };
  assert.deepEqual(around('day'), ['2027-01-03', '2027-01-04']);
  assert.deepEqual(around('week'), ['2026-12-28', '2027-01-04']);
  assert.deepEqual(around('month'), ['2027-01-01', '2027-02-01']);
  assert.deepEqual(around('year'), ['2027-01-01', '2028-01-01']);
});
