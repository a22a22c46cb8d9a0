import { isoTime } from '@pharos/query';
import { Type } from 'typebox';
import { venuesFor } from '../../../access/venue-limit.ts';
import {
  exampleCreated,
  exampleId,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import { type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import { smallGroup } from '../../blur.ts';
import { type Occupancy, pointerTo } from './occupancy.ts';

const tag: Tag = {
  name: 'Occupancy',
  description: 'How many visitors are in the zones and venues that have a limit.',
  place: 119,
  console: { read: 'numbers.read', byVenue: true },
};

const answerSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      zoneId: Type.Optional(pointerSchema('Zone')),
      venueId: pointerSchema('Venue'),
      name: Type.String(),
      capacity: Type.Integer({ minimum: 1, description: 'How many may be inside at once' }),
      visitors: Type.Union([Type.Integer({ minimum: 0 }), Type.Literal(smallGroup)], {
        description:
          `How many are inside now. Where the app protects small groups, it has some noise and is in fives, and 1 to 4, or a few ` +
          `more, are "${smallGroup}"`,
      }),
      isOver: Type.Boolean({
        description: 'There are more than may be, or have been until a moment ago: occupancy.exceeded was told',
      }),
      since: Type.Union([timestampSchema, Type.Null()], { description: 'Since when; null while it is not over' }),
    }),
  ),
});

const example = {
  results: [
    {
      zoneId: pointerExample('Zone', exampleId),
      venueId: pointerExample('Venue', otherExampleId),
      name: 'Tower room',
      capacity: 40,
      visitors: 43,
      isOver: true,
      since: exampleCreated,
    },
  ],
};

export function occupancyEndpoints(occupancy: Pick<Occupancy, 'list'>): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/occupancy',
      operationId: 'listOccupancy',
      tag,
      summary: 'Count who is in the places that have a limit',
      description:
        'An entry without a `zoneId` is a venue as a whole. Counted are installations: where the app decides for one ' +
        'zone at a time, those that were heard there in the last minute, else those whose visit is open.',
      grant: { of: 'analytics', verb: 'list' },
      answer: { status: 200, description: 'Each zone and venue with a `capacity`.', schema: answerSchema, example },
      errors: ['Timeout'],
      handle: async (call) => {
        const { appId, policy } = call.app;
        const { oneZone, smallGroups } = policy;
        const venues = venuesFor(call, 'analytics', 'list');
        const places = await occupancy.list(appId, { oneZone, isProtected: smallGroups === 'protected', venues });
        return {
          results: places.map(({ place, placeId, venueId, name, capacity, visitors, since }) => ({
            ...(place === 'zone' ? { zoneId: pointerTo('Zone', placeId) } : {}),
            venueId: pointerTo('Venue', venueId),
            name,
            capacity,
            visitors,
            isOver: since !== null,
            since: since === null ? null : isoTime(since),
          })),
        };
      },
    }),
  ];
}
