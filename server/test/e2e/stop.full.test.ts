import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { call, firstCredentials, startService } from './service.ts';

test('a stop finishes accepted requests, and the second start prints no secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-stop-'));
  const settings = { PHAROS_DATA: folder };
  try {
    const first = await startService(settings);
    const headers = firstCredentials(folder);
    assert.ok(
      first.output().includes(headers['x-service-appkey'] ?? 'missing'),
      'the first start shows the credentials',
    );
    const device = { deviceName: 'Gateway', manufacture: 'Acme', topic: 'a/b' };
    let arrived = () => {};
    const someArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const answers = Array.from({ length: 60 }, () =>
      call(first, 'POST', '/api/v2/device', { headers, body: device })
        .finally(arrived)
        .then(({ status }) => status)
        // A connection that comes after the stop is refused, not half-answered.
        .catch(() => 'not accepted'),
    );
    await someArrived;
    const code = await first.stop('SIGTERM');
    const outcomes = await Promise.all(answers);
    assert.equal(code, 0);
    assert.ok(
      outcomes.every((outcome) => outcome === 201 || outcome === 503 || outcome === 'not accepted'),
      String(outcomes),
    );

    const second = await startService(settings);
    assert.doesNotMatch(second.output(), new RegExp(`${headers['x-service-appkey']}|setup#|APP_KEY`));
    const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'open sesame' };
    await call(second, 'POST', '/api/v2/users', { headers, body: account });
    const { body } = await call(second, 'POST', '/api/v2/users/signin', { headers, body: account });
    const list = await call(second, 'GET', '/api/v2/device?count=1&limit=0', {
      headers: { ...headers, authorization: `Bearer ${body.accessToken}` },
    });
    assert.equal(
      list.body.count,
      outcomes.filter((outcome) => outcome === 201).length,
      'exactly what was acknowledged is there',
    );
    assert.equal(await second.stop('SIGINT'), 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
