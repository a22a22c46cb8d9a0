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
    for (let n = 0; n < 5; n++) await site.app.app.poller.poll();
    const asked = statements.take();
    const looks = asked.filter(
      (text) => text.includes('from revisions') && text.includes('from jobs') && text.includes('from live_events'),
    );
    // The service may have looked by itself meanwhile.
    assert.ok(looks.length >= 5);
    assert.deepEqual(
      asked.filter((text) => !looks.includes(text)),
      [],
    );
    assert.ok(1_000 / pollMs < 1.5);
  });
});
