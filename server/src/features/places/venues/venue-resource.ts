import { isTimeZone } from '@pharos/engine';
import { Type } from 'typebox';
import { madeRecord } from '../../../http/answers.ts';
import type { Tag } from '../../../http/endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import { defineResource } from '../../../resources/define.ts';
import { json, madeMembers, number, text } from '../../../resources/members/members.ts';
import { nameProblems } from './one-line.ts';
import { exceptionProblems, exceptionsSchema, openingHourProblems, openingHoursSchema } from './opening-hours.ts';

export const venueTag: Tag = {
  name: 'Venues',
  description: 'The buildings in which the beacons are: their hours, floors and zones.',
  place: 12,
  console: { read: 'venues.read', write: 'venues.write', byVenue: true },
};

/** The most people in a zone or a whole venue. */
export const capacitySchema = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'How many visitors may be inside at once; there is an alarm when there are more',
  }),
);

const members = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  timeZone: Type.Optional(
    Type.String({ maxLength: 64, description: 'IANA time zone, such as Europe/Vienna; without it, that of the app' }),
  ),
  address: Type.Optional(Type.String({ maxLength: 500 })),
  location: Type.Optional(
    Type.Object(
      {
        latitude: Type.Number({ minimum: -90, maximum: 90 }),
        longitude: Type.Number({ minimum: -180, maximum: 180 }),
      },
      { description: 'Where it is on earth, degrees (WGS 84)' },
    ),
  ),
  openingHours: Type.Optional(openingHoursSchema),
  capacity: capacitySchema,
};

const venueShape = defineShape(Type.Object({ ...members, exceptions: Type.Optional(exceptionsSchema) }), {
  rules: ({ name, timeZone, openingHours, exceptions }) => [
    ...nameProblems({ name }),
    ...(timeZone === undefined || isTimeZone(timeZone)
      ? []
      : [{ field: 'timeZone', problem: 'must be an IANA time zone such as Europe/Vienna' }]),
    ...openingHourProblems(openingHours),
    ...exceptionProblems(exceptions),
  ],
});

const example = {
  name: 'Lighthouse museum',
  timeZone: 'Europe/Vienna',
  address: 'Harbour road 1',
  location: { latitude: 57.72, longitude: 10.58 },
  openingHours: [
    { dayName: 'Tue', from: '10:00', until: '18:00' },
    { dayName: 'Sat', from: '20:00', until: '01:00' },
  ],
  exceptions: [{ date: '2026-12-25', name: 'Christmas', hours: [] }],
};

export const venues = defineResource({
  owner: 'venues',
  table: 'venues',
  noun: ['venue', 'venues'],
  className: 'Venue',
  tag: venueTag,
  path: '/venues',
  record: madeRecord({ ...members, exceptions: exceptionsSchema }, example),
  body: { shape: venueShape, example },
  members: {
    objectId: text('object_id'),
    name: text('name'),
    timeZone: text('time_zone', { optional: true }),
    address: text('address', { optional: true }),
    location: json('location', { optional: true }),
    openingHours: json('opening_hours', { optional: true }),
    exceptions: json('exceptions', { empty: '[]' }),
    capacity: number('capacity', { optional: true }),
    ...madeMembers,
  },
  users: ['created_by'],
  indexes: {
    venues_created_by: { on: ['app_id', 'created_by', 'object_id'] },
    venues_capacity: { on: ['app_id', 'object_id'], isPartial: true },
  },
  rules: 'venues',
  venue: { member: 'objectId' },
  defaultLimit: 1000,
});
