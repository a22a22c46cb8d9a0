import type { IncomingHttpHeaders } from 'node:http';
import type { SendResult } from '../push/push-sender.ts';

export interface ProviderRequest {
  /** POST without it. */
  readonly method?: 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Uint8Array;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Why a request has no answer. */
export interface NoAnswer {
  /**
   * `unreachable`: no connection could be made, the request never left. `refused`: connecting to the address is not
   * allowed. `broken`, `timeout`, `stopped`: it may have left and been accepted; the outcome is unknown.
   */
  readonly noAnswer: 'unreachable' | 'refused' | 'broken' | 'timeout' | 'stopped';
  readonly text: string;
}

export function isAnswer(answer: ProviderAnswer | NoAnswer): answer is ProviderAnswer {
  return 'status' in answer;
}

const maxReason = 300;

/** A provider's message as a reason: one line, at most 300 characters. */
export function reason(...words: readonly (string | number | undefined)[]): string {
  const text = words
    .filter((word) => word !== undefined && word !== '')
    .join(' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an answer may hold anything, a reason is one line
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return text.length > maxReason ? `${text.slice(0, maxReason - 1).toWellFormed()}…` : text;
}

/** When the provider answered, by its own clock (ms); undefined if it does not say. */
export function answeredAt({ headers }: Pick<ProviderAnswer, 'headers'>): number | undefined {
  const at = Date.parse(headers.date ?? '');
  return Number.isNaN(at) ? undefined : at;
}

const maxWaitMs = 24 * 3600 * 1000;

/** `Retry-After` (RFC 9110: seconds, or a date by the provider's clock) in ms, at most a day; undefined if there is none. */
function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - (answeredAt({ headers }) ?? now);
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxWaitMs);
}

export function unanswered(answer: NoAnswer): SendResult {
  if (answer.noAnswer === 'refused') return { outcome: 'failed', reason: reason(answer.text) };
  const scope = answer.noAnswer === 'unreachable' ? 'provider' : 'message';
  return { outcome: 'retry', reason: reason(answer.text), scope };
}

/** `retry` with the provider's Retry-After if there is one, else with the given `afterMs`. */
export function retryLater(
  answer: ProviderAnswer,
  now: number,
  words: { readonly reason: string; readonly scope: 'message' | 'provider'; readonly afterMs?: number },
): SendResult {
  const { reason: text, scope } = words;
  const afterMs = retryAfterMs(answer.headers, now) ?? words.afterMs;
  return { outcome: 'retry', reason: text, scope, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** The JSON object of a body; an empty one for anything else. */
export function jsonBody(answer: ProviderAnswer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer.body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
