import type { IncomingMessage } from 'node:http';
import { openRequest } from '../../delivery/provider/open-request.ts';
import { TargetRefused, type TargetRules } from '../../delivery/provider/target-rules.ts';

const maxBytes = 256 * 1024;

/** Why a document could not be read, as the end of a sentence. */
export class Unreadable extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'Unreadable';
  }
}

export interface JsonReading {
  readonly targets: TargetRules;
  readonly timeoutMs: number;
}

export interface JsonRequest extends JsonReading {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Said {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/**
 * Reads a JSON object from an address that somebody has entered: no redirects, no private targets, at most 256 KiB.
 *
 * @throws Unreadable
 */
export async function readJson(url: string, reading: JsonReading): Promise<Readonly<Record<string, unknown>>> {
  const { status, text } = await ask(url, reading);
  if (status !== 200) throw new Unreadable(`${url} answered ${status}`);
  return parse(url, text);
}

/** Sends a request to such an address, under the same conditions. @throws Unreadable */
export async function ask(url: string, asking: JsonRequest): Promise<Said> {
  const { targets, timeoutMs, headers, ...request } = asking;
  const { hostname, host } = new URL(url);
  const refusal = targets.refusalOfAddress(hostname);
  if (refusal !== undefined) throw new Unreadable(refusal);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const sent = { ...request, targets, headers: { accept: 'application/json', ...headers } };
    const response = await openRequest(url, sent, timeout);
    return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) };
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    if (error instanceof TargetRefused) throw new Unreadable(error.message);
    if (timeout.aborted) throw new Unreadable(`${host} did not answer within ${timeoutMs / 1000} s`);
    throw new Unreadable(`${host} does not answer (${(error as NodeJS.ErrnoException).code ?? 'no reason'})`, error);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > maxBytes) throw new Unreadable(`the answer has more than ${maxBytes / 1024} KiB`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(url: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new Unreadable(`${url} is no JSON object`);
}
