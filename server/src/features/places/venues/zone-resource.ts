import { Type } from 'typebox';
import { double } from '../../../db/table.ts';
import { madeRecord, otherExampleId, pointerExample, pointerSchema } from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import { defineResource } from '../../../resources/define.ts';
import { json, madeMembers, number, pointer, text } from '../../../resources/members/members.ts';
import { nameProblems } from './one-line.ts';
import { polygonProblem } from './polygon.ts';
import { capacitySchema, venueTag } from './venue-resource.ts';

/** The largest coordinate of a zone, metres. */
const farthest = 100_000;
const metres = Type.Number({ minimum: -farthest, maximum: farthest });

const members = {
  floorId: pointerSchema('Floor'),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  kind: Type.Enum(
    [
      'room',
      'exhibition',
      'queue',
      'shop',
      'cafe',
      'entrance',
      'passage',
      'stairs',
      'lift',
      'toilets',
      'staff',
      'outdoors',
      'other',
    ],
    { description: 'What it is for' },
  ),
  polygon: Type.Array(Type.Object({ x: metres, y: metres }), {
    minItems: 3,
    maxItems: 200,
    description: "Its corners in the metres of the beacons' locations, in either direction; it must not cross itself",
  }),
  capacity: capacitySchema,
};

const zoneShape = defineShape(Type.Object(members), {
  rules: ({ name, polygon }) => {
    const problem = polygon && polygonProblem(polygon);
    return [...nameProblems({ name }), ...(problem ? [{ field: 'polygon', problem }] : [])];
  },
});

const example = {
  floorId: pointerExample('Floor', otherExampleId),
  name: 'Main hall',
  kind: 'room',
  polygon: [
    { x: 0, y: 0 },
    { x: 12, y: 0 },
    { x: 12, y: 8 },
    { x: 0, y: 8 },
  ],
  capacity: 40,
};

export const zones = defineResource({
  owner: 'venues',
  table: 'zones',
  noun: ['zone', 'zones'],
  className: 'Zone',
  tag: venueTag,
  path: '/zones',
  record: madeRecord(
    { ...members, venueId: Type.Optional(pointerSchema('Venue')) },
    { ...example, venueId: pointerExample('Venue', '0VnZxSfp2mN4oPqRsTuV') },
  ),
  body: { shape: zoneShape, example },
  members: {
    objectId: text('object_id'),
    floorId: pointer('floor_id', 'Floor'),
    name: text('name'),
    kind: text('kind'),
    polygon: json('polygon'),
    capacity: number('capacity', { optional: true }),
    venueId: pointer('venue_id', 'Venue', { optional: true }),
    ...madeMembers,
  },
  internal: { left_x: double, right_x: double, top_y: double, bottom_y: double },
  users: ['created_by'],
  indexes: {
    zones_floor: { on: ['app_id', 'floor_id', 'object_id'] },
    zones_venue: { on: ['app_id', 'venue_id', 'object_id'] },
    zones_created_by: { on: ['app_id', 'created_by', 'object_id'] },
    zones_capacity: { on: ['app_id', 'object_id'], isPartial: true },
  },
  childOf: ['floors'],
  rules: 'zones',
  venue: { member: 'venueId' },
  defaultLimit: 1000,
});
