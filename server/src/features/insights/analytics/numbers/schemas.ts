import { type Static, Type } from 'typebox';
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

export const metrics = {
  visitors: countSchema('Different installations; exact up to 2,048, beyond that with a standard error of 0.8 %'),
  newVisitors: countSchema(
    'Those whose first visit in the app is among these. null of a floor, zone or beacon: of rooms it is not known who is new',
  ),
  returningVisitors: countSchema('Those who had been in the app before; null where `newVisitors` is'),
  visits: countSchema('Visits that began then'),
  dwellMedian: secondsSchema('Seconds that half of the visits did not exceed, within 4.5 %'),
  dwellLowerQuartile: secondsSchema('Seconds that a quarter of the visits did not exceed'),
  dwellUpperQuartile: secondsSchema('Seconds that three quarters of the visits did not exceed'),
  dwellMean: secondsSchema('Seconds on average; null where small groups are protected'),
  dwellTotal: secondsSchema(
    'Seconds that the visits took together; where small groups are protected in steps of what five visits take',
  ),
};
export const metricsSchema = Type.Object(metrics);
export type Metrics = Static<typeof metricsSchema>;

export const dwellBand = Type.Object({
  from: Type.Integer({ description: 'Seconds' }),
  until: Type.Union([Type.Integer(), Type.Null()], { description: 'Seconds; null: no matter how long' }),
  visits: countSchema('Visits that took so long'),
});
export type DwellBand = Static<typeof dwellBand>;
