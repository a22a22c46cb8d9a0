import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { startNats } from '../../../test/support/servers/nats.ts';
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

test('a bus that was refused again and again, as by a server that is too slow, is connected when it is let in', async () => {
  const nats = await startNats();
  const bus = new NatsBus({ url: nats.url, subject: 'pharos.test', onTrouble: () => undefined });
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await pause(10);
  };
  try {
    await until(() => bus.isConnected);
    await nats.stop();
    await until(() => !bus.isConnected);
    let refused = 0;
    const refusing = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('INFO {"server_id":"slow","version":"2.10.0","proto":1,"max_payload":1048576}\r\n');
      socket.once('data', () => {
        refused++;
        socket.end("-ERR 'Authentication Timeout'\r\n");
      });
    });
    refusing.listen(Number(new URL(nats.url).port), '127.0.0.1');
    await until(() => refused === 3);
    refusing.close();
    await once(refusing, 'close');
    await nats.start();
    await until(() => bus.isConnected);
  } finally {
    await bus.close();
    await nats.stop();
  }
});
