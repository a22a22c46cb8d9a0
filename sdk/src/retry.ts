import type { Operation } from './call.ts';
import { PharosError } from './error.ts';

export interface RetryOptions {
  /** How often a call is tried in all; 4 by default. */
  readonly attempts?: number;
  /**
   * Milliseconds. The delay before the second try is a random part of this, and the limit doubles with each try. 500 by
   * default.
   */
  readonly baseDelay?: number;
  /**
   * Milliseconds. No delay is longer; if the service asks for a longer one, the call is not repeated. 15 000 by
   * default.
   */
  readonly longestDelay?: number;
  /** For tests. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** For tests: a number from 0 to 1. */
  readonly random?: () => number;
}

export type Retry = Required<Omit<RetryOptions, 'sleep'>> & Pick<RetryOptions, 'sleep'>;

export function withDefaults(options: RetryOptions | false = {}): Retry {
  return {
    attempts: 4,
    baseDelay: 500,
    longestDelay: 15_000,
    random: Math.random,
    ...(options === false ? { attempts: 1 } : options),
  };
}

/**
 * Whether a call may be sent twice without effect on the second time: reading, replacing and deleting, and creating if
 * the service recognises a repetition by an id of the client's own.
 */
export function isRepeatable({ method, path }: Operation, body: unknown): boolean {
  if (method !== 'POST') return method !== 'PATCH';
  // The service takes a refresh token again until something of its answer is used, since that may have been lost.
  if (path === '/users/token') return true;
  const sent = (body ?? {}) as { readonly sightings?: unknown; readonly installationId?: unknown };
  if (path === '/logs') return hasEventId(sent);
  if (path === '/sightings') return Array.isArray(sent.sightings) && sent.sightings.every(hasEventId);
  return path === '/installations' && typeof sent.installationId === 'string';
}

function hasEventId(value: unknown): boolean {
  return typeof (value as { readonly eventId?: unknown } | null)?.eventId === 'string';
}

/**
 * Milliseconds to wait before another try; undefined if none would help. Full jitter: a random part of a limit that
 * doubles, so that many clients do not come back at once.
 */
export function delayBefore(attempt: number, error: unknown, retry: Retry): number | undefined {
  if (!(error instanceof PharosError) || !error.retriable) return undefined;
  const asked = error.retryAfter === undefined ? 0 : error.retryAfter * 1000;
  if (asked > retry.longestDelay) return undefined;
  const bound = Math.min(retry.longestDelay, retry.baseDelay * 2 ** (attempt - 1));
  return Math.min(retry.longestDelay, asked + retry.random() * bound);
}
