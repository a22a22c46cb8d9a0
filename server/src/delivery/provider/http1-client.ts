import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { NoAnswer, ProviderAnswer, ProviderRequest } from './provider-answer.ts';

const maxBody = 64 * 1024;

/** HTTP/1.1 with persistent connections, for servers that support nothing newer. */
export class Http1Client {
  readonly #origin: URL;
  readonly #agent: Agent;

  constructor(origin: URL, options: { connections: number; ca?: string; lookup?: LookupFunction }) {
    const { connections, ca, lookup } = options;
    this.#origin = origin;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: connections * 4,
      timeout: 60_000,
      ...(ca === undefined ? {} : { ca }),
      ...(lookup === undefined ? {} : { lookup }),
    });
  }

  /** Starts a request; `ended` is called at most once. Returns a function that cancels it. */
  request(request: ProviderRequest, ended: (answer: ProviderAnswer | NoAnswer) => void): () => void {
    const broken = (error: Error) => ended({ noAnswer: 'broken', text: `${this.#origin.host}: ${error.message}` });
    const outgoing: ClientRequest = httpsRequest(
      new URL(request.path, this.#origin),
      { method: request.method ?? 'POST', agent: this.#agent, headers: request.headers },
      (response) => read(response, ended, broken),
    );
    outgoing.on('error', broken);
    outgoing.end(request.body);
    return () => outgoing.destroy();
  }

  close(): void {
    this.#agent.destroy();
  }
}

function read(
  response: IncomingMessage,
  ended: (answer: ProviderAnswer) => void,
  broken: (error: Error) => void,
): void {
  let body = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    body += chunk;
    if (body.length > maxBody) response.destroy(new Error('the answer is too long'));
  });
  response.on('error', broken);
  response.on('end', () => ended({ status: response.statusCode ?? 0, headers: response.headers, body }));
}
