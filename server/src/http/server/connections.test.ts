import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { onTestFinished, test, vi } from 'vitest';
import { openConnection } from '../../../test/support/socket.ts';
import { LongText } from '../streams/long-text.ts';
import { noteSending, proxyTest } from './connections.ts';
import { acceptJson } from './router.ts';
import { createServer, type ServerOptions } from './server.ts';

const largeBytes = 8 * 1_048_576;

async function serve(options: Partial<ServerOptions>) {
  const server = createServer({ logLevel: 'silent', trustProxy: false, ...options });
  acceptJson(server);
  server.post('/echo', async (request) => ({ got: Object.keys(request.body as object).length }));
  let count = 0;
  server.get('/large', async () => {
    count++;
    return 'x'.repeat(largeBytes);
  });
  const longs: LongText[] = [];
  server.get('/long', (_request, reply) => {
    const text = new LongText(Array.from({ length: 64 }, () => 'x'.repeat(largeBytes / 64)));
    longs.push(text);
    noteSending(reply.raw.socket, () => text.left);
    return reply.header('content-length', text.bytes).send(text.stream);
  });
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
  return { server, port, sockets, begun: () => count, longs };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: pharos\r\n\r\n`;
const post = (length: number) =>
  `POST /echo HTTP/1.1\r\nHost: pharos\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** Asks for the large answer and reads nothing of it. */
async function askAndIgnore(port: number, path = '/large'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(get(path));
  return socket;
}

/** Resolves when `holds` does; the time limit of the test ends a wait in vain. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20);
}

const pace = { paceMs: 1_500, paceBytes: 2_000, checkMs: 5 };

/** The service's clock, which stands still until the test lets time pass. */
function standStill(): { now: number } {
  const clock = { now: performance.now() };
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => clock.now);
  onTestFinished(() => spy.mockRestore());
  return clock;
}

test('a body that comes too slowly ends its connection, and a slow one that keeps a pace is answered', async () => {
  const clock = standStill();
  const { server, port, sockets } = await serve({ connectionLimits: pace });
  try {
    const drops = await Promise.all(Array.from({ length: 20 }, () => openConnection(port)));
    for (const { send } of drops) send(`${post(100_000)}{`);
    const body = Buffer.from(`{"a":"${'x'.repeat(30_000)}"}`);
    const slow = await openConnection(port);
    slow.send(post(body.length));
    await until(() => sockets.size === drops.length + 1);
    const [served] = [...sockets].slice(-1);
    const read = () => served?.bytesRead ?? 0;
    for (let sent = 0; sent < body.length; sent += 600) {
      for (const { socket, send } of drops) if (!socket.destroyed) send(' ');
      const before = read();
      slow.send(body.subarray(sent, sent + 600));
      await until(() => read() > before);
      clock.now += 100;
    }
    await Promise.all(drops.map(({ ended }) => ended));
    assert.deepEqual((await slow.answer()).body, { got: 1 });
    await until(() => sockets.size === 1);
    slow.socket.destroy();
  } finally {
    await server.close();
  }
});

test('a client that reads nothing is dropped, and one that reads slowly gets all of its answer', async () => {
  const clock = standStill();
  const { server, port, sockets } = await serve({ connectionLimits: pace });
  try {
    const ignoring = await Promise.all(Array.from({ length: 3 }, () => askAndIgnore(port)));
    const slow = await askAndIgnore(port);
    await until(() => sockets.size === 4);
    const [served] = [...sockets].slice(-1) as unknown as readonly {
      readonly _handle: { writeQueueSize: number } | null;
    }[];
    const left = () => served?._handle?.writeQueueSize ?? 0;
    let [read, before] = [0, left()];
    while (read < largeBytes) {
      read += slow.read()?.length ?? 0;
      await setImmediate();
      // It reads, if slowly: two thirds of the time that the others are given pass each time.
      if (left() < before) clock.now += pace.paceMs / 1.5;
      before = left();
    }
    await until(() => sockets.size === 1);
    for (const socket of [...ignoring, slow]) socket.destroy();
  } finally {
    await server.close();
  }
});

test('what waits for slow readers is bounded over all connections: those that read nothing go first', async () => {
  const waitingBytes = 3 * largeBytes;
  const { server, port, sockets } = await serve({ connectionLimits: { waitingBytes } });
  try {
    const ignoring: Socket[] = [];
    for (let n = 0; n < 12; n++) ignoring.push(await askAndIgnore(port));
    await until(() => [...sockets].every(({ bytesWritten }) => bytesWritten > 0) && sockets.size < 12);
    const waiting = () => [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0);
    assert.ok(waiting() <= waitingBytes, `${waiting()} bytes wait`);
    const reader = connect({ host: '127.0.0.1', port });
    reader.write(get('/large'));
    let read = 0;
    for await (const chunk of reader) {
      read += (chunk as Buffer).length;
      if (read > largeBytes) break;
    }
    assert.ok(read > largeBytes, 'who reads is answered');
    for (const socket of ignoring) socket.destroy();
  } finally {
    await server.close();
  }
});

test('unwritten pieces of answers count too, and clients that read get the whole answer', async () => {
  const waitingBytes = 3 * largeBytes;
  const { server, port, sockets, longs } = await serve({ connectionLimits: { waitingBytes } });
  try {
    const ignoring: Socket[] = [];
    for (let n = 0; n < 12; n++) ignoring.push(await askAndIgnore(port, '/long'));
    await until(() => longs.length === 12 && sockets.size < 12);
    const held = longs.reduce((sum, { left }) => sum + left, 0);
    assert.ok(held <= waitingBytes, `${held} bytes are held`);
    const { body } = await fetch(`http://127.0.0.1:${port}/long`);
    let read = 0;
    for await (const chunk of body ?? []) read += (chunk as Uint8Array).length;
    assert.equal(read, largeBytes);
    for (const socket of ignoring) socket.destroy();
  } finally {
    await server.close();
  }
});

test('pipelined requests are handled one after another, so that one connection holds one answer', async () => {
  const { server, port, begun } = await serve({});
  try {
    const idle = connect({ host: '127.0.0.1', port });
    await once(idle, 'connect');
    idle.pause();
    const { send, answer, socket } = await openConnection(port);
    idle.write(get('/large').repeat(20));
    await until(() => begun() > 0);
    // Another client's requests are still answered, in order and with their bodies.
    const bodies = ['{}', '{"a":1}', '{"a":1,"b":2}'];
    send(bodies.map((body) => post(body.length) + body).join('') + get('/nothing'));
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await answer());
    assert.deepEqual(
      answers.map(({ status, body }) => body.got ?? status),
      [0, 1, 2, 404],
    );
    assert.equal(begun(), 1);
    // A client that reads gets everything.
    let read = 0;
    idle.on('data', (bytes) => (read += bytes.length));
    idle.resume();
    await until(() => read > 20 * largeBytes);
    assert.equal(begun(), 20);
    idle.destroy();
    socket.destroy();
  } finally {
    await server.close();
  }
});

test('one address has a limited number of connections, unless it is a trusted proxy', async () => {
  const { server, port } = await serve({ connectionsPerAddress: 3 });
  const behind = await serve({ connectionsPerAddress: 3, trustProxy: ['127.0.0.1'] });
  try {
    const ask = async (to: number) => {
      const connection = await openConnection(to);
      connection.send(get('/nothing'));
      return {
        connection,
        status: await connection.answer().then(
          ({ status }) => status,
          () => 'closed',
        ),
      };
    };
    const asked = [];
    for (let n = 0; n < 4; n++) asked.push(await ask(port));
    assert.deepEqual(
      asked.map(({ status }) => status),
      [404, 404, 404, 'closed'],
    );
    asked[0]?.connection.socket.destroy();
    let status: number | string = 'closed';
    while (status === 'closed') ({ status } = await ask(port));
    assert.equal(status, 404, 'a place that was given back');
    for (let n = 0; n < 6; n++) assert.equal((await ask(behind.port)).status, 404);
  } finally {
    await Promise.all([server.close(), behind.server.close()]);
  }
});

test('proxies are recognised by address, network and name', () => {
  const isProxy = proxyTest(['192.0.2.7', '10.0.0.0/8', 'fd00::/8', 'loopback']);
  const expected = { '192.0.2.7': true, '::ffff:10.1.2.3': true, 'fd12::1': true, '127.0.0.1': true, '::1': true };
  for (const [address, is] of Object.entries({ ...expected, '192.0.2.8': false, '2001:db8::1': false }))
    assert.equal(isProxy(address), is, address);
  assert.deepEqual(
    [proxyTest(true)('192.0.2.1'), proxyTest(1)('192.0.2.1'), proxyTest(false)('192.0.2.1')],
    [true, true, false],
  );
});

test('a connection whose answer was under way when a stop began is closed after it', async () => {
  const server = createServer({ logLevel: 'silent', trustProxy: false });
  const mayEnd = Promise.withResolvers<void>();
  server.get('/held', async () => {
    await mayEnd.promise;
    return 'answer';
  });
  server.get('/half', async (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-length': 8 }).write('half');
    await mayEnd.promise;
    reply.raw.end('half');
  });
  const port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
  // Nothing but the stop closes a connection.
  server.server.keepAliveTimeout = 0;
  const [held, half] = [await openConnection(port), await openConnection(port)];
  const begun = new Promise<void>((resolve) => {
    let count = 0;
    server.server.on('request', () => ++count === 2 && resolve());
  });
  held.send(get('/held'));
  half.send(get('/half'));
  await begun;
  const closed = server.close();
  try {
    // The first thing that a stop does is to refuse connections.
    await until(() => !server.server.listening);
    mayEnd.resolve();
    assert.equal((await held.answer()).body, 'answer');
    assert.equal((await half.answer()).body, 'halfhalf');
    await closed;
  } finally {
    server.server.closeAllConnections();
  }
});
