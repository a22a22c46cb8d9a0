import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { PresenceEvent } from '../src/presence/types.ts';
import type { History, Rules, Trigger, Verdict } from '../src/rules/rule-types.ts';
import { judge } from '../src/rules/rules.ts';
import { kinds, NOON, repeat, rulesOf, see, trigger, wait, walk } from './support/engine-calls.ts';

const SECOND = 1000;
const HOUR = 3_600_000;
const enter: PresenceEvent = {
  id: 'e',
  event: 'ENTER',
  installationId: 'phone',
  beaconId: 'beacon',
  visitId: 'v',
  at: NOON,
  enteredAt: NOON,
  cause: 'samples',
};
const weekend = [
  { dayName: 'Sat', checked: true },
  { dayName: 'Sun', checked: true },
  { dayName: 'Mon', checked: false },
];

interface Ask {
  trigger?: Partial<Trigger>;
  rules?: Partial<Rules>;
  history?: History;
  event?: Partial<PresenceEvent>;
  now?: number;
}

function ask({ trigger: members = {}, rules = {}, history = {}, event = {}, now = NOON }: Ask): Verdict {
  const happened = { ...enter, ...event };
  const asked = trigger(members);
  return judge({ trigger: asked, event: happened, at: happened.at, now }, rulesOf([asked], rules), history);
}

const fired = (minutesAgo: number, triggerId = 't') => ({
  triggerId,
  visitId: 'before',
  at: NOON - minutesAgo * 60_000,
});

const CASES: [string, Ask, string, string][] = [
  ['a switched-off notification', { trigger: { enabled: false } }, 'disabled', 'Not shown: it is switched off.'],
  [
    'a switched-off storyline',
    { trigger: { enabled: false, kind: 'scenario' } },
    'disabled',
    'Not shown: its storyline is switched off.',
  ],
  [
    'another event',
    { trigger: { event: 'EXIT' } },
    'event',
    'Not shown: it waits until the visitor leaves the beacon, and this visitor comes to the beacon.',
  ],
  ['another beacon', { trigger: { beaconIds: ['x'] } }, 'beacon', 'Not shown: it belongs to another beacon.'],
  [
    'a day that is not checked',
    { trigger: { showOn: weekend }, rules: { appTimeZone: 'Europe/Vienna' } },
    'schedule',
    'Not shown: it runs on Sat, Sun, and it was Monday in Europe/Vienna.',
  ],
  [
    'an empty schedule',
    { trigger: { showOn: [] } },
    'schedule',
    'Not shown: it runs on no day, and it was Monday in UTC.',
  ],
  [
    'an old report',
    { now: NOON + 300 * SECOND },
    'stale',
    'Not shown: the report came 5 minutes late, and after 2 minutes it is no longer shown.',
  ],
  [
    'an inferred exit',
    { trigger: { event: 'EXIT' }, event: { event: 'EXIT', inferred: true } },
    'stale',
    'Not shown: nobody reported that the visitor left; the visit was closed 12 hours later.',
  ],
  [
    'a second time in the visit',
    { history: { fired: [{ triggerId: 't', visitId: 'v', at: NOON - 1 }] } },
    'repeat',
    'Not shown: it was shown in this visit already.',
  ],
  [
    'within the cool-down',
    { rules: { polite: true }, history: { fired: [fired(10)] } },
    'cool_down',
    'Not shown: it was shown 10 minutes before, and the pause is 15 minutes.',
  ],
  [
    'over the daily cap of the polite preset',
    { rules: { polite: true }, history: { fired: [fired(60, 'a'), fired(90, 'b'), fired(95, 'c')] } },
    'cap',
    'Not shown: this visitor has had 3 messages that day already, which is the limit.',
  ],
  [
    'over a cap in a window',
    { trigger: { policy: { caps: [{ count: 1, per: 'trigger', window: 7200 }] } }, history: { fired: [fired(110)] } },
    'cap',
    'Not shown: it has been shown once within 2 hours already, which is the limit.',
  ],
  [
    'a first visit, when the third is wanted',
    { trigger: { policy: { nthVisit: { n: 3, mode: 'only' } } } },
    'nth_visit',
    'Not shown: it is shown only at visit 3, and this was visit 1.',
  ],
  [
    'quiet hours over midnight',
    { rules: { polite: true, appTimeZone: 'Asia/Tokyo' }, event: { at: NOON + 2 * HOUR }, now: NOON + 2 * HOUR },
    'quiet_hours',
    'Not shown: it is quiet from 22:00 to 08:00, and it was 23:00 in Asia/Tokyo.',
  ],
  [
    'before its time',
    { trigger: { policy: { validFrom: NOON + HOUR } } },
    'validity',
    'Not shown: it starts on 2026-03-02 13:00 in UTC.',
  ],
  [
    'after its time',
    { trigger: { policy: { validUntil: NOON } } },
    'validity',
    'Not shown: it ended on 2026-03-02 12:00 in UTC.',
  ],
  [
    'nowhere to deliver to',
    { rules: { hasTarget: false } },
    'no_target',
    'Not shown: the device has no address to which a message could be sent.',
  ],
  ['nothing in the way', {}, 'fired', 'Shown.'],
];

for (const [name, question, reason, text] of CASES) {
  test(`${name}: ${reason}`, () => {
    const verdict = ask(question);
    assert.equal(verdict.reason, reason);
    assert.equal(verdict.text, text);
    assert.equal(verdict.outcome, reason === 'fired' ? 'fired' : 'stopped');
  });
}

test('the first gate in the order of the design gives the reason', () => {
  const blocked: Ask = {
    trigger: { enabled: false, event: 'EXIT', beaconIds: [], showOn: [] },
    rules: { hasTarget: false, polite: true },
    now: NOON + HOUR,
    history: { fired: [{ triggerId: 't', visitId: 'v', at: NOON - 1 }] },
  };
  const seen: string[] = [];
  const steps: Partial<Trigger>[] = [
    { enabled: true },
    { event: 'ENTER' },
    { beaconIds: ['beacon'] },
    { showOn: undefined },
  ];
  for (const step of [{}, ...steps]) {
    blocked.trigger = { ...blocked.trigger, ...step };
    seen.push(ask(blocked).reason);
  }
  seen.push(ask({ ...blocked, now: NOON }).reason);
  seen.push(ask({ ...blocked, now: NOON, history: {} }).reason);
  assert.deepEqual(seen, ['disabled', 'event', 'beacon', 'schedule', 'stale', 'repeat', 'no_target']);
});

test('a trigger can switch off what the app asks for, and repeat within a visit', () => {
  const history = { fired: [{ triggerId: 't', visitId: 'v', at: NOON - 1 }] };
  const policy = { coolDown: null, caps: null, oncePer: 'event' as const };
  assert.equal(ask({ rules: { polite: true }, trigger: { policy }, history }).reason, 'fired');
});

test('a genuine second pass fires again, a flap does not', () => {
  const rules = rulesOf([trigger()]);
  const near = repeat(2, 20);
  const twice = see(walk([...near, ...repeat(20, 60), ...near]), null, { rules });
  const reasons = twice.verdicts.filter(({ reason }) => reason !== 'event').map(({ reason }) => reason);
  assert.deepEqual(reasons, ['fired', 'fired']);
});

test('the n-th visit counts the visits of the same batch too', () => {
  const rules = rulesOf([trigger({ policy: { nthVisit: { n: 2, mode: 'only' } } })]);
  const outcome = see(walk([...repeat(2, 10), ...repeat(20, 60), ...repeat(2, 20)]), null, { rules });
  const reasons = outcome.verdicts.filter(({ event }) => event === 'ENTER').map(({ reason }) => reason);
  assert.deepEqual(reasons, ['nth_visit', 'fired']);
});

test('dwell waits, and fires once the visitor was heard for that long', () => {
  const rules = rulesOf([trigger({ policy: { dwellSeconds: 20 } })]);
  const start = see(walk(repeat(2, 10)), null, { rules });
  const [pending] = start.verdicts;
  assert.equal(pending?.outcome, 'pending');
  assert.equal(pending?.text, 'Not shown yet: the visitor has to stay 20 seconds.');
  assert.equal(pending?.dueAt, NOON + 20 * SECOND);
  assert.deepEqual(see(walk(repeat(2, 10), NOON + 10 * SECOND), start, { rules }).verdicts, [], 'heard for 19 seconds');
  const done = see(walk(repeat(2, 11), NOON + 10 * SECOND), start, { rules });
  assert.deepEqual([done.verdicts[0]?.outcome, done.verdicts[0]?.eventId], ['fired', pending?.eventId]);
  assert.deepEqual(see(walk([2], NOON + 21 * SECOND), done, { rules }).verdicts, []);
  const gone = wait(start, NOON + 60 * SECOND, { rules });
  assert.equal(
    gone.verdicts.at(-1)?.text,
    'Not shown: the visitor has to stay 20 seconds first and left after 9 seconds.',
  );
});

test('dwell waits no longer than times can be written', () => {
  const at = Date.parse('9999-12-31T23:59:50Z');
  const { outcome, dueAt } = ask({ trigger: { policy: { dwellSeconds: 300 } }, event: { at, enteredAt: at }, now: at });
  assert.deepEqual([outcome, new Date(dueAt ?? 0).toISOString()], ['pending', '9999-12-31T23:59:59.999Z']);
});

test('dwell trusts a phone that decides', () => {
  const rules = rulesOf([trigger({ policy: { dwellSeconds: 20 } })]);
  const start = see([{ occurredAt: NOON, event: 'ENTER' }], null, { rules });
  assert.deepEqual(wait(start, NOON + 20 * SECOND - 1, { rules }).verdicts, []);
  assert.equal(wait(start, NOON + 20 * SECOND, { rules }).verdicts[0]?.outcome, 'fired');
});

test('dwell says so when the visitor leaves first', () => {
  const rules = rulesOf([trigger({ policy: { dwellSeconds: 300 } })]);
  const outcome = see(walk([...repeat(2, 10), ...repeat(20, 60)]), null, { rules });
  assert.deepEqual(kinds(outcome), ['ENTER', 'NEAR', 'FAR', 'EXIT']);
  const verdict = outcome.verdicts.find(({ event, outcome: end }) => event === 'ENTER' && end === 'stopped');
  assert.match(
    verdict?.text ?? '',
    /^Not shown: the visitor has to stay 5 minutes first and left after \d+ seconds\.$/,
  );
  assert.deepEqual(outcome.waits, []);
});

test('a farewell can ask for a minimum stay', () => {
  const stay = { trigger: { event: 'EXIT' as const, policy: { dwellSeconds: 60 } } };
  const left = (seconds: number) => ({ event: 'EXIT' as const, enteredAt: NOON - seconds * SECOND, leftAt: NOON });
  assert.equal(ask({ ...stay, event: left(59) }).reason, 'dwell');
  assert.equal(ask({ ...stay, event: left(60) }).reason, 'fired');
});

test('the time zone is the first valid one of scenario, beacon, app and UTC', () => {
  const sunday = { showOn: [{ dayName: 'Sun', checked: true }] };
  const late = { at: Date.UTC(2026, 2, 1, 20), enteredAt: NOON };
  const at = (zones: Ask['rules'], own?: string) =>
    ask({ trigger: { ...sunday, timeZone: own }, rules: zones, event: late, now: late.at }).reason;
  assert.equal(at({}), 'fired');
  assert.equal(at({ appTimeZone: 'Asia/Tokyo' }), 'schedule');
  assert.equal(at({ appTimeZone: 'Asia/Tokyo', beaconTimeZone: 'Europe/Rome' }), 'fired');
  assert.equal(at({ appTimeZone: 'UTC', beaconTimeZone: 'Not/AZone' }, 'Asia/Kolkata'), 'schedule');
});
