import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TargetRules } from './target-rules.ts';

interface Request {
  readonly targets: TargetRules;
  /** GET without it. */
  readonly method?: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | Buffer;
}

/**
 * Sends a request to an address that somebody has entered, over a connection of its own, so that the address is checked. Redirects are
 * not followed.
 */
export function openRequest(
  url: string,
  { targets, body, ...request }: Request,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? httpsRequest : httpRequest;
    const { lookup } = targets;
    open(url, { ...request, agent: false, lookup, signal, maxHeaderSize: 16_384 })
      .on('error', reject)
      .on('response', resolve)
      .end(body);
  });
}
