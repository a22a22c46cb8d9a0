import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test, vi } from 'vitest';
import { bothDatabases, openStorage, type TestStorage } from '../../../../../test/support/build-app.ts';
import { sql } from '../../../../base/sql.ts';
import type { Database } from '../../../../db/db.ts';
import { type WriteWatch, watchWrites } from '../../../../db/writes/watched-database.ts';
import type { FollowedList } from '../../../../http/endpoint.ts';
import { Followers } from './followers.ts';

/** A node of the service, as far as following lists goes. Lists are read again for no other reason than a change: no timer runs. */
function nodeOn(storage: TestStorage): { readonly db: Database; readonly followers: Followers } {
  const watch: WriteWatch = {};
  const db = watchWrites(storage.db, watch);
  const changed: (() => void)[] = [];
  const cacheVersion = {
    onChange: (listener: () => void) => void changed.push(listener),
    async change<T>(_: string, work: (db: Database) => Promise<T>): Promise<T> {
      const done = await work(db);
      for (const listener of changed) listener();
      return done;
    },
  };
  const onError = (_: string, error: unknown) => assert.fail(error as Error);
  const followers = new Followers({ db, cacheVersion: cacheVersion as never, now: Date.now, onError });
  watch.listener = followers;
  return { db, followers };
}

const add = (db: Database, objectId: string) =>
  db.run(sql`insert into webhooks (app_id, object_id, url, events, description, secret, is_enabled, created_at, updated_at)
    values ('app', ${objectId}, '', '[]', '', '', 1, 0, 0)`);

function listIn(db: Database): FollowedList {
  const read = async () => ({
    results: (
      await db.all<{ object_id: string }>(sql`select object_id from webhooks where app_id = 'app' order by object_id`)
    ).map(({ object_id: objectId }) => ({ objectId })),
  });
  const ask = async () => ({ table: 'webhooks', sharedAs: 'all', mayHave: async () => true, read });
  return { query: {}, check: async () => undefined, ask };
}

for (const database of bothDatabases) {
  describe(`followers on ${database}`, () => {
    let storage: TestStorage;
    beforeEach(async () => {
      storage = await openStorage(database);
      vi.useFakeTimers({ toFake: ['setInterval'] });
    });
    afterEach(async () => {
      vi.useRealTimers();
      await storage.close();
    });

    test('a commit tells the list to be read again, on this node and, by looking, on others', async () => {
      const nodes = [nodeOn(storage), ...(database === 'postgres' ? [nodeOn(storage)] : [])];
      const over = new AbortController();
      const streams = nodes.map(({ db, followers }) => {
        const followed = { appId: 'app', address: '127.0.0.1', caller: undefined, list: listIn(db), cursor: undefined };
        return followers.open(followed)(over.signal)[Symbol.asyncIterator]();
      });
      const next = () => Promise.all(streams.map(async (stream) => String((await stream.next()).value)));
      await next();
      for (const text of await next()) assert.match(text, /event: list\ndata: \{"results":\[\]\}/);
      const [here, there] = nodes;
      if (here) await add(here.db, '1');
      await there?.followers.poll();
      for (const text of await next())
        assert.match(text, /event: entered\ndata: \{"after":null,"result":\{"objectId":"1"\}\}/);
      over.abort();
      await next();
      for (const { followers } of nodes) followers.stop();
    });
  });
}
