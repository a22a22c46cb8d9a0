import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { buildApp, databases, type SignedIn, signIn, type TestApp } from '../../../../../test/support/build-app.ts';
import { runs } from '../../../../../test/support/depth.ts';
import { followList, type ListStream } from '../../../../../test/support/list-stream.ts';
import { listen } from '../../../../../test/support/socket.ts';

/** Whatever is written, whoever may see it then, and whenever connections break: a listener ends with what the list answers. */

type Query = Readonly<Record<string, string>>;

const queries: readonly Query[] = [
  {},
  { order: '-metadata.n', limit: '3' },
  { where: '{"metadata.n":{"$gte":4}}', order: 'metadata.n,-createdAt' },
  { order: '-createdAt', limit: '2' },
];
const rules: readonly unknown[] = ['user', 'owner', { 'metadata.n': { $lt: 6 } }, { createdBy: '$auth.userId' }];

type Open = (cursor: string | undefined, known: ListStream['records']) => Promise<ListStream>;

/** Comes again whenever the stream is cut off or ends, as clients do. */
class Follower {
  readonly #open: Open;
  #stream: ListStream | undefined;
  #records: ListStream['records'] = [];
  #isClosed = false;
  #check = () => {};

  constructor(open: Open) {
    this.#open = open;
    void this.#follow();
  }

  cut(): void {
    this.#stream?.close();
  }

  close(): void {
    this.#isClosed = true;
    this.cut();
  }

  /** Resolves once these are its records. */
  has(wanted: ListStream['records']): Promise<void> {
    return new Promise((resolve) => {
      this.#check = () => {
        if (isDeepStrictEqual(this.#records, wanted)) resolve();
      };
      this.#check();
    });
  }

  async #follow(): Promise<void> {
    let cursor: string | undefined;
    while (!this.#isClosed) {
      const stream = await this.#open(cursor, this.#records);
      this.#stream = stream;
      if (this.#isClosed) stream.close();
      const note = (one: ListStream) => {
        [this.#records, cursor] = [one.records, one.cursor ?? cursor];
        this.#check();
        return false;
      };
      await Promise.all([stream.ended, stream.until(note).catch(() => undefined)]);
    }
  }
}

const number = fc.nat({ max: 8 });
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), by: fc.nat({ max: 1 }), n: number }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('change' as const), which: fc.nat(), n: number }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rule' as const), which: fc.nat({ max: rules.length - 1 }) }) },
);

for (const database of databases) {
  describe(`lists that are followed, at random, on ${database}`, () => {
    let app: TestApp;
    let people: readonly SignedIn[];
    let port: number;
    let count = 0;
    beforeAll(async () => {
      // Lists are read again for no other reason than a change, so that a change that is not told is seen.
      vi.useFakeTimers({ toFake: ['setInterval'] });
      app = await buildApp({ database });
      people = [await signIn(app), await signIn(app)];
      port = await listen(app);
    });
    afterAll(async () => {
      vi.useRealTimers();
      await app.close();
    });

    test('the records of a listener are those of the list', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 40 }), async (commands) => {
          const bucket = `guestbook${++count}`;
          const url = `/api/v2/data/bucket/${bucket}`;
          const rule = (list: unknown) =>
            app.app.apps.changeRules(app.appId, {
              buckets: { [bucket]: { create: 'user', update: 'user', delete: 'user', get: 'user', list } },
            });
          await app.app.buckets.createBucket(app.appId, bucket);
          await rule('user');
          const followed = people.flatMap(({ headers }) => queries.map((query) => ({ headers, query })));
          const followers = followed.map(({ headers, query }) => {
            const path = `/api/v2/stream?${new URLSearchParams({ list: url.slice('/api/v2/'.length), ...query })}`;
            return new Follower((cursor, known) => {
              const resumed: Record<string, string> = cursor === undefined ? {} : { 'last-event-id': cursor };
              return followList(port, path, { ...app.credentials, ...headers, ...resumed }, known);
            });
          });
          const ids: string[] = [];
          const [anna] = people as [SignedIn];
          for (const one of commands) {
            app.clock.now += 1_000;
            const id = 'which' in one ? ids[one.which % ids.length] : undefined;
            const metadata = 'n' in one ? { n: one.n } : {};
            if (one.kind === 'add') {
              const { headers } = people[one.by] ?? anna;
              const { body } = await app.send({ method: 'POST', url, headers, body: { metadata } });
              ids.push(body.result.objectId);
            } else if (one.kind === 'cut') followers[one.which % followers.length]?.cut();
            else if (one.kind === 'rule') await rule(rules[one.which]);
            else if (id !== undefined) {
              const method = one.kind === 'change' ? 'PUT' : 'DELETE';
              const body = one.kind === 'change' ? { metadata } : undefined;
              await app.send({ method, url: `${url}/${id}`, headers: anna.headers, body });
            }
          }
          try {
            for (const [place, { headers, query }] of followed.entries()) {
              const answer = await app.send({ method: 'GET', url: `${url}?${new URLSearchParams(query)}`, headers });
              await followers[place]?.has(answer.body.results);
            }
          } finally {
            for (const follower of followers) follower.close();
          }
        }),
        runs(40),
      );
    });
  });
}
