import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { comingDays, daysText, type ShownDay, week } from '../../src/components/rules/days.ts';
import { type Sentence, sentenceOf } from '../../src/components/rules/rule-words.ts';
import { timesIn } from '../../src/lib/time/times.ts';
import { addDays, instantOf, wallTime } from '../../src/lib/time/zoned-time.ts';

const days = (...names: readonly string[]): ShownDay[] =>
  week.map((dayName) => ({ dayName, checked: names.includes(dayName) }));
const times = timesIn('Europe/Vienna');

function said(sentence: Partial<Sentence>): string {
  const words = sentenceOf({ event: 'ENTER', places: ['Hall'], shown: 'Welcome', rules: {}, times, ...sentence });
  return words.map((word) => (typeof word === 'string' ? word : 'em' in word ? word.em : word.strong)).join('');
}

describe('a rule as a sentence', () => {
  const cases: readonly (readonly [Partial<Sentence>, string])[] = [
    [{}, 'When a visitor enters Hall, show Welcome.'],
    [{ shown: ' ', places: [] }, 'When a visitor enters a beacon, show your message.'],
    [{ places: [null] }, 'When a visitor enters a beacon that is deleted, show Welcome.'],
    [{ places: ['A', null, 'B'] }, 'When a visitor enters A or B, show Welcome.'],
    [{ places: ['A', 'B', 'C'] }, 'When a visitor enters A, B or C, show Welcome.'],
    [{ places: ['A', 'B', 'C', 'D'] }, 'When a visitor enters A, B or one of 2 more, show Welcome.'],
    [
      { showOn: days('Mon', 'Tue', 'Wed', 'Fri'), kind: 'picture' },
      'When a visitor enters Hall, show the picture Welcome on Mon–Wed, Fri.',
    ],
    [{ showOn: days(...week) }, 'When a visitor enters Hall, show Welcome every day.'],
    [{ showOn: [] }, 'When a visitor enters Hall, show Welcome on no day.'],
    [
      { event: 'EXIT', rules: { dwellSeconds: 90 } },
      'When a visitor leaves Hall after a stay of 90 seconds or more, show Welcome.',
    ],
    [
      { rules: { nthVisit: { n: 11, mode: 'every' } } },
      'When a visitor enters Hall, show Welcome, at every 11th visit.',
    ],
    [
      { rules: { nthVisit: { n: 22, mode: 'from' } } },
      'When a visitor enters Hall, show Welcome, from the 22nd visit on.',
    ],
    [{ rules: { oncePer: 'event' } }, 'When a visitor enters Hall, show Welcome, each time, even within one visit.'],
    [
      {
        rules: {
          caps: [
            { count: 1, per: 'trigger', window: 'day' },
            { count: 5, per: 'app', window: 7_200 },
          ],
        },
      },
      'When a visitor enters Hall, show Welcome, at most once a day and at most 5 messages of the app within 2 hours.',
    ],
    [
      { rules: { venueHours: { during: 'open', alreadyInside: true } } },
      'When a visitor enters Hall, show Welcome, only while the venue is open (also to those who are inside when it opens).',
    ],
    [
      { rules: { validFrom: '2026-05-04T08:00:00.000Z', coolDown: null, quietHours: null } },
      'When a visitor enters Hall, show Welcome, from 4 May 2026, 10:00 on.',
    ],
  ];
  for (const [sentence, text] of cases) test(text, () => assert.equal(said(sentence), text));
});

describe('the coming days', () => {
  const strip = (rules: object, more: object = {}) =>
    comingDays(
      { showOn: days('Mon', 'Tue', 'Wed', 'Thu', 'Fri'), rules, isEnabled: true, zone: 'Pacific/Auckland', ...more },
      at,
      7,
    )
      .map(({ date, runs }) => `${date.slice(8)} ${runs}`)
      .join(', ');
  // Already Saturday there.
  const at = Date.parse('2026-11-20T20:00:00.000Z');

  test('the calendar is that of the site', () => {
    assert.equal(strip({}), '21 no, 22 no, 23 yes, 24 yes, 25 yes, 26 yes, 27 yes');
  });
  test('a period cuts days, and a day in part', () => {
    const rules = { validFrom: '2026-11-23T20:00:00.000Z', validUntil: '2026-11-25T11:00:00.000Z' };
    assert.equal(strip(rules), '21 no, 22 no, 23 no, 24 part, 25 yes, 26 no, 27 no');
  });
  test('a storyline that is off runs on no day', () => {
    assert.equal(strip({}, { isEnabled: false }), '21 no, 22 no, 23 no, 24 no, 25 no, 26 no, 27 no');
  });
  test('days are said in runs', () => {
    assert.equal(daysText(days('Mon', 'Tue', 'Thu', 'Fri', 'Sat')), 'Mon, Tue, Thu–Sat');
    assert.equal(daysText([]), '');
  });
});

describe('the clock on the wall', () => {
  const cases = [
    ['2026-05-04T09:30', 'UTC', '2026-05-04T09:30:00.000Z'],
    ['2026-05-04T09:30', 'Europe/Vienna', '2026-05-04T07:30:00.000Z'],
    ['2026-12-04T09:30', 'Europe/Vienna', '2026-12-04T08:30:00.000Z'],
    ['2026-03-29T03:00', 'Europe/Vienna', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T00:30', 'Europe/Vienna', '2026-10-24T22:30:00.000Z'],
    ['2026-05-04T00:00', 'Pacific/Kiritimati', '2026-05-03T10:00:00.000Z'],
    ['2026-05-04T00:00', 'Asia/Kathmandu', '2026-05-03T18:15:00.000Z'],
  ] as const;
  for (const [wall, zone, iso] of cases)
    test(`${wall} in ${zone}`, () => {
      assert.equal(new Date(instantOf(wall, zone)).toISOString(), iso);
      assert.equal(wallTime(Date.parse(iso), zone), wall);
    });
  test('dates go on over months and leap days', () => {
    assert.deepEqual([addDays('2028-02-28', 1), addDays('2026-12-31', 1)], ['2028-02-29', '2027-01-01']);
  });
});
