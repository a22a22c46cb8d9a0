import { type Static, Type } from 'typebox';
import { smallGroup } from '../../blur.ts';
import { intervals } from './numbers/question.ts';
import { daySchema, dwellBand, metrics, metricsSchema } from './numbers/schemas.ts';

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

const periodMembers = {
  from: daySchema,
  until: Type.String({ format: 'date', description: 'The day after the last' }),
  total: Type.Union([metricsSchema, Type.Null()], {
    description:
      'Of the whole period; null where small groups are protected and it is not one day, week, month or year',
  }),
  rows: Type.Array(rowSchema),
  distribution: Type.Union([Type.Array(dwellBand), Type.Null()], {
    description: 'How long the visits of the whole period took; null where the total is',
  }),
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

export const answerSchema = Type.Object({
  result: Type.Object({
    ...periodMembers,
    timeZone: Type.String(),
    interval: Type.Enum([...intervals]),
    isProtected: Type.Boolean({
      description: `Small groups are protected: 1 to 4 visitors, and some groups of a few more, are "${smallGroup}"`,
    }),
    isComplete: Type.Boolean({ description: 'false while older visits, or many new ones, are still being counted' }),
    previous: Type.Optional(
      Type.Object(
        { ...periodMembers, soFar: Type.Optional(soFar) },
        { description: 'The period before, with compare' },
      ),
    ),
  }),
});

export type VisitNumbers = Static<typeof answerSchema>['result'];
export type PeriodNumbers = Pick<VisitNumbers, keyof typeof periodMembers>;
export type NumbersRow = Static<typeof rowSchema>;
export type SoFarNumbers = Static<typeof soFar>;
