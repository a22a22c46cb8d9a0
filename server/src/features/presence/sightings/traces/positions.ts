import type { Rival } from '@pharos/engine';
import type { Whereabouts } from '@pharos/engine/decide';
import { QueryError } from '@pharos/query';
import { Type } from 'typebox';
import { type Caller, type FindHeld, ownTraces } from '../../../../access/caller.ts';
import { findBeaconsIn, venuesFor } from '../../../../access/venue-limit.ts';
import type { Db, Row } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../../../http/answers.ts';
import type { Endpoint } from '../../../../http/endpoint.ts';
import { orderedFields, whereFields } from '../../../../http/hidden-members.ts';
import { defineResource } from '../../../../resources/define.ts';
import { number, pointer, text, time } from '../../../../resources/members/members.ts';
import { getEndpoint, listEndpoint } from '../../../../resources/read-endpoints.ts';

/** Competing beacons may belong to a neighbouring venue, which callers limited to others must not see. */

const confidence = Type.Number({
  minimum: 0,
  maximum: 1,
  description: "How likely the beacon's radius holds the visitor; only where a position is known",
});
const distance = Type.Number({ description: 'Metres, estimated' });

const rivalSchema = Type.Object({
  beaconId: pointerSchema('Beacon'),
  distance,
  confidence: Type.Optional(confidence),
});

export const rivalsSchema = Type.Array(rivalSchema, {
  description: 'Which beacons competed, the nearest first; only where a visitor is at one beacon at a time',
});

export const rivalsExample = [{ beaconId: pointerExample('Beacon', otherExampleId), distance: 1.86, confidence: 0.71 }];

export function answeredRivals(rivals: readonly Rival[]): object[] {
  return rivals.map(({ beaconId, distance, share }) => ({
    beaconId: { __type: 'Pointer', className: 'Beacon', objectId: beaconId },
    distance,
    ...(share === undefined ? {} : { confidence: share }),
  }));
}

export const placeMembers = {
  distance,
  confidence: Type.Optional(confidence),
  x: Type.Optional(Type.Number({ description: "Metres, in the coordinates of the beacons' locations" })),
  y: Type.Optional(Type.Number({ description: 'Metres' })),
  floor: Type.Optional(Type.Number({ description: "As the beacons' locations have it; 0 where they say none" })),
  accuracy: Type.Optional(
    Type.Number({ description: 'In 68 of 100 cases the visitor is no farther from x and y than this, metres' }),
  ),
};

export const placeExample = { distance: 1.86, confidence: 0.71, x: 4.2, y: 7.5, floor: 0, accuracy: 1.9 };

/** The beacons that competed for a visitor may be those of a neighbouring venue, of which whoever is limited to others is told nothing. */

interface Stored {
  readonly beaconId: { readonly objectId: string };
}

/** How rows of events are shown to the caller; undefined: as they are. */
export async function showingRivals(
  db: Db,
  caller: Caller,
  verb: 'list' | 'get',
): Promise<((row: Row) => Row) | undefined> {
  const venues = venuesFor(caller, 'events', verb);
  if (venues === undefined) return undefined;
  const own = await findBeaconsIn(db, caller.app.appId, venues);
  return (row) => {
    if (row['rivals'] === null) return row;
    const rivals = JSON.parse(String(row['rivals'])) as readonly Stored[];
    return { ...row, rivals: JSON.stringify(rivals.filter(({ beaconId }) => own.has(beaconId.objectId))) };
  };
}

/** A list of events by which nobody finds out about rivals that are not shown. */
export function withoutAskingForRivals(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    handle: async (call) => {
      const asked = [...whereFields(call.query), ...orderedFields(call.query)];
      const field = asked.find((name) => name === 'rivals' || name.startsWith('rivals.'));
      if (field !== undefined && venuesFor(call, 'events', 'list') !== undefined)
        throw new QueryError([{ field, problem: 'is not a field that can be asked for' }]);
      return endpoint.handle(call);
    },
  };
}

const fraction = { isFraction: true } as const;
const optional = { ...fraction, optional: true } as const;
const ofPhone = { phone: { day: 'sensed_at', as: 'pseudonym' } } as const;

/** Written by the proximity engine, one row for each installation; it has the objectId of the installation. */
export const positions = defineResource({
  owner: 'sightings',
  table: 'positions',
  noun: ['position', 'positions'],
  tag: {
    name: 'Positions',
    description: 'Where each installation was last known to be.',
    place: 115,
    console: { read: 'activity.read', byVenue: true },
  },
  path: '/positions',
  record: {
    schema: Type.Object({
      objectId: objectIdSchema,
      installationId: pointerSchema('_Installation'),
      beaconId: pointerSchema('Beacon'),
      ...placeMembers,
      occurredAt: timestampSchema,
      updatedAt: timestampSchema,
    }),
    example: {
      objectId: exampleId,
      installationId: pointerExample('_Installation', exampleId),
      beaconId: pointerExample('Beacon', otherExampleId),
      ...placeExample,
      occurredAt: exampleCreated,
      updatedAt: exampleUpdated,
    },
  },
  members: {
    objectId: text('object_id', ofPhone),
    installationId: pointer('installation_id', '_Installation', ofPhone),
    beaconId: pointer('beacon_id', 'Beacon'),
    distance: number('distance', fraction),
    confidence: number('confidence', optional),
    x: number('x', optional),
    y: number('y', optional),
    floor: number('floor', optional),
    accuracy: number('accuracy', optional),
    occurredAt: time('sensed_at'),
    updatedAt: time('updated_at'),
  },
  indexes: {
    positions_installation: { on: ['app_id', 'installation_id', 'object_id'] },
    positions_beacon: { on: ['app_id', 'beacon_id', 'object_id'] },
    positions_recent: { on: ['app_id', 'sensed_at', 'object_id'] },
  },
  trail: { installation: 'installation_id' },
  kept: { days: 'positions', by: 'updated_at' },
  rules: 'positions',
  venue: { beacon: 'beacon_id' },
});

/** Where an installation is: the beacon that it is nearest to, and its position where the site's beacons have locations. */
export interface NewPosition {
  readonly appId: string;
  readonly installationId: string;
  readonly whereabouts: Whereabouts;
  readonly now: number;
}

export function positionRow({ appId, installationId, whereabouts, now }: NewPosition): RowOf<typeof positions.table> {
  const { beaconId, distance, confidence, position, sensedAt } = whereabouts;
  return {
    app_id: appId,
    object_id: installationId,
    installation_id: installationId,
    beacon_id: beaconId,
    distance,
    confidence: confidence ?? null,
    x: position?.x ?? null,
    y: position?.y ?? null,
    floor: position?.floor ?? null,
    accuracy: position?.accuracy ?? null,
    sensed_at: sensedAt,
    updated_at: now,
  };
}

export function positionEndpoints(db: Db, findHeld: FindHeld): Endpoint[] {
  const options = { ...positions, db, narrow: ownTraces(findHeld, 'positions_installation', ['sensed_at']) };
  const description =
    'Where each installation was last known to be: the beacon that it was nearest to and, where beacons have a location, ' +
    'x, y and floor. It is written every 15 seconds at most, and at once where another beacon is the nearest; only in ' +
    'apps in which a visitor is at one beacon at a time. It has the objectId of the installation. Users see those of ' +
    'their own installations; managers see all.';
  return [listEndpoint(options, { description, defaultOrder: 'objectId' }), getEndpoint(options)];
}
