import assert from 'node:assert/strict';
import { test } from 'vitest';
import { serviceTimeZone } from '../../src/base/clock.ts';
import { findServiceConditions } from '../../src/features/operate/system/conditions.ts';

test("a lost database is reported with the time in the service's time zone, which is named", async () => {
  const until = Date.parse('2026-05-04T09:30:00.000Z');
  const nothing = async () => undefined;
  const found = await findServiceConditions({
    config: {},
    db: { one: async () => ({ queued: 0 }), all: async () => [] },
    now: () => until + 60_000,
    room: { check: nothing, problem: () => undefined, warning: () => undefined },
    troubles: { last: () => ({ from: until - 30_000, until }) },
    fileStorage: { problem: nothing },
  } as never);
  const zone = serviceTimeZone();
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(until);
  assert.deepEqual(
    found.map(({ kind, title }) => [kind, title]),
    [['database', 'The database did not answer for 30 seconds']],
  );
  assert.match(found[0]?.text ?? '', new RegExp(`^It answers again since \\d+ May 2026 at ${clock} \\(${zone}\\)\\. `));
});
