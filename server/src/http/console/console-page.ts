import { Type } from 'typebox';
import { fail } from '../../base/errors.ts';
import type { QueryParameter } from '../endpoint.ts';

export const pageLimitParameter: QueryParameter = {
  name: 'limit',
  description: 'At most this many, 100 by default',
  schema: Type.Integer({ minimum: 1, maximum: 1000 }),
};

/** @throws Failure InvalidQuery */
export function readPageLimit(text: string | undefined): number {
  if (text === undefined) return 100;
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1)
    throw fail('InvalidQuery', 'limit must be a whole number from 1; more than 1,000 is read as 1,000.');
  return Math.min(1000, Number(text));
}
