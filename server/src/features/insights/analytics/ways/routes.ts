import { siteTimeZone } from '@pharos/engine';
import { Type } from 'typebox';
import type { Caller } from '../../../../access/caller.ts';
import { venuesFor } from '../../../../access/venue-limit.ts';
import { fail } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import { exampleId, otherExampleId } from '../../../../http/answers.ts';
import { type Endpoint, endpoint, type QueryParameter } from '../../../../http/endpoint.ts';
import { dateOf, daysBetween } from '../numbers/calendar.ts';
import { Kept } from '../numbers/kept.ts';
import { assertOneUnit, oneOf, readPeriod, readPlace } from '../numbers/question.ts';
import { analyticsTag, periodQuery } from '../numbers/schemas.ts';
import { type AskingWays, flowsOf, pathsOf, type WayQuestion } from './answer.ts';
import { peaksOf } from './peaks.ts';
import { flowsSchema, pathsSchema, peakIntervals, peaksSchema } from './schemas.ts';
import { maxPath } from './tours.ts';

const exampleHead = {
  from: '2026-10-01',
  until: '2026-11-01',
  timeZone: 'Europe/Vienna',
  isProtected: false,
  isComplete: true,
};

const exampleFlow = {
  from: { zoneId: exampleId },
  to: { zoneId: otherExampleId },
  tours: 310,
  visitors: 288,
  timeMedian: 24.68,
  timeLowerQuartile: 14.05,
  timeUpperQuartile: 41.5,
};

const placeQuery: readonly QueryParameter[] = [
  { name: 'venueId', description: 'Only this venue' },
  { name: 'floorId', description: 'Only what begins, ends or passes on this floor' },
  { name: 'zoneId', description: 'Only what begins, ends or passes in this zone' },
  {
    name: 'beaconId',
    description:
      'Only at this beacon; ways are told between zones, so those of the zones in which it was during the period, or its own while it was in none',
  },
].map((parameter) => ({ ...parameter, schema: Type.String() }));

const about =
  "A tour is what one installation does in one venue on one day of the app's zone, until it is nowhere for an hour. Its places are " +
  'zones; a beacon that is in none stands for itself. Days are counted some seconds to a minute after the last visit. ';
const small =
  'Where small groups are protected, ways of 1 to 4 visitors are left out, and a period is one day, week, month or year.';

type Asking = Caller & { readonly query: Query; readonly now: number };
type Query = Readonly<Record<string, string | undefined>>;

/** Peaks of each hour of a longer time are too many rows. */
const maxPeakDays = { day: 400, hour: 31, hourOfWeek: 100 } as const;

/** Who asks, and what, of one call. @throws Failure InvalidQuery */
type Ask = (call: Asking) => { readonly by: AskingWays; readonly question: WayQuestion };

export function wayEndpoints(db: Db, isBehind: AskingWays['isBehind']): Endpoint[] {
  const kept = new Kept();
  const asking: Ask = (call) => {
    const { app, now, query } = call;
    const venues = venuesFor(call, 'analytics', 'list');
    const zone = siteTimeZone([app.policy.timeZone]);
    const isProtected = app.policy.smallGroups === 'protected';
    const period = readPeriod(query, dateOf(now, zone));
    const question: WayQuestion = { ...period, place: readPlace(query) };
    return { by: { db, appId: app.appId, zone, isProtected, venues, isBehind, kept }, question };
  };
  const asked: Ask = (call) => {
    const both = asking(call);
    if (both.by.isProtected) assertOneUnit(both.question);
    return both;
  };
  return [flowsEndpoint(asked), pathsEndpoint(asked), peaksEndpoint(asking)];
}

const shared = { method: 'GET', tag: analyticsTag, grant: { of: 'analytics', verb: 'list' } } as const;

function flowsEndpoint(asked: Ask): Endpoint {
  return endpoint({
    ...shared,
    path: '/analytics/flows',
    operationId: 'getFlows',
    summary: 'Count ways between zones',
    description: `\`moves\` are from one zone to the next one, with the time from leaving to arriving; \`reaches\` from coming to a zone first to coming to another one later, wherever the visitor was between. ${about}${small}`,
    query: [...periodQuery, ...placeQuery],
    answer: {
      status: 200,
      description: 'The ways, the commonest first.',
      schema: Type.Object({ result: flowsSchema }),
      example: { result: { ...exampleHead, moves: [exampleFlow], reaches: [exampleFlow] } },
    },
    errors: ['InvalidQuery', 'Timeout'],
    handle: async (call) => {
      const { by, question } = asked(call);
      return { result: await flowsOf(by, question) };
    },
  });
}

function pathsEndpoint(asked: Ask): Endpoint {
  return endpoint({
    ...shared,
    path: '/analytics/paths',
    operationId: 'getPaths',
    summary: 'List the commonest paths through a venue',
    description: `Tours that have ended, by their first ${maxPath} places. ${about}Of a day and of a month the 1,000 commonest are kept. Of a floor, zone or beacon these are the paths that pass it among their first ${maxPath} places. ${small}`,
    query: [
      ...periodQuery,
      ...placeQuery,
      {
        name: 'top',
        description: 'How many paths; 10 without it',
        schema: Type.Integer({ minimum: 1, maximum: 100 }),
      },
    ],
    answer: {
      status: 200,
      description: 'The paths, the commonest first.',
      schema: Type.Object({ result: pathsSchema }),
      example: {
        result: {
          ...exampleHead,
          tours: 412,
          paths: [
            { stops: [{ zoneId: exampleId }, { zoneId: otherExampleId }], isCut: false, tours: 31, visitors: 31 },
          ],
        },
      },
    },
    errors: ['InvalidQuery', 'Timeout'],
    handle: async (call) => {
      const { by, question } = asked(call);
      return { result: await pathsOf(by, question, readTop(call.query['top'])) };
    },
  });
}

function peaksEndpoint(asking: Ask): Endpoint {
  return endpoint({
    ...shared,
    path: '/analytics/peaks',
    operationId: 'getPeaks',
    summary: 'Tell how many were at a zone at once',
    description:
      'The most visitors that were at a zone (or with `beaconId` at that beacon) at the same moment, in each `day`, `hour` or `hourOfWeek`. By hour a period has at most ' +
      `${maxPeakDays.hour} days, by hour of the week ${maxPeakDays.hourOfWeek}, by day ${maxPeakDays.day}. Where small groups are ` +
      'protected, 1 to 4 visitors are `"1-4"` and others are rounded to fives.',
    query: [
      ...periodQuery,
      ...placeQuery,
      { name: 'interval', description: '`hourOfWeek` without it', schema: Type.Enum([...peakIntervals]) },
    ],
    answer: {
      status: 200,
      description: 'The peaks. Where nobody was there is no row.',
      schema: Type.Object({ result: peaksSchema }),
      example: {
        result: {
          ...exampleHead,
          interval: 'hourOfWeek',
          rows: [{ zoneId: exampleId, weekday: 6, hour: 14, peak: 37 }],
        },
      },
    },
    errors: ['InvalidQuery', 'Timeout'],
    handle: async (call) => {
      const { by, question } = asking(call);
      const interval = oneOf('interval', peakIntervals, call.query['interval'] ?? 'hourOfWeek');
      const most = maxPeakDays[interval];
      if (daysBetween(question.from, question.until) > most)
        throw fail('InvalidQuery', `By ${interval} a period has at most ${most} days.`);
      return { result: await peaksOf(by, question, interval) };
    },
  });
}

/** @throws Failure InvalidQuery */
function readTop(text = '10'): number {
  const top = Number(text);
  if (!Number.isInteger(top) || top < 1 || top > 100)
    throw fail('InvalidQuery', 'top must be a whole number from 1 to 100.');
  return top;
}
