import type { IncomingHttpHeaders } from 'node:http';

/** One request that a fake provider has read to its end. */
export interface Exchange {
  /** The connection over which it came. */
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): FakeAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/**
 * What a provider can be told to do with a message to one token. `tooMany` names 3 seconds in Retry-After; `gone` is
 * this provider's answer for a dead token; `break` closes the connection after reading; `goaway` announces that first;
 * `refuse` is a stream that the provider has not processed.
 */
export const behaviours = ['tooMany', 'unavailable', 'gone', 'garbage', 'hang', 'break', 'goaway', 'refuse'] as const;
export type Behaviour = (typeof behaviours)[number];

/** Those that are answers, in one provider's words. */
export type Answers = Readonly<Record<'tooMany' | 'unavailable' | 'gone', FakeAnswer>>;

/** One provider's contract. */
export interface Contract {
  readonly answers: Answers;
  /** True for the requests that are its own. */
  takes(exchange: Exchange): boolean;
  /** The recipient of a request, as the tests call it; undefined for anything but a message. */
  recipient(exchange: Exchange): string | undefined;
  /** Checks a request as strictly as the provider does, and answers. */
  answer(exchange: Exchange): FakeAnswer;
  /** The message's content for the test: JSON. */
  content(exchange: Exchange): unknown;
}
