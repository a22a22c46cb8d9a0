import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { bothDatabases, type SignedIn, signIn } from '../../../../../test/support/build-app.ts';
import { openConsole } from '../../../../../test/support/console.ts';
import { type DatabaseKind, testOn } from '../../../../../test/support/depth.ts';
import { followList, type ListStream } from '../../../../../test/support/list-stream.ts';
import { openNode, openSite, type Site } from '../../../../../test/support/site.ts';
import { listen } from '../../../../../test/support/socket.ts';
import { followLimits } from './followers.ts';

const bucket = '/api/v2/data/bucket/guestbook';

class Follower {
  readonly site: Site;
  readonly port: number;
  readonly #streams: ListStream[] = [];

  constructor(site: Site, port: number) {
    this.site = site;
    this.port = port;
  }

  async open(query: Record<string, string>, more: Record<string, string> = {}, at: Partial<At> = {}) {
    const { headers = this.site.user.headers, port = this.port, known = [], path = '/api/v2/stream' } = at;
    const url = `${path}?${new URLSearchParams({ list: 'data/bucket/guestbook', ...query })}`;
    const stream = await followList(port, url, { ...this.site.app.credentials, ...headers, ...more }, known);
    this.#streams.push(stream);
    return stream;
  }

  async follow(...given: Parameters<Follower['open']>): Promise<ListStream> {
    const stream = await this.open(...given);
    await stream.until(({ events }) => events.length > 0);
    return stream;
  }

  close() {
    for (const stream of this.#streams) stream.close();
  }
}

interface At {
  readonly headers: Readonly<Record<string, string>>;
  readonly port: number;
  readonly known: ListStream['records'];
  readonly path: string;
}

for (const database of bothDatabases) {
  describe(`lists that are followed on ${database}`, () => {
    let site: Site;
    let followers: Follower;
    beforeEach(async () => {
      site = await openSite(database);
      await site.app.app.buckets.createBucket(site.app.appId, 'guestbook');
      followers = new Follower(site, await listen(site.app));
    });
    afterEach(async () => {
      followers.close();
      await site.close();
    });

    const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, metadata?: object, by?: SignedIn) => {
      const body = metadata && { metadata };
      const answer = await site.ask({ method, url: bucket + path, body, headers: by?.headers ?? {} });
      assert.ok(answer.status < 300, answer.raw.toString());
      return answer.body.result.objectId as string;
    };
    const add = (metadata: object, by?: SignedIn) => send('POST', '', metadata, by);
    const kindsOf = ({ events }: ListStream) => events.map(({ event }) => event);
    const textsOf = ({ records }: ListStream) => records.map(({ metadata }) => metadata.text);
    const shows =
      (...texts: string[]) =>
      (stream: ListStream) =>
        textsOf(stream).join() === texts.join();

    test('first the records, then what enters, changes, leaves and is pushed out, and after a break only what is missing', async () => {
      const [a] = [await add({ text: 'a', n: 1 }), await add({ text: 'b', n: 2 }), await add({ text: 'no', n: 0 })];
      const asked = { where: '{"metadata.n":{"$gt":0}}', order: '-metadata.n', limit: '3' };
      const stream = await followers.follow(asked);
      assert.deepEqual(
        [stream.headers['content-type'], textsOf(stream)],
        ['text/event-stream; charset=utf-8', ['b', 'a']],
      );
      const c = await add({ text: 'c', n: 3 });
      await stream.until(shows('c', 'b', 'a'));
      await send('PUT', `/${a}`, { text: 'a', n: 5 });
      await stream.until(shows('a', 'c', 'b'));
      await add({ text: 'd', n: 4 });
      await stream.until(shows('a', 'd', 'c'));
      const broken = { known: stream.records, cursor: stream.cursor ?? '' };
      stream.close();
      const same = await followers.follow(asked, { 'last-event-id': broken.cursor }, broken);
      assert.deepEqual([kindsOf(same), same.cursor], [['ready'], broken.cursor]);
      await send('DELETE', `/${c}`);
      await same.until(shows('a', 'd', 'b'));
      assert.deepEqual(kindsOf(same), ['ready', 'left', 'entered']);
      const again = await followers.follow({ ...asked, after: broken.cursor }, {}, broken);
      assert.deepEqual([kindsOf(again), textsOf(again)], [['list'], ['a', 'd', 'b']]);
      await send('PUT', `/${a}`, { text: 'a', n: -1 });
      for (const one of [same, again]) await one.until(shows('d', 'b'));
      assert.deepEqual(same.cursor, again.cursor);
    });

    test('a listener is shown what the rules let her list, without hidden members, and the stream ends when they change', async () => {
      const [anna, ben] = [await signIn(site.app), await signIn(site.app)];
      const rules = { create: 'user', list: 'owner', members: { 'metadata.secret': { hidden: ['user'] } } };
      const rule = (guestbook: object) => site.app.app.apps.changeRules(site.app.appId, { buckets: { guestbook } });
      await rule(rules);
      const hers = await followers.follow({}, {}, anna);
      const his = await followers.follow({}, {}, ben);
      const all = await followers.follow({});
      const id = await add({ text: 'of anna' }, anna);
      await add({ text: 'of ben' }, ben);
      await send('PUT', `/${id}`, { text: 'of anna', secret: 1 });
      await all.until(({ records }) => records.length === 2 && records[0].metadata.secret === 1);
      await hers.until(shows('of anna'));
      await his.until(shows('of ben'));
      const asked = await followers.open({ where: '{"metadata.secret":1}' }, {}, ben);
      assert.equal(asked.status, 400, 'what is hidden cannot be asked for');
      await rule({ ...rules, list: 'user' });
      await his.ended;
      const wider = await followers.follow({}, { 'last-event-id': his.cursor ?? '' }, { ...ben, known: his.records });
      assert.deepEqual([kindsOf(wider), textsOf(wider)], [['list'], ['of anna', 'of ben']]);
      await rule({ ...rules, list: 'nobody' });
      await wider.ended;
      assert.equal((await followers.open({}, {}, ben)).status, 403);
      assert.deepEqual(kindsOf(hers).slice(0, 2), ['list', 'entered']);
      assert.doesNotMatch(JSON.stringify(hers.events), /of ben|secret/);
    });

    // An embedded database has one node.
    if (database === 'postgres')
      test('what another node writes comes, and it knows the cursor', async () => {
        const stream = await followers.follow({});
        const node = await openNode(site);
        try {
          const there = Number(new URL(await node.app.server.listen({ host: '127.0.0.1', port: 0 })).port);
          const headers = { ...site.app.credentials, ...site.user.headers, 'content-type': 'application/json' };
          const payload = JSON.stringify({ metadata: { text: 'from there' } });
          const sent = await node.app.server.inject({ method: 'POST', url: bucket, headers, payload });
          assert.equal(sent.statusCode, 201);
          await stream.until(shows('from there'));
          const known = { known: stream.records, port: there };
          const moved = await followers.follow({}, { 'last-event-id': stream.cursor ?? '' }, known);
          assert.deepEqual(kindsOf(moved), ['ready']);
          await add({ text: 'from here' });
          for (const one of [stream, moved]) await one.until(shows('from there', 'from here'));
          moved.close();
        } finally {
          followers.close();
          await node.close();
        }
      });

    testOn(database as DatabaseKind)(
      'any list can be followed, from the console too, and what is wrong is said',
      async () => {
        const beacons = await followers.follow({ list: 'beacons', order: 'name' });
        await site.beacon({ name: 'Attic' });
        await beacons.until(({ records }) => records.map(({ name }) => name).join() === 'Attic,Hall');
        const visits = await followers.follow({ list: 'visits' });
        await site.send([site.decided('ENTER')]);
        await visits.until(({ records }) => records.length === 1);
        await site.send([site.decided('EXIT', site.now + 1_000)]);
        await visits.until(({ records }) => records[0].leftAt !== null);
        const browser = await openConsole(site.app, 'editor');
        const path = `/console/api/apps/${site.app.appId}/v2/stream`;
        const inConsole = await followers.follow({}, {}, { headers: { cookie: browser.cookie }, path });
        await add({ text: 'a' });
        await inConsole.until(shows('a'));
        await browser.send({ method: 'DELETE', url: '/session' });
        await inConsole.ended;
        const wrong: [query: Record<string, string>, status: number, code: number][] = [
          [{ list: 'nothing' }, 400, 102],
          [{ list: 'data/bucket/nothing' }, 404, 101],
          [{ list: 'data/bucket/guestbook', where: '{' }, 400, 102],
          [{ skip: '1' }, 400, 102],
          [{ limit: '0' }, 400, 102],
          [{ kinds: 'visit.opened' }, 400, 102],
          [{ after: '4711' }, 400, 102],
        ];
        for (const [query, status, code] of wrong) {
          const refused = await followers.open(query);
          await refused.ended;
          assert.deepEqual([refused.status, refused.refusal().code], [status, code], JSON.stringify(query));
        }
      },
    );

    testOn(database as DatabaseKind)(
      'one person follows so many lists and no more, and others are not kept from it',
      async () => {
        const anna = await signIn(site.app);
        for (let n = 0; n < followLimits.perCaller; n++) await followers.follow({ limit: `${n + 1}` }, {}, anna);
        const refused = await followers.open({}, {}, anna);
        await refused.ended;
        assert.deepEqual([refused.status, refused.refusal().code, refused.headers['retry-after']], [429, 904, '10']);
        const others = await followers.follow({});
        await add({ text: 'a' });
        await others.until(shows('a'));
      },
    );

    testOn(database as DatabaseKind)(
      'what a deleted user and a deleted bucket leave behind is heard of no more',
      async () => {
        const anna = await signIn(site.app);
        const hers = await followers.follow({}, {}, anna);
        const all = await followers.follow({});
        const gone = await site.app.send({
          method: 'DELETE',
          url: `/api/v2/users/${anna.userId}`,
          headers: anna.headers,
        });
        assert.ok(gone.status < 300, gone.raw.toString());
        await hers.ended;
        assert.equal((await followers.open({}, {}, anna)).status, 403);
        await add({ text: 'a' });
        await all.until(shows('a'));
        await site.app.app.buckets.deleteBucket(site.app.appId, 'guestbook');
        await site.app.app.idle();
        await all.ended;
      },
    );
  });
}
