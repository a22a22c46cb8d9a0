import { siteTimeZone } from '@pharos/engine';
import { Type } from 'typebox';
import type { Caller } from '../../../../access/caller.ts';
import { venuesFor } from '../../../../access/venue-limit.ts';
import type { Db } from '../../../../db/db.ts';
import { exampleId } from '../../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../../http/endpoint.ts';
import type { Answering } from '../answer.ts';
import { dateOf } from '../numbers/calendar.ts';
import { type Dimension, dimensions } from '../numbers/places.ts';
import { readPlace } from '../numbers/question.ts';
import { analyticsTag } from '../numbers/schemas.ts';
import { type FindDays, forecastOf } from './answer.ts';
import { maxDays } from './estimate.ts';
import { answerSchema, zonesSchema } from './schemas.ts';
import { zoneForecastsOf } from './zones.ts';

const zonesExample = {
  result: {
    timeZone: 'Europe/Vienna',
    isProtected: false,
    isComplete: true,
    date: '2026-11-28',
    zones: [
      {
        zoneId: exampleId,
        peak: { visitors: 14, error: 3, within: 6, tried: 8 },
        stay: { seconds: 420, error: 90, within: 7, tried: 8 },
        days: [{ date: '2026-11-21', peak: 15, stay: 430.54 }],
      },
    ],
  },
};

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

type Asking = Caller & { readonly query: Readonly<Record<string, string | undefined>>; readonly now: number };

const placeQuery = (among: readonly Dimension[]) =>
  among.map((name) => ({ name: `${name}Id`, description: `Only visitors of this ${name}`, schema: Type.String() }));

/** What the next open day may bring. */
export function forecastEndpoints(db: Db, isBehind: Answering['isBehind'], findDays: FindDays): Endpoint[] {
  const shared = {
    method: 'GET',
    tag: analyticsTag,
    grant: { of: 'analytics', verb: 'list' },
    errors: ['InvalidQuery', 'Timeout'],
  } as const;
  const asking = (call: Asking, among: readonly Dimension[]) => {
    const { app, query, now } = call;
    const zone = siteTimeZone([app.policy.timeZone]);
    const isProtected = app.policy.smallGroups === 'protected';
    const venues = venuesFor(call, 'analytics', 'list');
    const by = { db, appId: app.appId, zone, now, isProtected, venues, isBehind, findDays };
    return { by, asked: { place: readPlace(query, among), today: dateOf(now, zone) } };
  };
  return [
    endpoint({
      ...shared,
      path: '/analytics/forecast/zones',
      operationId: 'getZoneForecasts',
      summary: 'Say how many may be in each zone at once on the next open day, and for how long',
      description:
        `For each zone the middle of the peaks and of the median stays on the last ${maxDays} days of the same weekday on which the ` +
        'place was open as usual, and how far the same reckoning would have been off on these days. In a queue the stay is the wait.',
      query: placeQuery(['venue', 'floor', 'zone']),
      answer: { status: 200, description: 'The forecasts.', schema: zonesSchema, example: zonesExample },
      handle: async (call) => {
        const { by, asked } = asking(call, ['venue', 'floor', 'zone']);
        return { result: await zoneForecastsOf(by, asked) };
      },
    }),
    endpoint({
      ...shared,
      path: '/analytics/forecast',
      operationId: 'getForecast',
      summary: 'Say how many visitors the next open day may bring',
      description:
        `The middle of the last ${maxDays} days of the same weekday on which the place was open as usual, and how far the same ` +
        'reckoning would have been off on these days. Days that are exceptions of the opening hours are left out, and so is today. ' +
        'Nothing is said where there are too few days.',
      query: placeQuery(dimensions),
      answer: { status: 200, description: 'The forecast.', schema: answerSchema, example },
      handle: async (call) => {
        const { by, asked } = asking(call, dimensions);
        return { result: await forecastOf(by, asked) };
      },
    }),
  ];
}
