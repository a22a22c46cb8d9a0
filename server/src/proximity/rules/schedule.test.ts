import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeDays, isQuiet, localTime, runsOn, siteTimeZone } from './schedule.ts';

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
    { numRuns: 500 },
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

test('days are told as an editor would say them', () => {
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
