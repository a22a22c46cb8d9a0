import { Type } from 'typebox';
import type { QueryParameter, Tag } from '../../../../http/endpoint.ts';
import { smallGroup } from '../../../blur.ts';

/** What the answers about numbers share. */

export const analyticsTag: Tag = {
  name: 'Analytics',
  description:
    'How many visitors there were, when and where, how long they stayed, which ways they took, and what messages led to.',
  place: 118,
  console: { read: 'numbers.read' },
};

export const countSchema = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Literal(smallGroup), Type.Null()], { description });
export const secondsSchema = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description });

export const daySchema = Type.String({ format: 'date' });

export const periodQuery: readonly QueryParameter[] = [
  {
    name: 'from',
    description: "The first day, in the app's time zone; the first of last month without it",
    schema: daySchema,
  },
  {
    name: 'until',
    description: 'The day after the last; without `from` the first of this month, else tomorrow',
    schema: daySchema,
  },
];
