import { Type } from 'typebox';
import { madeRecord, otherExampleId, pointerExample, pointerSchema } from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import { defineResource } from '../../../resources/define.ts';
import { json, madeMembers, number, pointer, text } from '../../../resources/members/members.ts';
import { nameProblems } from './one-line.ts';
import { maxPixels } from './plan.ts';
import { venueTag } from './venue-resource.ts';

const pixel = (description: string) =>
  Type.Object(
    {
      x: Type.Number({ minimum: -100_000, maximum: 100_000 }),
      y: Type.Number({ minimum: -100_000, maximum: 100_000 }),
    },
    { description },
  );
const side = Type.Integer({ minimum: 1, maximum: maxPixels });
const metres = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 10_000, description });

/** The most walls of a floor; nobody draws more. */
const maxWalls = 1_000;
const maxWallPoints = 5_000;

const metre = Type.Number({ minimum: -10_000, maximum: 10_000 });
const wall = Type.Object(
  {
    points: Type.Array(Type.Object({ x: metre, y: metre }), {
      minItems: 2,
      maxItems: 200,
      description: 'From corner to corner, metres: x to the right, y downwards',
    }),
  },
  { description: 'A line that bends at its corners' },
);

const maxGateways = 200;

const gateway = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Another one on each floor' }),
  x: metre,
  y: metre,
  keyId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Of the secret key that it sends, which several may share; it stays when the key is revoked',
    }),
  ),
});

const members = {
  venueId: pointerSchema('Venue'),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  level: Type.Number({
    minimum: -100,
    maximum: 1000,
    description: '0 is the ground floor; the `floor` in the location of the beacons on it. Each level has one floor',
  }),
  plan: Type.Optional(
    Type.Object(
      {
        fileId: Type.String({ minLength: 1, maxLength: 64, description: 'objectId of a PNG, JPEG or WebP file' }),
        width: side,
        height: side,
      },
      { description: 'The picture of the floor, with its size in pixels' },
    ),
  ),
  scale: Type.Optional(
    Type.Object(
      {
        from: pixel('A point of the plan, pixels from its upper left corner'),
        to: pixel('Another one'),
        metres: metres('How far these two are from each other'),
      },
      { description: 'Two points of the plan with a known distance: a pixel has `metres` / their distance in pixels' },
    ),
  ),
  origin: Type.Optional(
    pixel('The point of the plan, in pixels, at which x and y are 0; the upper left corner unless said otherwise'),
  ),
  north: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 360,
      description: 'Where north is on the plan: degrees clockwise from upwards',
    }),
  ),
  size: Type.Optional(
    Type.Object(
      { width: metres('To the right'), height: metres('Downwards') },
      { description: 'Of the floor in metres, where there is no plan' },
    ),
  ),
  walls: Type.Optional(
    Type.Array(wall, {
      maxItems: maxWalls,
      description: `Drawn on plans; at most ${maxWallPoints} points together. Positions and simulated signals do not take them into account`,
    }),
  ),
  gateways: Type.Optional(
    Type.Array(gateway, {
      maxItems: maxGateways,
      description: 'Where receivers hang that report to the service, metres. For people: nothing is computed from them',
    }),
  ),
};

/** The least distance of two points that give a scale. */
const leastPixels = 5;

const floorShape = defineShape(Type.Object(members), {
  rules: ({ name, scale, walls, gateways }) => [
    ...nameProblems({ name }),
    ...(scale && Math.hypot(scale.from.x - scale.to.x, scale.from.y - scale.to.y) < leastPixels
      ? [{ field: 'scale.to', problem: `must be at least ${leastPixels} pixels from the other point` }]
      : []),
    ...wallProblems(walls ?? []),
    ...gatewayProblems(gateways ?? []),
  ],
});

interface Wall {
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

function wallProblems(walls: readonly Wall[]) {
  const count = walls.reduce((sum, { points }) => sum + points.length, 0);
  if (count > maxWallPoints)
    return [{ field: 'walls', problem: `have ${count} points together, and may have ${maxWallPoints}` }];
  return walls.flatMap(({ points: [first, ...others] }, at) =>
    others.every(({ x, y }) => x === first?.x && y === first?.y)
      ? [{ field: `walls.${at}.points`, problem: 'are all the same: a wall has a length' }]
      : [],
  );
}

function gatewayProblems(gateways: readonly { readonly name: string }[]) {
  const known = new Set<string>();
  return gateways.flatMap(({ name }, at) => {
    const field = `gateways.${at}.name`;
    if (known.has(name)) return [{ field, problem: 'is that of another gateway of this floor' }];
    known.add(name);
    return nameProblems({ [field]: name });
  });
}

const example = {
  venueId: pointerExample('Venue', otherExampleId),
  name: 'Ground floor',
  level: 0,
  scale: { from: { x: 100, y: 100 }, to: { x: 900, y: 100 }, metres: 20 },
  north: 0,
};

export const floors = defineResource({
  owner: 'venues',
  table: 'floors',
  noun: ['floor', 'floors'],
  className: 'Floor',
  tag: venueTag,
  path: '/floors',
  record: madeRecord(members, { ...example, plan: { fileId: '0VnZxSfp2mN4oPqRsTuV', width: 1600, height: 1000 } }),
  body: { shape: floorShape, example, errors: ['ValidationError', 'DuplicateValue'] },
  members: {
    objectId: text('object_id'),
    venueId: pointer('venue_id', 'Venue'),
    name: text('name'),
    level: number('level', { isFraction: true }),
    plan: json('plan', { optional: true }),
    scale: json('scale', { optional: true }),
    origin: json('origin', { optional: true }),
    north: number('north', { optional: true, isFraction: true }),
    size: json('size', { optional: true }),
    walls: json('walls', { optional: true }),
    gateways: json('gateways', { optional: true }),
    ...madeMembers,
  },
  users: ['created_by'],
  indexes: {
    floors_venue: { on: ['app_id', 'venue_id', 'object_id'] },
    floors_created_by: { on: ['app_id', 'created_by', 'object_id'] },
  },
  childOf: ['venues'],
  rules: 'floors',
  venue: { member: 'venueId' },
  defaultLimit: 1000,
});
