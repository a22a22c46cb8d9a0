import { siteTimeZone } from '@pharos/engine';
import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { venuesFor } from '../../../access/venue-limit.ts';
import type { Db } from '../../../db/db.ts';
import { exampleId } from '../../../http/answers.ts';
import { type Endpoint, endpoint, type QueryParameter } from '../../../http/endpoint.ts';
import { smallGroup } from '../../blur.ts';
import { type Answering, answerOf } from './answer.ts';
import { dateOf } from './numbers/calendar.ts';
import { dimensions } from './numbers/places.ts';
import { comparisons, intervals, readQuestion } from './numbers/question.ts';
import { analyticsTag, countSchema, daySchema, periodQuery, secondsSchema } from './numbers/schemas.ts';

const metrics = {
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

const metricsSchema = Type.Object(metrics);

const rowSchema = Type.Object({
  start: Type.Optional(
    Type.String({ description: "The beginning in the app's time zone, 2026-10-01 or with the hour 2026-10-01T09:00" }),
  ),
  weekday: Type.Optional(Type.Integer({ minimum: 1, maximum: 7, description: 'Of hourOfWeek: 1 is Monday' })),
  hour: Type.Optional(Type.Integer({ minimum: 0, maximum: 23, description: 'Of hourOfWeek' })),
  beaconId: Type.Optional(Type.String({ description: 'The objectId of the beacon, with groupBy=beacon' })),
  zoneId: Type.Optional(Type.String({ description: 'The objectId of the zone, with groupBy=zone' })),
  floorId: Type.Optional(Type.String({ description: 'The objectId of the floor, with groupBy=floor' })),
  venueId: Type.Optional(Type.String({ description: 'The objectId of the venue, with groupBy=venue' })),
  ...metrics,
});

const period = {
  from: daySchema,
  until: Type.String({ format: 'date', description: 'The day after the last' }),
  total: Type.Union([metricsSchema, Type.Null()], {
    description:
      'Of the whole period; null where small groups are protected and it is not one day, week, month or year',
  }),
  rows: Type.Array(rowSchema),
  distribution: Type.Union(
    [
      Type.Array(
        Type.Object({
          from: Type.Integer({ description: 'Seconds' }),
          until: Type.Union([Type.Integer(), Type.Null()], { description: 'Seconds; null: no matter how long' }),
          visits: countSchema('Visits that took so long'),
        }),
      ),
      Type.Null(),
    ],
    { description: 'How long the visits of the whole period took; null where the total is' },
  ),
};

const soFar = Type.Object(
  {
    until: Type.String({ description: "When it ends in the app's time zone: 2026-10-27T16:00" }),
    total: Type.Union([metricsSchema, Type.Null()], { description: 'null where small groups are protected' }),
  },
  {
    description:
      'While the period itself goes on: as much of the one before, to the same day of the month or week and the same hour',
  },
);

const answerSchema = Type.Object({
  result: Type.Object({
    ...period,
    timeZone: Type.String(),
    interval: Type.Enum([...intervals]),
    isProtected: Type.Boolean({
      description: `Small groups are protected: 1 to 4 visitors, and some groups of a few more, are "${smallGroup}"`,
    }),
    isComplete: Type.Boolean({ description: 'false while older visits, or many new ones, are still being counted' }),
    previous: Type.Optional(
      Type.Object({ ...period, soFar: Type.Optional(soFar) }, { description: 'The period before, with compare' }),
    ),
  }),
});

const exampleMetrics = {
  visitors: 412,
  newVisitors: 350,
  returningVisitors: 62,
  visits: 1180,
  dwellMedian: 181.02,
  dwellLowerQuartile: 64.35,
  dwellUpperQuartile: 430.54,
  dwellMean: 274.3,
  dwellTotal: 323_674.1,
};
const exampleAnswer = {
  result: {
    from: '2026-10-01',
    until: '2026-11-01',
    total: exampleMetrics,
    rows: [{ beaconId: exampleId, ...exampleMetrics, newVisitors: null, returningVisitors: null }],
    distribution: [{ from: 0, until: 15, visits: 1180 }],
    timeZone: 'Europe/Vienna',
    interval: 'total',
    isProtected: false,
    isComplete: true,
  },
};

const query: readonly QueryParameter[] = [
  ...periodQuery,
  { name: 'interval', description: '`total` without it', schema: Type.Enum([...intervals]) },
  { name: 'groupBy', description: 'A row for each of these', schema: Type.Enum([...dimensions]) },
  ...dimensions.map((name) => ({
    name: `${name}Id`,
    description: name === 'beacon' ? 'Only visits at this beacon' : `Only visits at beacons that were in this ${name}`,
    schema: Type.String(),
  })),
  {
    name: 'compare',
    description:
      'The period before as well, or with `year` that of the year before: the same months, else the same weekdays',
    schema: Type.Enum([...comparisons]),
  },
];

const about =
  'Last month unless `from` and `until` say otherwise. A visit counts in the hour in which it began. New visits are counted ' +
  'within some seconds. Numbers stay when the visits are deleted because of their age. A visitor is an installation. ' +
  'A visit is in the zone in which its beacon was when the hour began; what was known first of a beacon counts for the time before. ' +
  `Where the app protects small groups, 1 to 4 visitors, and some groups of a few more, are \`"${smallGroup}"\` without further numbers, other counts are rounded ` +
  'to fives after some noise, with which some slightly larger groups are told as small ones, and periods are whole days, weeks, months or years.';

type Asking = Caller & { readonly query: Readonly<Record<string, string | undefined>>; readonly now: number };

export function analyticsEndpoints(db: Db, isBehind: Answering['isBehind']): Endpoint[] {
  const ask = (call: Asking) => {
    const { app, query: asked, now } = call;
    const venues = venuesFor(call, 'analytics', 'list');
    const zone = siteTimeZone([app.policy.timeZone]);
    const isProtected = app.policy.smallGroups === 'protected';
    const question = readQuestion(asked, { today: dateOf(now, zone), isProtected });
    return answerOf({ db, appId: app.appId, zone, now, isProtected, venues, isBehind }, question);
  };
  return [
    endpoint({
      method: 'GET',
      path: '/analytics/visits',
      operationId: 'getVisitNumbers',
      tag: analyticsTag,
      summary: 'Count visitors and visits',
      description: about,
      grant: { of: 'analytics', verb: 'list' },
      query,
      answer: { status: 200, description: 'The numbers.', schema: answerSchema, example: exampleAnswer },
      errors: ['InvalidQuery', 'Timeout'],
      handle: async (call) => ({ result: await ask(call) }),
    }),
  ];
}
