import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { Sql } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';
import { Channel } from './channel.ts';
import type { LiveApp, LiveEvent } from './store.ts';

const app = { app_id: 'app', seq: 1 } as LiveApp;
const event = (seq: number) => ({ seq }) as LiveEvent;

/** As much of a database as a channel needs: all events are numbered, and what is new is read once. */
function channelOver(read: () => Promise<LiveEvent[]>, errors: unknown[] = []): Channel {
  const db = {
    readsAreLocal: true,
    one: async (_: Sql) => undefined,
    all: read,
  } as unknown as Database;
  return new Channel(db, app, (error) => errors.push(error));
}

test('what comes between asking and waiting wakes a listener at once', async () => {
  const channel = channelOver(async () => [event(2)]);
  const known = channel.seq;
  assert.deepEqual(await channel.after(known), []);
  await channel.poll();
  assert.equal(channel.seq, 2);
  await channel.news(known, 3_600_000, new AbortController().signal);
});

test('an event that is announced while a read fails is read all the same', async () => {
  const errors: unknown[] = [];
  const reads = [() => Promise.reject(new Error('away')), async () => [event(2)]];
  const channel = channelOver(async () => (await reads.shift()?.()) ?? [], errors);
  await Promise.all([channel.poll(), channel.poll()]);
  assert.deepEqual([channel.seq, errors.length], [2, 1]);
});

test('an event that is announced at whatever moment of a read is read', async () => {
  for (let turns = 0; turns < 40; turns++) {
    const unread: LiveEvent[] = [];
    const channel = channelOver(async () => unread.splice(0));
    const first = channel.poll();
    for (let turn = 0; turn < turns; turn++) await undefined;
    unread.push(event(2));
    await channel.poll();
    assert.equal(channel.seq, 2, `after ${turns} turns`);
    await first;
  }
});
