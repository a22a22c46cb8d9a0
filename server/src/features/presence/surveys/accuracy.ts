import type { BadSpot, Figure, Metres, Share, Trial } from '@pharos/engine';
import { Type } from 'typebox';
import { exampleUpdated, isoTime, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import type { Context } from '../../context.ts';
import { floorParameter, locateFloor, type SurveyedFloor, surveyGrant, surveyTag } from './floor.ts';
import { findBasis } from './map.ts';
import { findFloorMap } from './store.ts';

/** How well the service knows where people are on a floor, by its own surveys. */

const share = Type.Number({ minimum: 0, maximum: 1 });
const shareSchema = Type.Object({ share, low: share, high: share });
const metresSchema = Type.Object({ metres: Type.Number(), low: Type.Number(), high: Type.Number() });

const figureSchema = Type.Object(
  {
    seconds: Type.Integer({ description: 'Seconds of the surveys that were judged' }),
    zone: Type.Object(shareSchema.properties, {
      description: 'Of these, those in which the right beacon was told whose radius holds the phone, or rightly none',
    }),
    nearest: Type.Object(shareSchema.properties, { description: 'Those in which the nearest beacon was told' }),
    position: Type.Optional(
      Type.Object({ p50: metresSchema, p90: metresSchema }, { description: 'How far positions were off' }),
    ),
  },
  {
    description:
      'By leaving out: each survey is played as a visit, with a map from the others. `low` and `high` hold the value in 95 of 100 ' +
      'repetitions (block bootstrap, 20 seconds at a time; of shares at least Wilson’s interval of as many blocks)',
  },
);

const accuracySchema = Type.Object({
  surveys: Type.Integer(),
  isCurrent: Type.Boolean({
    description: 'False: surveys or beacons have changed, and this is being worked out again',
  }),
  isUsed: Type.Boolean({ description: 'Visitors are placed with the map of the surveys' }),
  reason: Type.Optional(
    Type.Enum(['few', 'worse', 'oneZone'], {
      description:
        'Why it is not used. few: there are fewer than two surveys, or less than four spots of ten seconds; worse: without it more is right; oneZone: the app has ' +
        'no positions (policy `oneZone`)',
    }),
  ),
  version: Type.Optional(Type.Integer({ description: 'Of the map' })),
  madeAt: Type.Optional(timestampSchema),
  beacons: Type.Optional(Type.Integer({ description: 'Of which the map knows the signal' })),
  surveyed: Type.Optional(figureSchema),
  unsurveyed: Type.Optional(Type.Object(figureSchema.properties, { description: 'The same without a map' })),
  badSpots: Type.Array(
    Type.Object({
      x: Type.Number(),
      y: Type.Number(),
      seconds: Type.Integer(),
      share,
      advice: Type.Enum(['beacon', 'power', 'survey'], {
        description:
          'beacon: hang another one there; power: let the nearest one send more loudly or more often; survey: survey the spot',
      }),
    }),
    { description: 'Where the right zone is told in fewer than 70 of 100 seconds, the worst first, at most 5' },
  ),
});

const figureExample = {
  seconds: 318,
  zone: { share: 0.93, low: 0.88, high: 0.96 },
  nearest: { share: 0.78, low: 0.71, high: 0.85 },
  position: { p50: { metres: 1.2, low: 1, high: 1.4 }, p90: { metres: 2.5, low: 2.3, high: 2.9 } },
};
const example = {
  ...{ surveys: 5, isCurrent: true, isUsed: true, version: 5, madeAt: exampleUpdated, beacons: 12 },
  surveyed: figureExample,
  unsurveyed: { ...figureExample, zone: { share: 0.86, low: 0.8, high: 0.9 } },
  badSpots: [{ x: 14.2, y: 3.1, seconds: 12, share: 0.42, advice: 'beacon' }],
};

export function accuracyEndpoint(deps: Context): Endpoint {
  const { db } = deps;
  return endpoint<undefined, SurveyedFloor>({
    method: 'GET',
    path: '/floors/:objectId/accuracy',
    operationId: 'getFloorAccuracy',
    tag: surveyTag,
    summary: 'Get how well positions on a floor are known',
    description: 'Worked out anew after each change of its surveys or beacons.',
    grant: surveyGrant,
    parameters: floorParameter,
    answer: recordAnswer(accuracySchema, example),
    errors: ['ObjectNotFound'],
    locate: locateFloor(deps),
    handle: async ({ app: { appId, policy }, located: { objectId } }) => {
      const basis = await findBasis(deps, db, appId, objectId);
      const map = await findFloorMap(db, appId, objectId);
      const trial = map?.trial ? (JSON.parse(map.trial) as Trial) : null;
      const surveys = basis?.surveys.length ?? 0;
      const reason = trial === null ? 'few' : !trial.helps ? 'worse' : policy.oneZone ? undefined : 'oneZone';
      return {
        result: {
          surveys,
          isCurrent: map === undefined ? surveys === 0 : map.basis === basis?.digest,
          isUsed: reason === undefined,
          ...(reason === undefined ? {} : { reason }),
          ...(map === undefined ? {} : { version: map.version, madeAt: isoTime(map.made_at), beacons: map.beacons }),
          ...(trial === null ? {} : { surveyed: figureOf(trial.surveyed), unsurveyed: figureOf(trial.unsurveyed) }),
          badSpots: (trial?.badSpots ?? []).map(spotOf),
        },
      };
    },
  });
}

const hundredths = (value: number) => Math.round(100 * value) / 100;
const shareOf = ({ share, low, high }: Share) => ({
  share: hundredths(share),
  low: hundredths(low),
  high: hundredths(high),
});
const metresOf = ({ metres, low, high }: Metres) => ({
  metres: hundredths(metres),
  low: hundredths(low),
  high: hundredths(high),
});

const figureOf = ({ seconds, zone, nearest, error }: Figure) => ({
  seconds,
  zone: shareOf(zone),
  nearest: shareOf(nearest),
  ...(error === null ? {} : { position: { p50: metresOf(error.p50), p90: metresOf(error.p90) } }),
});

const spotOf = ({ x, y, seconds, share, advice }: BadSpot) => ({
  ...{ x: hundredths(x), y: hundredths(y), seconds, share: hundredths(share), advice },
});
