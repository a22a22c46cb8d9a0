import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { readCalendar } from '../../src/features/venues/read-calendar.ts';

const now = new Date('2026-11-26T10:00:00Z');
const calendar = (...lines: readonly string[]) =>
  new File(
    [['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n')],
    'holidays.ics',
  );
const events = (...all: readonly (readonly string[])[]) =>
  new File(
    [
      [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        ...all.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
        'END:VCALENDAR',
      ].join('\r\n'),
    ],
    'holidays.ics',
  );
const daysOf = async (timeZone: string, ...lines: readonly string[]) =>
  (await readCalendar(calendar(...lines), { now, timeZone })).map(({ date }) => date);

describe('holidays of a calendar', () => {
  test('that are days are these days, wherever the venue is', async () => {
    const christmas = ['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227'];
    for (const zone of ['Europe/Vienna', 'Pacific/Auckland', 'America/New_York'])
      assert.deepEqual(await daysOf(zone, ...christmas), ['2026-12-24', '2026-12-25', '2026-12-26'], zone);
  });

  test('that are moments of UTC are the days of the venue', async () => {
    // From midnight to midnight in Vienna.
    const christmasDay = ['DTSTART:20261224T230000Z', 'DTEND:20261225T230000Z'];
    assert.deepEqual(await daysOf('Europe/Vienna', ...christmasDay), ['2026-12-25']);
    assert.deepEqual(await daysOf('UTC', ...christmasDay), ['2026-12-24', '2026-12-25']);
    const repeated = ['DTSTART:20250430T220000Z', 'DTEND:20250501T220000Z', 'RRULE:FREQ=YEARLY'];
    assert.deepEqual((await daysOf('Europe/Vienna', ...repeated)).slice(0, 2), ['2027-05-01', '2028-05-01']);
  });

  test('have their names, however the program that exported them writes letters', async () => {
    const text = await calendar('SUMMARY:Mariä Empfängnis', 'DTSTART;VALUE=DATE:20261208').text();
    const encodings = {
      'UTF-8 with a mark': Buffer.from(`\uFEFF${text}`),
      'Windows-1252': Buffer.from(text, 'latin1'),
      'UTF-16': Buffer.from(`\uFEFF${text}`, 'utf16le'),
    };
    for (const [encoding, bytes] of Object.entries(encodings)) {
      const days = await readCalendar(new File([bytes], 'holidays.ics'), { now, timeZone: 'Europe/Vienna' });
      assert.deepEqual(days, [{ date: '2026-12-08', name: 'Mariä Empfängnis', hours: [] }], encoding);
    }
  });

  test('that have been repeated for many years are there', async () => {
    const mondays = await daysOf('Europe/Vienna', 'DTSTART;VALUE=DATE:20100104', 'RRULE:FREQ=WEEKLY');
    assert.deepEqual([mondays[0], mondays.length], ['2026-10-26', 162]);
    const spring = ['DTSTART;VALUE=DATE:19500501', 'DTEND;VALUE=DATE:19500503', 'RRULE:FREQ=YEARLY'];
    assert.deepEqual((await daysOf('UTC', ...spring)).slice(0, 3), ['2027-05-01', '2027-05-02', '2028-05-01']);
  });

  test('of which one was moved or cancelled are those that are left', async () => {
    const every = ['UID:1', 'SUMMARY:Cleaning', 'DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=WEEKLY;COUNT=4'];
    const moved = ['UID:1', 'RECURRENCE-ID;VALUE=DATE:20261208', 'SUMMARY:Later', 'DTSTART;VALUE=DATE:20261210'];
    const gone = ['UID:1', 'RECURRENCE-ID;VALUE=DATE:20261215', 'STATUS:CANCELLED', 'DTSTART;VALUE=DATE:20261215'];
    const other = ['UID:2', 'STATUS:CANCELLED', 'DTSTART;VALUE=DATE:20261218'];
    const told = await readCalendar(events(every, moved, gone, other), { now, timeZone: 'Europe/Vienna' });
    assert.deepEqual(
      told.map(({ date, name }) => `${date} ${name}`),
      ['2026-12-01 Cleaning', '2026-12-10 Later', '2026-12-22 Cleaning'],
    );
  });

  test('that close a venue for a whole winter, or for years, are all of them', async () => {
    const winter = await daysOf('Europe/Vienna', 'DTSTART;VALUE=DATE:20261201', 'DTEND;VALUE=DATE:20270401');
    assert.deepEqual([winter.length, winter.at(-1)], [121, '2027-03-31']);
    const evening = ['DTSTART:20261130T230000Z', 'DTEND:20270331T220000Z'];
    assert.equal((await daysOf('Europe/Vienna', ...evening)).length, 121);
    // It began long ago, and is not over.
    const rebuilt = await daysOf('Europe/Vienna', 'DTSTART;VALUE=DATE:20250101', 'DTEND;VALUE=DATE:20270101');
    assert.deepEqual([rebuilt[0], rebuilt.at(-1)], ['2026-10-26', '2026-12-31']);
    const everyWinter = ['DTSTART;VALUE=DATE:20241101', 'DTEND;VALUE=DATE:20250301', 'RRULE:FREQ=YEARLY'];
    const third = (await daysOf('UTC', ...everyWinter)).filter((date) => date > '2028-06' && date < '2029-06');
    assert.deepEqual([third[0], third.length, third.at(-1)], ['2028-11-01', 120, '2029-02-28']);
  });

  test('more than a venue can have are refused, not left out', async () => {
    const closed = ['DTSTART;VALUE=DATE:20250101', 'DTEND;VALUE=DATE:20400101'];
    await assert.rejects(daysOf('UTC', ...closed), /more than 1,000 days/);
    const daily = ['DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=DAILY'];
    await assert.rejects(daysOf('UTC', ...daily), /more than 1,000 days/);
  });

  test('with hours of the clock of a zone are the days of that clock', async () => {
    const evening = ['DTSTART;TZID=America/New_York:20261224T200000', 'DTEND;TZID=America/New_York:20261225T000000'];
    assert.deepEqual(await daysOf('Europe/Vienna', ...evening), ['2026-12-24']);
  });
});
