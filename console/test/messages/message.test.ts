import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { comingDays, daysText, type ShownDay, week } from '../../src/components/rules/days.ts';
import type { Rules } from '../../src/components/rules/rules.ts';
import { listedMessages } from '../../src/features/messages/listed-messages.ts';
import {
  fieldOf,
  fitsNotification,
  type Message,
  type MessageFields,
  messageOf,
  messageProblems,
  nameOf,
  newMessage,
  notificationBody,
  scenarioBody,
} from '../../src/features/messages/message.ts';
import type { MessageSearch } from '../../src/features/messages/message-search.ts';
import { languagesOfMessage, nextDates } from '../../src/features/messages/message-words.ts';
import { partsOf } from '../../src/features/messages/sentence/parts.ts';
import { trialOf } from '../../src/features/messages/trial.ts';
import { languageText } from '../../src/lib/text/languages.ts';
import { timesIn } from '../../src/lib/time/times.ts';
import { addDays, instantOf, wallTime } from '../../src/lib/time/zoned-time.ts';

const days = (...names: readonly string[]): ShownDay[] =>
  week.map((dayName) => ({ dayName, checked: names.includes(dayName) }));
const times = timesIn('Europe/Vienna');

const known = { app: {}, times, names: (id: string) => (id === 'gone' ? null : id) };
const site = { zone: 'Europe/Vienna', now: Date.parse('2026-11-29T16:00:00.000Z') };
const message = (change: Partial<MessageFields> = {}): MessageFields => ({
  ...newMessage(),
  alertTitle: 'Welcome',
  beacons: ['Hall'],
  ...change,
});
const december = { validFrom: '2026-11-30T23:00:00.000Z', validUntil: '2026-12-31T23:00:00.000Z' };

describe('the sentence that says where and when', () => {
  const said = (change: Partial<MessageFields>, app: Rules = {}) => {
    const { places, often, days: on, hours, period, more, otherwise } = partsOf(message(change), { ...known, app });
    return [places, often, on, hours, period, more, otherwise].join(' | ');
  };
  const cases: readonly (readonly [Partial<MessageFields>, string, Rules?])[] = [
    [{}, 'Hall | once a visit | every day | at any hour | from now on |  | '],
    [{ beacons: [] }, 'a place | once a visit | every day | at any hour | from now on |  | '],
    [{ beacons: ['gone'] }, 'a beacon that is deleted | once a visit | every day | at any hour | from now on |  | '],
    [
      { beacons: ['A', 'gone', 'B', 'C', 'D'], showOn: days('Sat'), delivery: december },
      'A, B or one of 2 more | once a visit | on Saturdays | at any hour | in December 2026 |  | ',
    ],
    [
      {
        showOn: days('Mon', 'Tue', 'Wed', 'Fri'),
        delivery: { quietHours: { from: '17:00', until: '10:00' }, oncePer: 'event' },
      },
      'Hall | each time, even within one visit | on Mon–Wed, Fri | from 10:00 to 17:00 | from now on |  | ',
    ],
    [
      { showOn: [], delivery: { venueHours: { during: 'open' }, nthVisit: { n: 11, mode: 'every' } } },
      'Hall | at every 11th visit | on no day | while the venue is open | from now on |  | ',
    ],
    [
      { delivery: { validFrom: '2026-11-30T23:00:00.000Z', validUntil: '2026-12-24T23:00:00.000Z' } },
      'Hall | once a visit | every day | at any hour | 1 – 24 December 2026 |  | ',
    ],
    [
      { delivery: { validUntil: '2026-12-24T11:30:00.000Z' } },
      'Hall | once a visit | every day | at any hour | until 24 December 2026 at 12:30 |  | ',
    ],
    [
      { delivery: { coolDown: { seconds: 7_200, per: 'trigger' }, quietHours: null } },
      'Hall | once a visit | every day | at any hour | from now on | with a pause of 2 hours after the last time | at most 3 messages of the app a day',
      { quietHours: { from: '22:00', until: '08:00' }, caps: [{ count: 3, per: 'app', window: 'day' }] },
    ],
    [
      {},
      'Hall | once a visit | every day | from 08:00 to 22:00 | from now on |  | with a pause of 15 minutes after any other message',
      { quietHours: { from: '22:00', until: '08:00' }, coolDown: { seconds: 900, per: 'app' } },
    ],
  ];
  for (const [change, text, app] of cases)
    test(text, () => assert.equal(said(change, app).replaceAll(/[\u2009\u202f\u00a0]/g, ' '), text));
});

describe('what the list says about a message', () => {
  const next = (change: Partial<MessageFields>) => nextDates(message(change), {}, site);
  const cases: readonly (readonly [Partial<MessageFields>, string])[] = [
    [{}, 'every day'],
    [{ showOn: days('Sat', 'Sun') }, '29 Nov, 5 Dec, 6 Dec …'],
    [{ showOn: days('Sat'), delivery: december }, '5 Dec, 12 Dec, 19 Dec …'],
    [{ delivery: december }, 'daily from 1 Dec'],
    [{ delivery: { validUntil: '2026-11-01T23:00:00.000Z' } }, 'ended on 1 Nov'],
    [{ delivery: { validFrom: '2027-05-03T22:00:00.000Z' } }, 'from 4 May on'],
    [{ showOn: days() }, 'on no day'],
  ];
  for (const [change, text] of cases)
    test(`${text}: ${JSON.stringify(change)}`, () => assert.equal(next(change), text));

  test('its languages, and what is missing in each', () => {
    const fields = message({
      alertMessage: 'Come in.',
      language: 'en',
      translations: { de: { alertTitle: 'Willkommen' }, fr: {}, it: { alertTitle: 'Ciao', alertMessage: 'Venite.' } },
    });
    assert.deepEqual(languagesOfMessage(fields).map(languageText), [
      'English',
      'German: no text',
      'French: no title and text',
      'Italian',
    ]);
    assert.deepEqual(languagesOfMessage(message()).map(languageText), ['The message']);
  });

  test('a search finds names, texts and translations, and keeps to those that are on or off', () => {
    const one = (objectId: string, isEnabled: boolean, change: Partial<MessageFields>) =>
      ({ ...stored(message(change)), objectId, isEnabled, name: nameOf(message(change)) }) as Message;
    const all = [
      one('a', true, { name: 'Zoo' }),
      one('b', false, { translations: { de: { alertMessage: 'Der Wal' } } }),
      one('c', true, { alertMessage: 'The whale' }),
    ];
    const found = (search: MessageSearch) => listedMessages(all, search).map(({ objectId }) => objectId);
    assert.deepEqual(
      [found({}), found({ order: '-name' })],
      [
        ['b', 'c', 'a'],
        ['a', 'b', 'c'],
      ],
    );
    assert.deepEqual(
      [found({ q: 'wal' }), found({ q: 'WHALE welcome' }), found({ state: 'off' })],
      [['b'], ['c'], ['b']],
    );
  });
});

/** As the service answers what the form writes. */
function stored(fields: MessageFields): Message {
  const stamps = { objectId: 'id', isEnabled: false, createdAt: '', updatedAt: '' };
  if (fitsNotification(fields))
    return messageOf({ kind: 'notification', record: { ...stamps, ...notificationBody(fields) } as never });
  const scenario = { ...stamps, ...scenarioBody(fields) } as never;
  const record = { ...stamps, title: nameOf(fields) } as never;
  return messageOf({ kind: 'storyline', record, scenario, scenarios: [scenario] });
}

describe('how a message is stored', () => {
  const cases: readonly (readonly [string, 'notification' | 'storyline', Partial<MessageFields>])[] = [
    ['a text at one beacon', 'notification', {}],
    [
      'hours and a period',
      'notification',
      { delivery: { ...december, quietHours: { from: '17:00', until: '10:00' } } },
    ],
    [
      'a picture, another one in German',
      'notification',
      {
        urlImageIOS: 'https://a.example/a.png',
        translations: { de: { urlImageIOS: 'https://a.example/b.png' } },
      },
    ],
    ['a video', 'notification', { urlVideo: 'https://a.example/a.mp4' }],
    [
      'a goal, a holdout and two wordings',
      'notification',
      {
        goal: { kind: 'visit', withinHours: 3 },
        holdout: 10,
        variants: [{ name: 'A' }, { name: 'B', message: { alertTitle: 'Hi' } }],
      },
    ],
    ['two places', 'storyline', { beacons: ['Hall', 'Shop'] }],
    ['Saturdays', 'storyline', { showOn: days('Sat') }],
    ['a page', 'storyline', { urlPage: 'https://a.example' }],
    ['a page without a text', 'storyline', { alertTitle: '', alertMessage: '', urlPage: 'https://a.example' }],
    ['a picture and a video', 'storyline', { urlImageIOS: 'https://a.example/a.png', urlVideo: 'https://a.example/v' }],
    ['another picture for Android', 'storyline', { urlImageAndroid: 'https://a.example/a.png' }],
    ['a page in German alone', 'storyline', { translations: { de: { urlPage: 'https://a.example/de' } } }],
  ];
  for (const [what, kind, change] of cases)
    test(`${what}: as a ${kind}, and is read back as it was`, () => {
      const fields = message({ name: 'For Ana', alertMessage: 'Come in.', ...change });
      const one = stored(fields);
      assert.deepEqual([one.stored.kind, one.fields], [kind, fields]);
    });

  test('of a notification what the form does not have stays, and of a scenario what apps are told that it is', () => {
    const record = { message: { alertTitle: 'Hi', alertMessage: '', sound: 'horn.wav' }, type: 'TEXT' } as never;
    assert.equal((notificationBody(message(), record).message as Record<string, unknown>)['sound'], 'horn.wav');
    const page = 'https://a.example';
    const scenario = { campaign: 'TEXT', urlPage: page, beacons: ['Hall'], showOn: [], event: 'ENTER' } as never;
    assert.equal(scenarioBody(message({ urlPage: page }), scenario).campaign, 'TEXT');
    assert.equal(scenarioBody(message({ urlPage: page, urlVideo: page }), scenario).campaign, 'VIDEO');
  });

  test('its name is its title unless it has one, and the internal name is no part of it', () => {
    assert.equal(nameOf(message()), 'Welcome');
    const body = notificationBody(message({ name: 'Internal: for Ana' }));
    assert.deepEqual(
      [body.description, body.message],
      ['Internal: for Ana', { alertTitle: 'Welcome', alertMessage: '', url: undefined }],
    );
    assert.equal(nameOf(message({ alertTitle: 'x'.repeat(80) })).length, 50);
  });

  test('what is missing is named at its field; a draft needs a name or words', () => {
    const lacks = (change: Partial<MessageFields>, isOn = false) =>
      messageProblems(message(change), isOn).map(({ field }) => field);
    assert.deepEqual(lacks({ beacons: [], alertTitle: ' ' }), ['alertTitle', 'beacons']);
    assert.deepEqual(lacks({ alertTitle: '', name: 'Later' }), []);
    assert.deepEqual(lacks({ alertTitle: '', name: 'Later' }, true), ['alertTitle']);
    assert.deepEqual(lacks({ alertTitle: '', urlVideo: 'https://a.example' }), ['name']);
    assert.deepEqual(lacks({ translations: { de: { alertTitle: ' ' } } }), ['translations.de']);
    assert.deepEqual(lacks({ goal: { kind: 'visit', beaconId: '', withinHours: 1 } }), ['goal.beaconId']);
  });

  test('the service names its members, the form its fields', () => {
    const names = [
      'description',
      'title',
      'beaconId',
      'message.url',
      'message.alertTitle',
      'translations.de.url',
      'showOn',
    ];
    assert.deepEqual(names.map(fieldOf), [
      'name',
      'name',
      'beacons',
      'urlImageIOS',
      'alertTitle',
      'translations.de.urlImageIOS',
      'showOn',
    ]);
  });
});

describe('what a message would have sent', () => {
  test('is asked with its rules, as if it were on', () => {
    const delivery = { quietHours: { from: '17:00', until: '10:00' } };
    const { draft, standIn } = trialOf(message({ delivery, holdout: 10 }), {}, site);
    assert.equal(standIn, undefined);
    const { showOn, ...rest } = draft;
    assert.deepEqual(rest, { beacons: ['Hall'], event: 'ENTER', isEnabled: true, holdout: 10, delivery });
    assert.equal(showOn?.length, 7);
  });

  test('in a period to come, on the same days of the last weeks', () => {
    const on = (change: Partial<MessageFields>) => {
      const { draft, standIn } = trialOf(message(change), {}, site);
      assert.deepEqual(draft.showOn, standIn);
      assert.deepEqual([draft.delivery?.validFrom, draft.delivery?.validUntil], [null, null]);
      return daysText(standIn ?? []);
    };
    const holidays = { validFrom: '2026-12-23T23:00:00.000Z', validUntil: '2026-12-26T23:00:00.000Z' };
    assert.equal(on({ delivery: holidays }), 'Thu–Sat');
    assert.equal(on({ delivery: holidays, showOn: days('Sat', 'Sun') }), 'Sat');
    assert.equal(on({ delivery: december, showOn: days('Sat') }), 'Sat');
    assert.equal(on({ delivery: { validFrom: december.validFrom } }), 'Mon–Sun');
  });
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
  test('a message that is off runs on no day', () => {
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
