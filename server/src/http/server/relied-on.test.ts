import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify from 'fastify';
import { type Metric, Registry } from 'prom-client';
import { describe, test } from 'vitest';

/**
 * Four files here reach into objects of Node, Fastify and prom-client. Each of these tests holds the library to what one of
 * them relies on, without our code: when one fails after an update, the file that it names has to be looked at.
 */

/** Listens, asks once by a real connection, and answers the text. */
async function askFor(path: string, port: number): Promise<string> {
  const asked = request({ port, path, agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return text(response);
}

describe('batched-response.ts', () => {
  test('Node tells by an accessor above ServerResponse whether an answer has ended', () => {
    assert.equal(Object.getOwnPropertyDescriptor(ServerResponse.prototype, 'writableEnded'), undefined);
    const above = Object.getPrototypeOf(ServerResponse.prototype);
    assert.equal(typeof Object.getOwnPropertyDescriptor(above, 'writableEnded')?.get, 'function');
  });

  test('Fastify has Node make answers of the class it is given, and ends each by one call of end', async () => {
    const ends: unknown[][] = [];
    class Watched<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
      override end(...values: unknown[]): this {
        ends.push(values);
        return super.end(...(values as Parameters<ServerResponse['end']>));
      }
    }
    const server = fastify({ http: { ServerResponse: Watched } });
    let isWatched = false;
    server.get('/', async (_request, reply) => {
      isWatched = reply.raw instanceof Watched;
      return 'an answer';
    });
    server.get('/nothing', async (_request, reply) => reply.code(204).send());
    await server.listen({ port: 0 });
    const { port } = server.server.address() as AddressInfo;
    assert.equal(await askFor('/', port), 'an answer');
    await askFor('/nothing', port);
    await server.close();
    assert.equal(isWatched, true);
    assert.deepEqual(ends, [
      ['an answer', null, null],
      [null, null, null],
    ]);
  });

  test('Node sends an answer whose end comes in a later tick', async () => {
    class Later<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
      override end(...values: unknown[]): this {
        setImmediate(() => super.end(...(values as Parameters<ServerResponse['end']>)));
        return this;
      }
    }
    const server = createServer({ ServerResponse: Later }, (_request, response) => void response.end('later'));
    await once(server.listen(0), 'listening');
    assert.equal(await askFor('/', (server.address() as AddressInfo).port), 'later');
    server.close();
  });
});

describe('unread-body.ts', () => {
  test('Node says whether all of a request was read, and says goodbye by destroySoon of the one socket', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      const { socket } = request;
      seen.push(request.complete);
      const inherited = socket.destroySoon;
      socket.destroySoon = () => {
        seen.push(`goodbye, sent: ${response.writableFinished || response.writableEnded}`);
        inherited.call(socket);
      };
      response.writeHead(413, { connection: 'close' }).end();
    });
    await once(server.listen(0), 'listening');
    const socket = connect((server.address() as AddressInfo).port);
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\nsome of it');
    const answer = await text(socket);
    server.close();
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.deepEqual(seen, [false, 'goodbye, sent: true']);
  });

  for (const [expectation, event] of [
    ['100-continue', 'checkContinue'],
    ['something-else', 'checkExpectation'],
  ] as const)
    test(`Node leaves Expect: ${expectation} to whoever listens for ${event}`, async () => {
      const told: string[] = [];
      const server = createServer(() => told.push('request'));
      server.on(event, (_request, response) => {
        told.push(event);
        response.end();
      });
      await once(server.listen(0), 'listening');
      const socket = connect((server.address() as AddressInfo).port);
      socket.write(
        `POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\nexpect: ${expectation}\r\ncontent-length: 4\r\n\r\nbody`,
      );
      const answer = await text(socket);
      server.close();
      assert.match(answer, /^HTTP\/1\.1 200 /);
      assert.deepEqual(told, [event]);
    });
});

describe('request-counts.ts', () => {
  test('prom-client asks a metric for its values when it is read, and for nothing else', async () => {
    let asked = 0;
    const labels = { method: 'GET', route: '/a' };
    const metric = {
      name: 'seconds',
      reset: () => undefined,
      get: async () => {
        asked++;
        const values = [
          { metricName: 'seconds_bucket', labels: { le: '+Inf', ...labels }, value: 2 },
          { metricName: 'seconds_sum', labels, value: 0.5 },
          { labels: { method: 'GET' }, value: 3 },
        ];
        return { name: 'seconds', help: 'Time', type: 'histogram', values, aggregator: 'sum' };
      },
    };
    const registry = new Registry();
    registry.registerMetric(metric as unknown as Metric);
    assert.equal(asked, 0);
    assert.deepEqual((await registry.metrics()).trim().split('\n'), [
      '# HELP seconds Time',
      '# TYPE seconds histogram',
      'seconds_bucket{le="+Inf",method="GET",route="/a"} 2',
      'seconds_sum{method="GET",route="/a"} 0.5',
      'seconds{method="GET"} 3',
    ]);
    assert.equal(asked, 1);
  });
});
