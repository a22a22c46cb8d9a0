import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { generateWire } from '../../scripts/generate-wire.ts';
import { type Operation, operations, PharosClient } from '../src/index.ts';

test('what clients know of the interface is what the server declares', async () => {
  for (const [path, wanted] of Object.entries(await generateWire())) {
    const found = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    // Comparing with ok keeps a failure from printing both files.
    assert.ok(found === wanted, `${path} is out of date; run npm run generate`);
  }
});

/** Their paths are not taken from what is generated. */
test('records are called as the interface has it', async () => {
  const table: Readonly<Record<string, Operation>> = operations;
  let operation: Operation | undefined;
  let seen: unknown[] = [];
  const client = new PharosClient({
    ...{ baseUrl: '', appId: 'a', appKey: 'k', retry: false },
    fetch: async (url, { method, headers } = {}) => {
      seen = [method, String(url).slice('/api/v2'.length), new Headers(headers).has('Idempotency-Key')];
      const { result, results } = operation?.answer ?? {};
      return Response.json(results ? { results: [] } : { result: result === 'array' ? [{}] : {} });
    },
  });
  const { beacons, notifications, storylines, venues, floors, zones, devices } = client;
  const services = { beacons, notifications, storylines, venues, floors, zones, devices };
  for (const [plural, service] of Object.entries(services)) {
    const names = plural.slice(0, 1).toUpperCase() + plural.slice(1);
    const title = names.slice(0, -1);
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      [`list${names}`]: () => service.list(),
      [`get${title}`]: () => service.get('x'),
      [`create${title}`]: () => service.create({} as never),
      [`update${title}`]: () => service.update('x', {}),
      [`delete${title}`]: () => service.delete('x'),
      [`update${title}Owner`]: () => service.handOver('x', 'y'),
    };
    for (const [id, call] of Object.entries(calls)) {
      operation = table[id];
      assert.ok(operation, id);
      await call();
      const { method, path, takesKey = false } = operation;
      assert.deepEqual(seen, [method, path.replace('{objectId}', 'x'), takesKey], id);
    }
  }
});
