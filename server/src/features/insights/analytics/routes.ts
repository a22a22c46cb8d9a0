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
import { analyticsTag, periodQuery } from './numbers/schemas.ts';
import { answerSchema } from './schemas.ts';

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
