import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../scripts/test/runs.ts';
import { isOpenAt, isOpenDay, nextOpening, overlapInWeek, readHours } from '../src/rules/hours.ts';
import { localTime, siteTimeZone } from '../src/rules/local-time.ts';
import { describeDays, isQuiet, runsOn } from '../src/rules/schedule.ts';

const ZONES = [
  'UTC',
  'Europe/Vienna',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Africa/Casablanca',
];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The offset in minutes as Intl words it ("GMT+05:30"), which is another path through Intl than the weekday. */
function offsetMinutes(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(name) ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** Weekday and minute by arithmetic alone: days since 1 January 1970, a Thursday. */
function calendar(at: number, zone: string): { dayName: string; minute: number } {
  const minutes = Math.floor(at / 60_000) + offsetMinutes(at, zone);
  const days = Math.floor(minutes / 1440);
  return { dayName: DAYS[(((days + 4) % 7) + 7) % 7] ?? '', minute: minutes - days * 1440 };
}

test('weekday and clock agree with an independent calendar at any instant in any zone', () => {
  const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
  fc.assert(
    fc.property(instant, fc.constantFrom(...ZONES), (at, zone) => {
      const { dayName, minute } = localTime(at, zone);
      assert.deepEqual({ dayName, minute }, calendar(at, zone));
    }),
    runs(500),
  );
});

test('every quarter of an hour around the changes of clocks agrees too', () => {
  const changes: [string, number][] = [
    ['Europe/Vienna', Date.UTC(2026, 2, 29, 1)],
    ['Europe/Vienna', Date.UTC(2026, 9, 25, 1)],
    ['America/New_York', Date.UTC(2026, 2, 8, 7)],
    ['America/New_York', Date.UTC(2026, 10, 1, 6)],
    ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 15)],
    ['Australia/Lord_Howe', Date.UTC(2026, 9, 3, 15, 30)],
    ['Pacific/Apia', Date.UTC(2011, 11, 30, 10)],
  ];
  for (const [zone, change] of changes) {
    for (let at = change - 86_400_000; at <= change + 86_400_000; at += 900_000) {
      const { dayName, minute } = localTime(at, zone);
      assert.deepEqual({ dayName, minute }, calendar(at, zone), `${zone} ${new Date(at).toISOString()}`);
    }
  }
});

test('a day begins at midnight of the site, also after a change of clocks', () => {
  const monday = [{ dayName: 'Mon', checked: true }];
  const runs = (iso: string) => runsOn(monday, localTime(Date.parse(iso), 'Europe/Vienna').dayName);
  assert.equal(runs('2026-03-29T21:59:59Z'), false);
  assert.equal(runs('2026-03-29T22:00:00Z'), true);
  assert.equal(runs('2026-10-25T22:59:59Z'), false);
  assert.equal(runs('2026-10-25T23:00:00Z'), true);
});

test('a missing day is unchecked, an empty schedule never runs', () => {
  assert.equal(runsOn([{ dayName: 'Tue', checked: true }], 'Mon'), false);
  assert.equal(runsOn([{ dayName: 'Mon', checked: false }], 'Mon'), false);
  assert.equal(runsOn([], 'Mon'), false);
});

test('days are written as an editor would say them', () => {
  const days = (...names: string[]) => describeDays(names.map((dayName) => ({ dayName, checked: true })));
  assert.equal(days('Fri', 'Mon', 'Tue', 'Thu', 'Wed'), 'Mon–Fri');
  assert.equal(days('Mon', 'Wed', 'Sat', 'Sun'), 'Mon, Wed, Sat, Sun');
  assert.equal(days(), 'no day');
});

test('names that are no IANA zone are passed over, stored offsets too', () => {
  assert.equal(siteTimeZone([undefined, '', 'Mars/Olympus', '+02:00', 'Asia/Kolkata']), 'Asia/Kolkata');
  assert.equal(siteTimeZone(['nonsense']), 'UTC');
});

test('quiet hours may span midnight', () => {
  const night = { from: '22:00', until: '08:00' };
  assert.deepEqual(
    [0, 479, 480, 1319, 1320].map((minute) => isQuiet(night, minute)),
    [true, true, false, false, true],
  );
  assert.equal(isQuiet({ from: '12:00', until: '13:00' }, 750), true);
  assert.equal(isQuiet({ from: 'noon', until: '13:00' }, 750), false);
});

test('an answer that was kept is the answer: minutes, zones and back', () => {
  const noon = Date.UTC(2026, 4, 4, 12, 0, 59, 999);
  const shown = (at: number, zone: string) => {
    const { dayName, date, minute } = localTime(at, zone);
    return `${dayName} ${date} ${minute}`;
  };
  assert.equal(shown(noon, 'UTC'), 'Mon 2026-05-04 720');
  assert.equal(shown(noon, 'Asia/Kathmandu'), 'Mon 2026-05-04 1065');
  assert.equal(shown(noon + 1, 'UTC'), 'Mon 2026-05-04 721');
  assert.equal(shown(noon - 60_000, 'UTC'), 'Mon 2026-05-04 719');
  assert.equal(shown(noon, 'UTC'), 'Mon 2026-05-04 720');
  // Liberia was 44 minutes and 30 seconds behind until 1972.
  const odd = Date.UTC(1971, 0, 1, 12, 44, 20);
  assert.equal(shown(odd, 'Africa/Monrovia'), 'Fri 1971-01-01 719');
  assert.equal(shown(odd + 20_000, 'Africa/Monrovia'), 'Fri 1971-01-01 720');
});

const vienna = 'Europe/Vienna';
const at = (text: string) => Date.parse(text);

test('opening hours follow the clock on the wall, over midnight, into holidays and where clocks change', () => {
  const week = [
    ...['Tue', 'Sun'].map((dayName) => ({ dayName, from: '10:00', until: '18:00' })),
    { dayName: 'Sat', from: '20:00', until: '03:00' },
  ];
  const christmas = { date: '2026-12-27', name: 'Christmas', hours: [] };
  const hours = readHours(vienna, week, [
    christmas,
    { date: '2026-12-31', hours: [{ from: '22:00', until: '24:00' }] },
  ]);
  const open = (text: string) => isOpenAt(hours, at(text), vienna);
  assert.deepEqual(
    ['2026-03-03T08:59:59Z', '2026-03-03T09:00:00Z', '2026-03-03T16:59:59Z', '2026-03-03T17:00:00Z'].map(open),
    [false, true, true, false],
    'Tuesday in winter, from 10:00 to 18:00',
  );
  // On 29 March 2026 the clock goes from 02:00 to 03:00: the night ends with the hour that is missing.
  assert.deepEqual(['2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z'].map(open), [true, false]);
  // On 25 October 2026 the hour from 02:00 to 03:00 comes twice.
  assert.deepEqual(['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:00:00Z'].map(open), [
    true,
    true,
    false,
  ]);
  // The night of Saturday ends on a holiday, which is closed from then on.
  assert.deepEqual(['2026-12-27T01:00:00Z', '2026-12-27T10:00:00Z'].map(open), [true, false]);
  assert.deepEqual(['2026-12-31T21:30:00Z', '2026-12-31T23:00:00Z'].map(open), [true, false]);
  // The holiday is a day of Vienna, not of UTC.
  assert.equal(isOpenDay(hours, at('2026-12-26T23:30:00Z'), vienna), true, 'still the night of Saturday');
  assert.equal(isOpenDay(hours, at('2026-12-27T22:59:00Z'), vienna), false);
  assert.equal(nextOpening(hours, at('2026-03-28T10:00:00Z'), vienna), at('2026-03-28T19:00:00Z'));
  // Asked while the clocks have not changed yet.
  assert.equal(nextOpening(hours, at('2026-03-29T00:30:00Z'), vienna), at('2026-03-29T08:00:00Z'), '10:00 in summer');
  assert.equal(nextOpening(hours, at('2026-10-25T00:30:00Z'), vienna), at('2026-10-25T09:00:00Z'), '10:00 in winter');
  assert.equal(nextOpening(hours, at('2026-12-25T19:00:00Z'), vienna), at('2026-12-26T19:00:00Z'));
  assert.equal(nextOpening(hours, at('2026-12-27T10:00:00Z'), vienna), undefined, 'closed today and tomorrow');
  assert.equal(isOpenAt(readHours(undefined, undefined, [christmas]), at('2026-12-26T10:00:00Z'), vienna), true);
});

test('what opens in the hour that the clocks skip opens as they are put forward', () => {
  const openings = (zone: string, [from, until]: readonly [string, string], ...asked: string[]) => {
    const week = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon'].map((dayName) => ({ dayName, from, until }));
    return asked.map((text) => {
      const opensAt = nextOpening(readHours(undefined, week, []), at(text), zone);
      return opensAt === undefined ? 'unknown' : new Date(opensAt).toISOString();
    });
  };
  const same = (time: string) => [time, time];
  // In Vienna it is 03:00 after 01:59. What is open only within the missing hour does not open on that day.
  const vienneseNight = ['2026-03-28T12:00:00Z', '2026-03-29T00:50:30Z'];
  assert.deepEqual(openings(vienna, ['02:30', '06:00'], ...vienneseNight), same('2026-03-29T01:00:00.000Z'));
  assert.deepEqual(openings(vienna, ['02:00', '02:45'], ...vienneseNight), ['unknown', '2026-03-30T00:00:00.000Z']);
  // In Cairo the day begins at 01:00; on Lord Howe Island it is 02:30 after 01:59.
  const cairo = openings('Africa/Cairo', ['00:00', '06:00'], '2026-04-23T12:00:00Z', '2026-04-23T21:50:00Z');
  assert.deepEqual(cairo, same('2026-04-23T22:00:00.000Z'));
  const island = openings('Australia/Lord_Howe', ['02:15', '06:00'], '2026-10-03T12:00:00Z', '2026-10-03T15:20:00Z');
  assert.deepEqual(island, same('2026-10-03T15:30:00.000Z'));
  // The first of two times that are the same.
  const autumn = openings(vienna, ['02:30', '06:00'], '2026-10-24T12:00:00Z', '2026-10-25T00:10:30Z');
  assert.deepEqual(autumn, same('2026-10-25T00:30:00.000Z'));
});

test('hours that overlap are found, also over midnight and from Saturday into Sunday', () => {
  const day = (dayName: string, from: string, until: string) => ({ dayName, from, until });
  const overlaps = (...week: ReturnType<typeof day>[]) => overlapInWeek(week) !== undefined;
  assert.ok(!overlaps(day('Mon', '09:00', '12:00'), day('Mon', '12:00', '15:00')));
  assert.ok(overlaps(day('Mon', '09:00', '12:01'), day('Mon', '12:00', '15:00')));
  assert.ok(overlaps(day('Mon', '20:00', '03:00'), day('Tue', '02:00', '05:00')));
  assert.ok(overlaps(day('Sat', '20:00', '03:00'), day('Sun', '02:59', '05:00')));
  assert.ok(!overlaps(day('Sat', '20:00', '03:00'), day('Sun', '03:00', '05:00')));
  assert.ok(overlaps(day('Mon', '08:00', '08:00'), day('Tue', '07:00', '09:00')), 'a whole day and night');
});
