import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'vitest';
import { freePort } from '../../../test/support/socket.ts';
import { NatsBus } from './nats-bus.ts';

test('a bus whose server takes the connection and says nothing is closed at once', async () => {
  const server = createServer();
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const told: unknown[] = [];
  const bus = new NatsBus({
    url: `nats://127.0.0.1:${port}`,
    subject: 'pharos.test',
    onTrouble: (error) => told.push(error),
  });
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.resume();
  try {
    await bus.close();
    assert.ok(!socket.readableEnded && !socket.destroyed, 'it did not wait for the end of the connection');
    assert.deepEqual([bus.isConnected, told], [false, []]);
  } finally {
    socket.destroy();
    server.close();
  }
});
