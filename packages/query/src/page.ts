import { Problems } from './problems.ts';

const maxLimit = 1000;
const maxSkip = 100_000;

export interface Page {
  /** 0 to 1,000. */
  readonly limit: number;
  /** 0 to 100,000. */
  readonly skip: number;
  /** Whether to return the number of all records too. */
  readonly count: boolean;
}

/** The query parameters as they came; a string if given once. */
export interface PageParameters {
  readonly limit?: unknown;
  readonly skip?: unknown;
  readonly count?: unknown;
}

/**
 * Parses `limit` (more than 1,000 is read as 1,000), `skip` (at most 100,000) and `count` (0 or 1). Lists that have no
 * query parameters in the specification pass 1,000 as `defaultLimit`.
 *
 * @throws QueryError
 */
export function parsePage(parameters: PageParameters, defaultLimit = 100): Page {
  const problems = new Problems();
  const limit = readWhole(problems, 'limit', parameters.limit) ?? defaultLimit;
  const skip = readWhole(problems, 'skip', parameters.skip) ?? 0;
  const count = readWhole(problems, 'count', parameters.count) ?? 0;
  if (skip > maxSkip) problems.add('skip', `must be at most ${maxSkip}`);
  if (count > 1) problems.add('count', 'must be 0 or 1');
  problems.throwIfAny();
  return Object.freeze({ limit: Math.min(limit, maxLimit), skip, count: count === 1 });
}

function readWhole(problems: Problems, name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^\d+$/.test(value)) return Number(value);
  return problems.add(name, 'must be a whole number, 0 or more');
}
