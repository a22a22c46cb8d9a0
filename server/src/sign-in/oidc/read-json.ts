import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
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
  const { targets, timeoutMs } = asking;
  const { hostname, host } = new URL(url);
  const refusal = targets.refusalOfAddress(hostname);
  if (refusal !== undefined) throw new Unreadable(refusal);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(url, asking, timeout);
    return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) };
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    if (error instanceof TargetRefused) throw new Unreadable(error.message);
    if (timeout.aborted) throw new Unreadable(`${host} did not answer within ${timeoutMs / 1000} s`);
    throw new Unreadable(`${host} does not answer (${(error as NodeJS.ErrnoException).code ?? 'no reason'})`, error);
  }
}

function send(
  url: string,
  { targets, method, headers, body }: JsonRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? httpsRequest : httpRequest;
    // A new connection each time, so that each one is checked.
    const request = open(url, {
      method: method ?? 'GET',
      headers: { accept: 'application/json', ...headers },
      agent: false,
      lookup: targets.lookup,
      signal,
      maxHeaderSize: 16_384,
    });
    request.on('error', reject);
    request.on('response', resolve);
    request.end(body);
  });
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
