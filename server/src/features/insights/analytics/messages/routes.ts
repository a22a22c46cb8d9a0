import { siteTimeZone } from '@pharos/engine';
import { Type } from 'typebox';
import { fail } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import { exampleId } from '../../../../http/answers.ts';
import { type Endpoint, endpoint, type QueryParameter } from '../../../../http/endpoint.ts';
import { smallGroup } from '../../../blur.ts';
import { dateOf } from '../numbers/calendar.ts';
import { dimensions } from '../numbers/places.ts';
import { readId, readQuestion } from '../numbers/question.ts';
import { analyticsTag, periodQuery } from '../numbers/schemas.ts';
import { type MessageAnswering, messagesOf } from './answer.ts';
import { answerSchema, intervals } from './schemas.ts';

const group = {
  reached: 1000,
  openedBy: 310,
  acted: 120,
  shown: 1840,
  received: 1700,
  opened: 420,
  withdrawn: 3,
  share: 0.12,
  shareLow: 0.1013,
  shareHigh: 0.1416,
};
const example = {
  result: {
    from: '2026-10-01',
    until: '2026-11-01',
    timeZone: 'Europe/Vienna',
    interval: 'total',
    isProtected: false,
    isComplete: true,
    messages: [
      {
        triggerId: exampleId,
        kind: 'notification',
        name: 'Ten per cent in the shop',
        goal: { kind: 'visit', beaconId: exampleId, withinHours: 3 },
        groups: [
          { group: '', ...group },
          {
            ...group,
            group: 'holdout',
            reached: 200,
            openedBy: 0,
            acted: 18,
            shown: 0,
            received: 0,
            opened: 0,
            withdrawn: 0,
            share: 0.09,
            shareLow: 0.0577,
            shareHigh: 0.1376,
          },
        ],
        comparisons: [
          {
            group: '',
            against: 'holdout',
            difference: 0.03,
            low: -0.0212,
            high: 0.0687,
            isClear: false,
            text: 'Of 1,000 who got it 12 % reached the goal, of 200 who did not get it 9 %; the difference may be chance.',
          },
        ],
      },
    ],
    rows: [],
    load: [
      { messages: 1, visitors: 700 },
      { messages: 2, visitors: 240 },
    ],
  },
};

const query: readonly QueryParameter[] = [
  ...periodQuery,
  { name: 'interval', description: '`total` without it', schema: Type.Enum([...intervals]) },
  { name: 'triggerId', description: 'Only of this notification or scenario', schema: Type.String() },
  ...dimensions.map((name) => ({
    name: `${name}Id`,
    description:
      name === 'beacon'
        ? 'Only what was shown at this beacon'
        : `Only what was shown at beacons that were in this ${name}`,
    schema: Type.String(),
  })),
];

type Query = Readonly<Record<string, string | undefined>>;

/** Reads the question. Unlike numbers of visits, those of messages know only these parameters. */
function asked({ from, until, ...query }: Query, interval: string): Query {
  const place = dimensions.map((name) => [`${name}Id`, query[`${name}Id`]] as const);
  return { from, until, interval, ...Object.fromEntries(place) };
}

const about =
  'What messages led to, by message and group, last month unless `from` and `until` say otherwise. A visitor counts on the day on ' +
  'which a message was shown to them for the first time, or would have been if they had not been held out; so groups can be compared. ' +
  'A place is where the message was shown first, or would have been; what followed may have happened anywhere. ' +
  'New showings, receipts and goals are counted within some seconds. Numbers stay when the records behind them are deleted because of ' +
  `their age. Where the app protects small groups, 1 to 4 visitors, and some groups of a few more, are \`"${smallGroup}"\`, other counts are in fives after some noise, shares ` +
  'follow from these, and periods are whole days, weeks, months or years.';

export function messageEndpoints(deps: Pick<MessageAnswering, 'namesOf'> & { readonly db: Db }): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/analytics/messages',
      operationId: 'getMessageNumbers',
      tag: analyticsTag,
      summary: 'Count what messages led to',
      description: about,
      grant: { of: 'analytics', verb: 'list' },
      query,
      answer: { status: 200, description: 'The numbers.', schema: answerSchema, example },
      errors: ['InvalidQuery', 'Timeout'],
      handle: async ({ app, query: { interval = 'total', ...query }, now }) => {
        const triggerId = readId(query, 'triggerId');
        const zone = siteTimeZone([app.policy.timeZone]);
        const isProtected = app.policy.smallGroups === 'protected';
        if (!intervals.some((one) => one === interval))
          throw fail('InvalidQuery', `interval must be one of ${intervals.join(', ')}.`);
        const question = readQuestion(asked(query, interval), { today: dateOf(now, zone), isProtected });
        return { result: await messagesOf({ ...deps, appId: app.appId, zone, isProtected }, question, triggerId) };
      },
    }),
  ];
}
