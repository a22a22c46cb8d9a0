import { receiverName } from '@pharos/engine';
import { isObject } from '@pharos/query';
import { Type } from 'typebox';
import { nullable, text as textColumn } from '../../../db/table.ts';
import { madeRecord, pointerSchema } from '../../../http/answers.ts';
import { defineShape } from '../../../http/shape.ts';
import { defineResource } from '../../../resources/define.ts';
import { json, madeMembers, number, pointer, text } from '../../../resources/members/members.ts';

/** Numeric `x` and `y`; further members (a floor, a note) are kept. */
const location = Type.Object(
  { x: Type.Number(), y: Type.Number() },
  { additionalProperties: true, description: 'Where it is installed; further members are kept' },
);
const metadata = Type.Object({}, { description: 'Any JSON object, such as a greeting' });

const members = {
  name: Type.String({ minLength: 1, maxLength: 50 }),
  uuid: Type.String({ minLength: 1, maxLength: 50, description: 'Compared without case and dashes' }),
  major: Type.Integer({ minimum: 0, maximum: 65535 }),
  minor: Type.Integer({ minimum: 0, maximum: 65535 }),
};

/** How the proximity engine weighs this beacon; absent from answers unless set. */
const tuning = {
  measuredPower: Type.Optional(
    Type.Integer({ minimum: -100, maximum: -20, description: 'RSSI at one metre in dBm; calibration sets it' }),
  ),
  sensitivity: Type.Optional(
    Type.Enum(['stable', 'fast'], { description: 'Few false events, or short passes noticed; else as the app says' }),
  ),
  radius: Type.Optional(
    Type.Number({ minimum: 0.5, maximum: 50, description: 'Metres within which somebody has entered; 3 by default' }),
  ),
};

/** Where it belongs; absent from answers unless known. */
const belonging = {
  venueId: Type.Optional(pointerSchema('Venue')),
  zoneId: Type.Optional(pointerSchema('Zone')),
};

export const beaconShape = defineShape(
  Type.Object({
    ...members,
    location: Type.Optional(location),
    metadata: Type.Optional(metadata),
    ...tuning,
    ...belonging,
  }),
  {
    rules: ({ metadata: given }) =>
      given === undefined || isObject(given) ? [] : [{ field: 'metadata', problem: 'must be a JSON object' }],
  },
);

export const beaconExample = {
  name: 'Main hall',
  uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
  major: 1,
  minor: 12,
  location: { x: 4.2, y: 7.5 },
  metadata: { greeting: 'Welcome' },
};

const beaconRecord = madeRecord(
  { ...members, location: Type.Optional(location), metadata, ...tuning, ...belonging },
  beaconExample,
);

/** `metadata.gatewayId`: the fixed receiver that stands for this beacon. Longer ones than an index entry holds are none. */
export function gatewayKey(metadata: unknown): string | null {
  const id = isObject(metadata) ? metadata['gatewayId'] : undefined;
  return typeof id === 'string' && id !== '' && id.length <= 200 ? receiverName(id) : null;
}

/** A beacon's uuid as it is compared: without case and dashes. */
export function uuidKey(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase();
}

export const beacons = defineResource({
  owner: 'beacons',
  table: 'beacons',
  noun: ['beacon', 'beacons'],
  className: 'Beacon',
  tag: {
    name: 'Beacons',
    description: 'The beacons of a venue: a UUID, a major and a minor number, and free metadata.',
    place: 10,
    console: { read: 'beacons.read', write: 'beacons.write', byVenue: true },
  },
  path: '/beacons',
  record: beaconRecord,
  body: { shape: beaconShape, example: beaconExample },
  members: {
    objectId: text('object_id'),
    name: text('name'),
    uuid: text('uuid'),
    major: number('major'),
    minor: number('minor'),
    location: json('location', { optional: true }),
    metadata: json('metadata', { empty: '{}' }),
    measuredPower: number('measured_power', { optional: true }),
    sensitivity: text('sensitivity', { optional: true }),
    radius: number('radius', { optional: true, isFraction: true }),
    venueId: pointer('venue_id', 'Venue', { optional: true }),
    zoneId: pointer('zone_id', 'Zone', { optional: true }),
    ...madeMembers,
  },
  internal: { uuid_key: textColumn, gateway_key: nullable(textColumn) },
  users: ['created_by'],
  indexes: {
    beacons_created_by: { on: ['app_id', 'created_by', 'object_id'] },
    beacons_identity: { on: ['app_id', 'uuid_key', 'major', 'minor'] },
    beacons_major: { on: ['app_id', 'major', 'minor', 'object_id'] },
    beacons_venue: { on: ['app_id', 'venue_id', 'object_id'] },
    beacons_zone: { on: ['app_id', 'zone_id', 'object_id'] },
    beacons_gateway: { on: ['app_id', 'gateway_key'] },
  },
  rules: 'beacons',
  venue: { member: 'venueId' },
  defaultLimit: 1000,
});
