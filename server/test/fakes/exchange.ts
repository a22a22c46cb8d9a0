import type { IncomingHttpHeaders } from 'node:http';

/** One request that a fake provider has read to its end. */
export interface Exchange {
  /** Which connection it came over. */
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
 * what this provider says of a dead token; `break` closes the connection after reading; `goaway` says so before;
 * `refuse` is a stream that the provider has not looked at.
 */
export const behaviours = ['tooMany', 'unavailable', 'gone', 'garbage', 'hang', 'break', 'goaway', 'refuse'] as const;
export type Behaviour = (typeof behaviours)[number];

/** Those that are answers, in the words of one provider. */
export type Answers = Readonly<Record<'tooMany' | 'unavailable' | 'gone', FakeAnswer>>;

/** One provider's contract. */
export interface Contract {
  readonly answers: Answers;
  /** True for the requests that are its own. */
  takes(exchange: Exchange): boolean;
  /** Whom a request is for, as the tests call them; undefined for what is no message. */
  recipient(exchange: Exchange): string | undefined;
  /** Judges a request as strictly as the provider does, and answers. */
  answer(exchange: Exchange): FakeAnswer;
  /** What the message says, for the test to look at: JSON. */
  content(exchange: Exchange): unknown;
}
