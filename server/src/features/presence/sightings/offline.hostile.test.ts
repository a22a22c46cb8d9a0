import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { signIn } from '../../../../test/support/build-app.ts';
import { assertRefusals } from '../../../../test/support/cases.ts';
import { bothDatabases } from '../../../../test/support/depth.ts';
import { openSite, type Site, stay, walk } from '../../../../test/support/site.ts';

const minute = 60_000;

for (const database of bothDatabases) {
  describe(`what a phone says that it has decided while offline, on ${database}`, () => {
    let site: Site;
    let welcome: string;
    beforeEach(async () => {
      site = await openSite(database);
      welcome = await site.notification();
      await site.makeReachable();
    });
    afterEach(() => site.close());

    /** A visit of an hour ago, and what was shown in it. */
    const visit = () => walk(stay(1.5, 20), site.now - 60 * minute);
    const showing = (change: object = {}) => ({
      triggerId: welcome,
      beacon: site.hall,
      event: 'ENTER',
      shownAt: site.now - 60 * minute + 9_000,
      eventId: 'as the phone calls it',
      visitId: 'and this',
      ...change,
    });
    const tell = (shown: readonly object[], change: object = {}) =>
      site.send(visit(), { sentAt: site.now, decided: { until: site.now - 59 * minute, shown }, ...change });
    const fired = async (query: object = {}) =>
      site.list('verdicts', { where: JSON.stringify({ outcome: 'fired', ...query }) });
    const reasons = async () => (await site.list('verdicts')).map(({ reason }: { reason: string }) => reason);

    test('is recorded as shown, once, and not sent', async () => {
      assert.deepEqual((await tell([showing()])).messages, []);
      assert.equal((await fired()).length, 1);
      assert.equal((await site.rows('firings')).length, 1);
      const again = await tell([showing()], { sentAt: site.now + 1 });
      assert.deepEqual([again.problems, again.messages], [[], []]);
      await tell([showing({ shownAt: site.now - 60 * minute + 9_500 })]);
      assert.equal((await fired()).length, 1);
      assert.equal((await site.rows('firings')).length, 1);
      assert.deepEqual(await site.pushes(), []);
    });

    test('without it the same sightings come too late for a message', async () => {
      await site.send(visit());
      assert.ok((await reasons()).includes('stale'));
      await tell([showing()]);
      assert.equal((await fired()).length, 1, 'what is told later takes the place of what was recorded');
    });

    test('what the phone did not show has the reason that it had there', async () => {
      await site.notification({ delivery: { nthVisit: { n: 3, mode: 'only' } } });
      await tell([showing()]);
      assert.deepEqual(
        (await reasons()).filter((reason: string) => reason === 'stale' || reason === 'nth_visit'),
        ['nth_visit'],
      );
    });

    test('counts for another phone of the person, and this one learns of theirs', async () => {
      const anna = await signIn(site.app);
      const { headers } = anna;
      for (const installationId of ['one', 'other'])
        await site.app.send({
          method: 'POST',
          url: '/api/v2/installations',
          headers,
          body: { installationId, deviceType: 'ios' },
        });
      const send = async (installationId: string, sightings: unknown, rest: object = {}) =>
        (
          await site.app.send({
            method: 'POST',
            url: '/api/v2/sightings',
            headers,
            body: { installationId, sightings, ...rest },
          })
        ).body.result;
      const capped = { caps: [{ count: 1, per: 'app', window: 86_400 }] };
      await site.ask({ method: 'PATCH', url: `/api/v2/notifications/${welcome}`, body: { delivery: capped } });
      const answer = await send('one', visit(), { decided: { until: site.now - 59 * minute, shown: [showing()] } });
      assert.deepEqual([answer.problems, answer.elsewhere], [[], []]);
      site.app.clock.now += minute;
      const live = await send('other', walk(stay(1.5, 20), site.now - 20_000), { decided: { until: 0, shown: [] } });
      assert.deepEqual(live.messages, []);
      assert.deepEqual(
        live.elsewhere.map(({ triggerId }: { triggerId: string }) => triggerId),
        [welcome],
      );
    });

    test('can only be said of the phone itself', async () => {
      const anna = await signIn(site.app);
      const body = { installationId: 'hers', deviceType: 'ios' };
      await site.app.send({ method: 'POST', url: '/api/v2/installations', headers: anna.headers, body });
      const answer = await site.send(visit(), {
        installationId: 'hers',
        decided: { until: site.now, shown: [showing()] },
      });
      assert.deepEqual([answer.problems, answer.messages], [[], []]);
      assert.deepEqual(await site.rows('firings'), []);
    });

    test('counts within bounds of time, and for messages that there are', async () => {
      const day = 86_400_000;
      const answer = await tell([
        showing({ shownAt: site.now + 2 * minute }),
        showing({ shownAt: site.now - 31 * day }),
        showing({ triggerId: site.hall }),
        showing({ beacon: 'elsewhere' }),
        showing({ event: 'EXIT' }),
        showing({ group: 'none such' }),
      ]);
      assert.deepEqual(
        answer.problems.map(({ code, field }: { code: string; field: string }) => `${field} ${code}`),
        [
          ...['decided.shown.0 bad_time', 'decided.shown.1 bad_time', 'decided.shown.2 unknown_message'],
          ...['decided.shown.3 unknown_message', 'decided.shown.4 unknown_message', 'decided.shown.5 unknown_message'],
        ],
      );
      assert.deepEqual(await fired(), []);
    });

    test('counts at its time where the clock is a day off', async () => {
      const off = 86_400_000;
      const shifted = walk(stay(1.5, 20), site.now - 60 * minute + off);
      const shown = [showing({ shownAt: site.now - 60 * minute + 9_000 + off })];
      const answer = await site.send(shifted, {
        sentAt: site.now + off,
        decided: { until: site.now - 59 * minute + off, shown },
      });
      assert.deepEqual([answer.clockError, answer.clockErrorMs], [86_400, off]);
      const [one] = await fired();
      assert.ok(Math.abs(Date.parse(one.decidedAt) - (site.now - 60 * minute + 9_000)) < 2_000, one.decidedAt);
    });

    test('what cannot be read is refused, with the place where it is', async () => {
      const request = (decided: unknown) => ({
        method: 'POST' as const,
        url: '/api/v2/sightings',
        body: { installationId: 'phone-1', sightings: [], decided },
      });
      const rest = { status: 400, code: 142 };
      await assertRefusals(site.app, {}, [
        { rule: 'a time', request: request({ until: 'yesterday', shown: [] }), ...rest, fields: ['decided.until'] },
        {
          rule: 'times of what was shown',
          request: request({ until: 0, shown: [showing({ shownAt: 'then' })] }),
          ...rest,
          fields: ['decided.shown.0.shownAt'],
        },
        {
          rule: 'not too much at once',
          request: request({ until: 0, shown: Array.from({ length: 201 }, () => showing()) }),
          ...rest,
          fields: ['decided.shown'],
        },
      ]);
    });
  });
}
