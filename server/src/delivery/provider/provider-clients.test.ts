import assert from 'node:assert/strict';
import { test } from 'vitest';
import { ProviderClients } from '../web-push/web-push.ts';

test('of many origins, the clients that were used last are kept, and the others are closed', async () => {
  const clients = new ProviderClients((origin) => ({ origin, timeoutMs: 1_000, connections: 1 }));
  const origin = (n: number) => `https://push${n}.example.org`;
  const [first, second] = [clients.of(origin(0)), clients.of(origin(1))];
  for (let n = 2; n < 200; n++) clients.of(origin(n));
  assert.equal(clients.of(origin(0)), first);
  clients.of(origin(200));
  assert.equal(clients.of(origin(0)), first, 'it was used more recently');
  const request = { path: '/', headers: {}, body: '' };
  const refused = { noAnswer: 'stopped', text: 'the service is stopping' };
  assert.deepEqual(await second.send(request, new AbortController().signal), refused);
  assert.notEqual(clients.of(origin(1)), second);
  await clients.close();
  assert.deepEqual(await first.send(request, new AbortController().signal), refused);
});
