import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { describe, type TestContext, test } from 'vitest';
import { openConnection } from '../../../test/support/socket.ts';
import { createServer } from './server.ts';

async function start(t: TestContext, routes: (server: FastifyInstance) => void) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const server = createServer({ logLevel: 'warn', trustProxy: false, logStream: { write } });
  routes(server);
  t.onTestFinished(() => server.close());
  const port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
  return { port, lines };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: pharos\r\n\r\n`;

describe('answers that are sent together', () => {
  test('come in the order of the requests of their connection, whole, whatever their kind', async (t) => {
    const { port } = await start(t, (server) => {
      server.get('/text/:n', (request) => `text ${(request.params as { n: string }).n}`);
      server.get('/late/:n', async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return `late ${(request.params as { n: string }).n}`;
      });
      server.get('/stream', (_request, reply) =>
        reply.type('text/plain').send(Readable.from(['one ', 'two ', 'three'])),
      );
    });
    const [first, second] = await Promise.all([openConnection(port), openConnection(port)]);
    first.send(['/late/1', '/text/2', '/nowhere', '/text/3'].map(get).join(''));
    second.send(['/text/4', '/late/5', '/text/6'].map(get).join(''));
    const take = async (connection: typeof first, count: number) => {
      const bodies = [];
      for (let n = 0; n < count; n++) bodies.push((await connection.answer()).body);
      return bodies;
    };
    const [late, text, unknown, last] = await take(first, 4);
    assert.deepEqual([late, text, unknown.error.name, last], ['late 1', 'text 2', 'NotFound', 'text 3']);
    assert.deepEqual(await take(second, 3), ['text 4', 'late 5', 'text 6']);
    const response = await fetch(`http://127.0.0.1:${port}/stream`);
    assert.equal(await response.text(), 'one two three');
    first.socket.destroy();
    second.socket.destroy();
  });

  test('count as ended when asked, so that none is answered twice', async (t) => {
    const { port, lines } = await start(t, (server) => {
      server.get('/', async (_request, reply) => {
        reply.send('once');
        assert.ok(reply.sent);
        assert.ok(reply.raw.writableEnded);
      });
    });
    const response = await fetch(`http://127.0.0.1:${port}/`);
    assert.deepEqual([response.status, await response.text(), lines], [200, 'once', []]);
  });

  test('do not wait for all work of a long tick', async (t) => {
    const replies: FastifyReply[] = [];
    const isFirstSent: boolean[] = [];
    const { port } = await start(t, (server) => {
      server.get('/quick', () => 'quick');
      server.get('/', (_request, reply) => {
        replies.push(reply);
        isFirstSent.push(replies[0]?.raw.writableFinished === true);
        const until = performance.now() + 5;
        while (performance.now() < until);
        return 'done';
      });
    });
    const connections = await Promise.all(Array.from({ length: 8 }, () => openConnection(port)));
    // Once before, because connections are accepted in different ticks of the event loop; then all are read in one.
    for (const { send } of connections) send(get('/quick'));
    for (const connection of connections) assert.equal((await connection.answer()).body, 'quick');
    for (const { send } of connections) send(get('/'));
    for (const connection of connections) assert.equal((await connection.answer()).body, 'done');
    assert.equal(isFirstSent[0], false);
    assert.equal(isFirstSent.at(-1), true, 'the first was sent before the last one was begun');
    for (const { socket } of connections) socket.destroy();
  });

  test('one that cannot be sent ends its own connection and keeps nobody from theirs', async (t) => {
    const { port } = await start(t, (server) => {
      server.get('/broken', (_request, reply) => {
        reply.hijack();
        reply.raw.end(17 as unknown as string);
      });
      server.get('/', () => 'here');
    });
    const [broken, whole] = await Promise.all([openConnection(port), openConnection(port)]);
    for (const { send } of [broken, whole]) send(get('/'));
    for (const connection of [broken, whole]) assert.equal((await connection.answer()).body, 'here');
    // Both are read in one tick, the broken one first.
    broken.send(get('/broken'));
    whole.send(get('/'));
    assert.equal((await whole.answer()).body, 'here');
    await broken.ended;
    whole.socket.destroy();
  });

  test('a client that has left keeps nobody from theirs', async (t) => {
    const { port, lines } = await start(t, (server) => {
      server.get('/', (request) => {
        if (request.headers['x-leaves']) request.raw.socket.destroy();
        return 'here';
      });
    });
    const [left, stayed] = await Promise.all([openConnection(port), openConnection(port)]);
    left.send(get('/').replace('\r\n\r\n', '\r\nX-Leaves: 1\r\n\r\n'));
    stayed.send(get('/'));
    assert.equal((await stayed.answer()).body, 'here');
    await left.ended;
    stayed.socket.destroy();
    assert.deepEqual(lines, []);
  });
});
