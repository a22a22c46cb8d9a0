import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestApp } from './build-app.ts';

/** Starts the service on a free port of this machine and returns the port. */
export async function listen({ app }: TestApp): Promise<number> {
  const address = await app.server.listen({ host: '127.0.0.1', port: 0 });
  return Number(new URL(address).port);
}

/** A port that is free now, for a program that cannot choose one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text where it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test is about to find out
  readonly body: any;
}

/** One connection, byte by byte. */
export interface Connection {
  readonly socket: Socket;
  send(bytes: string | Buffer): void;
  /** Resolves with the next whole answer; interim ones (100) count. */
  answer(): Promise<RawAnswer>;
  /** Resolves when the service has said that it sends no more. */
  readonly ended: Promise<void>;
}

export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ host: '127.0.0.1', port });
  let received = Buffer.alloc(0);
  let wake: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, () => resolve());
  });
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    wake();
  });
  // A reset is one of the ways in which a service disconnects.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    ended,
    async answer() {
      for (let over = false; ; ) {
        const found = takeAnswer(received);
        if (found) {
          received = Buffer.from(found.rest);
          return found.answer;
        }
        if (over)
          throw new Error(`the connection ended without a whole answer: ${received.toString('latin1').slice(0, 300)}`);
        await Promise.race([new Promise<void>((resolve) => (wake = resolve)), ended.then(() => (over = true))]);
      }
    },
  };
}

/** Sends bytes on a new connection and returns what comes back. */
export async function exchange(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const connection = await openConnection(port);
  try {
    connection.send(bytes);
    return await connection.answer();
  } finally {
    connection.socket.destroy();
  }
}

/** The head of a request, with Host; headers may be given several times. */
export function head(line: string, headers: readonly (readonly [string, string])[]): string {
  const lines = [['Host', 'pharos.test'] as const, ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function takeAnswer(received: Buffer): { readonly answer: RawAnswer; readonly rest: Buffer } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(first.split(' ')[1]);
  const length = Number(headers['content-length'] ?? 0);
  const body = received.subarray(end + 4, end + 4 + length);
  if (body.length < length) return undefined;
  const text = body.toString('utf8');
  const isJson = headers['content-type']?.startsWith('application/json') && text !== '';
  return {
    answer: { status, headers, body: isJson ? JSON.parse(text) : text },
    rest: received.subarray(end + 4 + length),
  };
}
