import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openConnection } from '../../../test/support/socket.ts';
import { acceptJson } from './router.ts';
import { createServer } from './server.ts';

const head = (framing: string) =>
  `POST /echo HTTP/1.1\r\nHost: pharos\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
const post = (body: string) => `${head(`Content-Length: ${Buffer.byteLength(body)}`)}${body}`;
const chunked = (pieces: readonly string[]) =>
  `${head('Transfer-Encoding: chunked')}${pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`;

describe('the body of a request', () => {
  const lines: string[] = [];
  let server: FastifyInstance;
  let port: number;
  beforeAll(async () => {
    const logStream = { write: (line: string) => void lines.push(line) };
    server = createServer({ logLevel: 'info', trustProxy: false, logStream });
    acceptJson(server);
    server.post('/echo', (request) => ({ echo: request.body ?? 'nothing' }));
    port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
  });
  afterAll(() => server.close());

  test('is whole however it arrives, and the next request of its connection is not touched by it', async () => {
    const long = { text: 'ä'.repeat(150_000) };
    const connection = await openConnection(port);
    const asked: unknown[] = [];
    const send = (value: unknown, bytes: string) => {
      asked.push(value);
      connection.send(bytes);
    };
    // Several in one piece, a long one, chunks, an empty one.
    send(1, post('1') + post('"two"'));
    asked.push('two');
    send(long, post(JSON.stringify(long)));
    send({ n: [3] }, chunked(['{"n":', '[3', ']}']));
    send('nothing', post(''));
    // A head that comes alone, then the body byte by byte, in the middle of a letter too.
    const [first = '', body = ''] = post('{"s":"ü€"}').split(/(?<=\r\n\r\n)/);
    connection.send(first);
    for (const byte of Buffer.from(body)) {
      await new Promise((resolve) => setImmediate(resolve));
      connection.send(Buffer.of(byte));
    }
    asked.push({ s: 'ü€' });
    send('last', post('"last"'));
    for (const value of asked) {
      const answer = await connection.answer();
      assert.deepEqual([answer.status, answer.body], [200, { echo: value }]);
    }
    connection.socket.destroy();
  });

  test('of more than 1 MiB is refused as soon as that is known, and that which nobody announced is counted', async () => {
    const announced = await openConnection(port);
    announced.send(head('Content-Length: 1048577'));
    const chunks = await openConnection(port);
    chunks.send(chunked(Array.from({ length: 17 }, () => 'x'.repeat(65_536))));
    for (const connection of [announced, chunks]) {
      const answer = await connection.answer();
      assert.deepEqual([answer.status, answer.body.error.name], [413, 'ObjectTooLarge']);
      await connection.ended;
    }
  });

  test("that ends early is logged as the caller's fault", async () => {
    const connection = await openConnection(port);
    connection.send(`${head('Content-Length: 10')}{"half`);
    const before = lines.length;
    connection.socket.end();
    await once(connection.socket, 'close');
    while (lines.length === before) await new Promise((resolve) => setImmediate(resolve));
    const told = lines.slice(before).map((line) => JSON.parse(line));
    assert.deepEqual(
      told.filter(({ level }) => level >= 50),
      [],
    );
  });
});
