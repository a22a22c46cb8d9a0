import { Type } from 'typebox';
import { venuesFor } from '../../../access/venue-limit.ts';
import type { Db } from '../../../db/db.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { siteTimeZone } from '../../../proximity/index.ts';
import type { Answering } from '../answer.ts';
import { dateOf } from '../numbers/calendar.ts';
import { dimensions } from '../numbers/places.ts';
import { readPlace } from '../numbers/question.ts';
import { analyticsTag, countSchema, daySchema } from '../numbers/schemas.ts';
import { type FindDays, forecastOf } from './answer.ts';
import { fewestDays, mostDays } from './reckon.ts';

const forecastSchema = Type.Object({
  date: daySchema,
  visitors: countSchema('The middle of `days`'),
  error: Type.Integer({
    minimum: 0,
    description: 'The same reckoning would have been off by so many visitors or fewer …',
  }),
  within: Type.Integer({ minimum: 0, description: '… on so many …' }),
  tried: Type.Integer({ minimum: 0, description: '… of so many of the days before' }),
  days: Type.Array(Type.Object({ date: daySchema, visitors: countSchema('Visitors of that day') }), {
    description: `The last ${mostDays} days like it or fewer, the last first: the same weekday, open, and no holiday`,
  }),
});

const answerSchema = Type.Object({
  result: Type.Object({
    timeZone: Type.String(),
    isProtected: Type.Boolean({ description: 'Small groups are protected' }),
    isComplete: Type.Boolean({ description: 'false while older visits, or many new ones, are still being counted' }),
    date: Type.Union([daySchema, Type.Null()], { description: 'The next open day; null: none within two weeks' }),
    forecast: Type.Union([forecastSchema, Type.Null()], {
      description: `null: there are fewer than ${fewestDays} days like it, or fewer than ${fewestDays} to try the reckoning on`,
    }),
  }),
});

const example = {
  result: {
    timeZone: 'Europe/Vienna',
    isProtected: false,
    isComplete: true,
    date: '2026-11-28',
    forecast: {
      date: '2026-11-28',
      visitors: 412,
      error: 35,
      within: 6,
      tried: 8,
      days: [{ date: '2026-11-21', visitors: 420 }],
    },
  },
};

/** What the next open day may bring. */
export function forecastEndpoints(db: Db, isBehind: Answering['isBehind'], findDays: FindDays): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/analytics/forecast',
      operationId: 'getForecast',
      tag: analyticsTag,
      summary: 'Say how many visitors the next open day may bring',
      description:
        `The middle of the last ${mostDays} days of the same weekday on which the place was open as usual, and how far the same ` +
        'reckoning would have been off on these days. Days that are exceptions of the opening hours are left out, and so is today. ' +
        'Nothing is said where there are too few days.',
      grant: { of: 'analytics', verb: 'list' },
      query: dimensions.map((name) => ({
        name: `${name}Id`,
        description: `Only visitors of this ${name}`,
        schema: Type.String(),
      })),
      answer: { status: 200, description: 'The forecast.', schema: answerSchema, example },
      errors: ['InvalidQuery', 'Timeout'],
      handle: async (call) => {
        const { app, query, now } = call;
        const venues = venuesFor(call, 'analytics', 'list');
        const zone = siteTimeZone([app.policy.timeZone]);
        const isProtected = app.policy.smallGroups === 'protected';
        const by = { db, appId: app.appId, zone, isProtected, venues, isBehind, findDays };
        const asked = { place: readPlace(query), today: dateOf(now, zone) };
        return { result: await forecastOf(by, asked) };
      },
    }),
  ];
}
