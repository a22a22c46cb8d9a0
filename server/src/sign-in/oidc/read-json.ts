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

/**
 * Reads a JSON object from an address that somebody has entered: no redirects, no private targets, at most 256 KiB.
 *
 * @throws Unreadable
 */
export async function readJson(
  url: string,
  { targets, timeoutMs }: { readonly targets: TargetRules; readonly timeoutMs: number },
): Promise<Readonly<Record<string, unknown>>> {
  const { hostname, host } = new URL(url);
  const refusal = targets.refusalOfAddress(hostname);
  if (refusal !== undefined) throw new Unreadable(refusal);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await get(url, targets, timeout);
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Unreadable(`${url} answered ${response.statusCode}`);
    }
    return parse(url, await textOf(response));
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    if (error instanceof TargetRefused) throw new Unreadable(error.message);
    if (timeout.aborted) throw new Unreadable(`${host} did not answer within ${timeoutMs / 1000} s`);
    throw new Unreadable(`${host} does not answer (${(error as NodeJS.ErrnoException).code ?? 'no reason'})`, error);
  }
}

function get(url: string, targets: TargetRules, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const headers = { accept: 'application/json' };
    // A new connection each time, so that each one is checked.
    const request = send(url, { headers, agent: false, lookup: targets.lookup, signal, maxHeaderSize: 16_384 });
    request.on('error', reject);
    request.on('response', resolve);
    request.end();
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
