import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The answer to a call; undefined: none until the receiver is closed. */
export type Answering = (call: ReceivedCall, response: ServerResponse) => void;

export interface WebhookReceiver {
  readonly url: string;
  readonly port: number;
  readonly calls: ReceivedCall[];
  answer: Answering;
  /** Resolves once this many calls have arrived since the start. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

export const answerWith =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Answering =>
  (_call, response) =>
    void response.writeHead(status, headers).end(body);

/** An external server, on this machine. */
export async function startReceiver(port = 0): Promise<WebhookReceiver> {
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
    receiver.calls.push(call);
    receiver.answer(call, response);
    for (const { count, resolve } of waiting) if (receiver.calls.length >= count) resolve();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
    calls: [],
    answer: answerWith(200, 'ok'),
    arrived: (count) =>
      new Promise((resolve) => {
        if (receiver.calls.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
