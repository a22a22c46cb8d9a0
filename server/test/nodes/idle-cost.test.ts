import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { pollMs } from '../../src/db/nodes/poller.ts';
import { type EventStream, openStream } from '../support/event-stream.ts';
import { openSite, type Site } from '../support/site.ts';
import { listen } from '../support/socket.ts';
import { watchStatements } from '../support/statements.ts';

/** What a node costs its database when nothing happens. */

describe('a node that has nothing to do, on postgres', () => {
  let site: Site;
  let stream: EventStream;
  beforeAll(async () => {
    site = await openSite('postgres');
    const port = await listen(site.app);
    stream = await openStream(port, '/api/v2/stream', { ...site.app.credentials, ...site.user.headers });
    await stream.ready;
    await site.app.app.idle();
  });
  afterAll(async () => {
    stream.close();
    await site.close();
  });

  test('asks one thing at each look, also while an app is listened to, and looks less than twice a second', async () => {
    const statements = watchStatements(site.app.storage.db, { pollers: true });
    /** What five looks ask, and what else is asked meanwhile. */
    const ask = async () => {
      statements.take();
      for (let n = 0; n < 5; n++) await site.app.app.poller.poll();
      return Map.groupBy(statements.take(), (text) =>
        ['revisions', 'jobs', 'live_events'].every((table) => text.includes(`from ${table}`)) ? 'look' : 'else',
      );
    };
    let asked = await ask();
    // A node also says that it is alive, and a stream that its listener may still listen; what a look asks comes each time.
    for (let tries = 0; asked.has('else') && tries < 50; tries++) asked = await ask();
    // The service may have looked by itself meanwhile.
    assert.ok((asked.get('look')?.length ?? 0) >= 5);
    assert.equal(asked.get('else'), undefined);
    assert.ok(1_000 / pollMs < 1.5);
  });
});
