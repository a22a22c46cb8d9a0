import { meanSpeed, type Stop, secondsOf } from '@pharos/engine/simulation';
import { type Static, Type } from 'typebox';
import {
  exampleCreated,
  exampleId,
  objectIdSchema,
  otherExampleId,
  timestampSchema,
} from '../../../../http/answers.ts';
import { defineShape } from '../../../../http/shape.ts';
import { eventSchema, messageExample, messageSchema, verdictExample, verdictSchema } from '../answer/answer.ts';
import { readTime } from '../read/reports.ts';
import { events } from '../traces/events.ts';
import { clutters } from './stage.ts';

/** The request and answer of simulated walks. */

/** No site is larger, metres. */
const farthest = 100_000;
const metres = Type.Number({ minimum: -farthest, maximum: farthest });
const point = Type.Object({ x: metres, y: metres });

const maxSeconds = 3_600;
const maxVisitors = 20;
/** The most steps of all visitors together. */
const maxSteps = 7_200;
/** How long visitors are followed after a route, seconds: what silence ends is over by then. */
const afterwards = 60;
const usualSeconds = 300;

const walkSchema = Type.Object({
  floorId: Type.String({ minLength: 1, maxLength: 64, description: 'The floor; the beacons of its venue are heard' }),
  route: Type.Optional(
    Type.Array(
      Type.Object({
        x: metres,
        y: metres,
        stay: Type.Optional(Type.Number({ minimum: 0, maximum: maxSeconds, description: 'Seconds; 0 without it' })),
        floorId: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 64,
            description: 'Another floor of the venue; without it that of the point before. The stairs take 20 s',
          }),
        ),
      }),
      {
        minItems: 2,
        maxItems: 200,
        description: 'The way that visitors go, in the metres of the floor. Without it they roam from beacon to beacon',
      },
    ),
  ),
  allFloors: Type.Optional(
    Type.Boolean({ description: 'Whoever roams also goes to the other floors of the venue; false without it' }),
  ),
  entrance: Type.Optional({
    ...point,
    description:
      'Where visitors who roam come in; without it the first zone that is an entrance, else outside on the left',
  }),
  visitors: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxVisitors, description: '1 without it; they come within a minute' }),
  ),
  seconds: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: maxSeconds,
      description:
        `How long each visitor is followed, at most ${maxSteps} for all together. Without it ${usualSeconds}, or as long as the ` +
        `route takes and ${afterwards} s more`,
    }),
  ),
  at: Type.Optional(
    Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: 0 })], {
      description: 'When it begins, ISO 8601 or epoch milliseconds; now without it',
    }),
  ),
  seed: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The same seed gives the same walks and signals; 1 without it',
    }),
  ),
  clutter: Type.Optional(
    Type.Enum([...clutters], { description: 'What stands between phones and beacons; furnished without it' }),
  ),
  walls: Type.Optional(Type.Boolean({ description: 'The outlines of zones weaken signals; false without it' })),
  phone: Type.Optional(
    Type.Object({
      model: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'A deviceModel: the phone hears, and the engine expects, what traffic has taught about it',
        }),
      ),
      loss: Type.Optional(
        Type.Number({ minimum: -20, maximum: 30, description: 'How much less it hears than others, dB: 8 in a bag' }),
      ),
    }),
  ),
  localeIdentifier: Type.Optional(Type.String({ maxLength: 64, description: 'Whose language messages have' })),
  hasTarget: Type.Optional(Type.Boolean({ description: 'Whether the phone can be reached; true without it' })),
});
export type SentWalk = Static<typeof walkSchema>;

export const walkShape = defineShape(walkSchema, {
  rules: (sent) => [
    ...(sent.at !== undefined && readTime(sent.at) === undefined
      ? [{ field: 'at', problem: 'must be an ISO 8601 date or epoch milliseconds' }]
      : []),
    ...tooLong(sent),
  ],
});

function tooLong({ route, visitors = 1, seconds, floorId = '' }: Partial<SentWalk>) {
  const walked = route ? walkedSeconds(route, floorId) : 0;
  if (seconds === undefined && walked + afterwards > maxSeconds)
    return [
      {
        field: 'route',
        problem: `takes ${Math.round(walked / 60)} minutes; a walk has at most ${maxSeconds / 60 - 1}. Leave points out, or give seconds`,
      },
    ];
  const all = visitors * secondsAsked({ route, seconds, floorId });
  if (all <= maxSteps) return [];
  return [
    {
      field: 'visitors',
      problem: `would be followed for ${all} seconds together; at most ${maxSteps} are possible. Let fewer walk, or for a shorter time`,
    },
  ];
}

/** How long each visitor is followed. */
export function secondsAsked(asked: Pick<Partial<SentWalk>, 'route' | 'seconds' | 'floorId'>): number {
  const { route, seconds, floorId = '' } = asked;
  if (seconds !== undefined) return seconds;
  return route ? Math.max(10, walkedSeconds(route, floorId) + afterwards) : usualSeconds;
}

type SentRoute = NonNullable<SentWalk['route']>;

export function floorsOf(route: SentRoute, floorId: string): readonly string[] {
  let at = floorId;
  return route.map((point) => {
    at = point.floorId ?? at;
    return at;
  });
}

export function wayOf(route: SentRoute, floorId: string, levelOf: (floorId: string) => number): Stop[] {
  const floors = floorsOf(route, floorId);
  return route.map(({ x, y, stay = 0 }, index) => ({ x, y, stay, floor: levelOf(floors[index] ?? floorId) }));
}

/** Seconds of the walk. It only matters where the floor changes, so that levels need not be known. */
function walkedSeconds(route: SentRoute, floorId: string): number {
  const known = [...new Set(floorsOf(route, floorId))];
  return Math.ceil(
    secondsOf(
      wayOf(route, floorId, (id) => known.indexOf(id)),
      meanSpeed,
    ),
  );
}

const optionalMetres = Type.Optional(Type.Number({ description: 'Metres' }));

const stepSchema = Type.Object({
  at: Type.Integer({ description: 'Seconds after the beginning' }),
  x: Type.Optional(Type.Number({ description: 'Where the visitor is, metres; absent while not in the house' })),
  y: optionalMetres,
  floor: Type.Optional(Type.Number({ description: 'The level of the floor on which the visitor is' })),
  heard: Type.Integer({ description: 'How many beacons the phone has heard in this second' }),
  believed: Type.Optional(
    Type.Object(
      {
        beacon: Type.String({ description: 'objectId of the beacon that the visitor is nearest to' }),
        x: optionalMetres,
        y: optionalMetres,
        floor: Type.Optional(Type.Number()),
        accuracy: optionalMetres,
        error: Type.Optional(Type.Number({ description: 'Metres from where the visitor is' })),
      },
      {
        description:
          'Where the engine believes the visitor to be: a position where the policy says oneZone and beacons have locations',
      },
    ),
  ),
});

/** Where a visitor is, and is believed to be, at the end of a second. */
export type WalkStep = Static<typeof stepSchema>;

const walkedSchema = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  steps: Type.Array(stepSchema, { description: 'One for each second' }),
  events: Type.Array(eventSchema),
  verdicts: Type.Array(verdictSchema, {
    description: 'Each as it was decided, without those of messages that are about another event',
  }),
  messages: Type.Array(messageSchema),
});

const judgedSchema = Type.Object({
  objectId: objectIdSchema,
  kind: Type.Enum(['notification', 'scenario']),
  name: Type.String(),
});
/** A message that was judged, as its editors know it. */
export type JudgedMessage = Static<typeof judgedSchema>;

export const walkAnswerSchema = Type.Object({
  result: Type.Object({
    floorId: Type.String(),
    at: timestampSchema,
    seconds: Type.Integer(),
    seed: Type.String(),
    beacons: Type.Integer({ description: 'How many have a place, and can be heard' }),
    omitted: Type.Integer({
      minimum: 0,
      description:
        'How many beacons were left out: of a venue with more than 1,000, those on floors over which nobody walks',
    }),
    loss: Type.Number({ description: 'How much less than others the phones hear, dB' }),
    visitors: Type.Array(walkedSchema),
    triggers: Type.Array(judgedSchema, { description: 'The messages of the verdicts' }),
  }),
});

const { createdAt: _then, ...eventExample } = events.record.example;

export const walkExample = {
  floorId: exampleId,
  route: [
    { x: 1, y: 4 },
    { x: 8, y: 4, stay: 30 },
  ],
  at: exampleCreated,
  clutter: 'furnished',
  phone: { loss: 0 },
};

export const walkAnswerExample = {
  result: {
    floorId: exampleId,
    at: exampleCreated,
    seconds: 96,
    seed: '1',
    beacons: 24,
    omitted: 0,
    loss: 0,
    visitors: [
      {
        number: 1,
        steps: [
          { at: 1, x: 2.31, y: 4, floor: 0, heard: 5 },
          {
            at: 2,
            x: 3.62,
            y: 4,
            floor: 0,
            heard: 6,
            believed: { beacon: otherExampleId, x: 3.1, y: 4.4, floor: 0, accuracy: 2.2, error: 0.66 },
          },
        ],
        events: [eventExample],
        verdicts: [verdictExample],
        messages: [messageExample],
      },
    ],
    triggers: [{ objectId: otherExampleId, kind: 'notification', name: 'Welcome to the main hall' }],
  },
};
