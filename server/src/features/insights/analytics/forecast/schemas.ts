import { type Static, Type } from 'typebox';
import { countSchema, daySchema, secondsSchema } from '../numbers/schemas.ts';
import { fewestDays, maxDays } from './estimate.ts';

/** What is answered about days to come. */

const errorMembers = {
  error: Type.Integer({
    minimum: 0,
    description: 'The same reckoning would have been off by so much or less …',
  }),
  within: Type.Integer({ minimum: 0, description: '… on so many …' }),
  tried: Type.Integer({ minimum: 0, description: '… of so many of the days before' }),
};

const forecastSchema = Type.Object({
  date: daySchema,
  visitors: countSchema('The middle of `days`'),
  ...errorMembers,
  days: Type.Array(Type.Object({ date: daySchema, visitors: countSchema('Visitors of that day') }), {
    description: `The last ${maxDays} days like it or fewer, the last first: the same weekday, open, and no holiday`,
  }),
});

const head = {
  timeZone: Type.String(),
  isProtected: Type.Boolean({ description: 'Small groups are protected' }),
  isComplete: Type.Boolean({ description: 'false while older visits, or many new ones, are still being counted' }),
  date: Type.Union([daySchema, Type.Null()], { description: 'The next open day; null: none within two weeks' }),
};

const tooFew = `null: there are fewer than ${fewestDays} days like it, or fewer than ${fewestDays} to try the reckoning on`;

const zoneDay = Type.Object({
  date: daySchema,
  peak: countSchema('Most visitors at once'),
  stay: secondsSchema('Seconds that half of the visits did not exceed'),
});
export type ZoneDay = Static<typeof zoneDay>;

const zoneForecast = Type.Object({
  zoneId: Type.String({ description: 'The objectId of the zone' }),
  peak: Type.Union([Type.Object({ visitors: countSchema('Most visitors at once'), ...errorMembers }), Type.Null()], {
    description: tooFew,
  }),
  stay: Type.Union(
    [
      Type.Object({
        seconds: Type.Integer({ minimum: 0, description: 'That half of the visits may not exceed' }),
        ...errorMembers,
      }),
      Type.Null(),
    ],
    { description: tooFew },
  ),
  days: Type.Array(zoneDay, { description: `The last ${maxDays} days like it or fewer, the last first` }),
});
export type ZoneForecast = Static<typeof zoneForecast>;

export const zonesSchema = Type.Object({
  result: Type.Object({
    ...head,
    zones: Type.Array(zoneForecast, { description: 'Zones in which somebody was on a day like it' }),
  }),
});
export type ZoneForecasts = Static<typeof zonesSchema>['result'];

export const answerSchema = Type.Object({
  result: Type.Object({
    ...head,
    forecast: Type.Union([forecastSchema, Type.Null()], {
      description: tooFew,
    }),
  }),
});
export type ForecastAnswer = Static<typeof answerSchema>['result'];
