import { Type } from 'typebox';
import { type FindHeld, ownTraces } from '../../access/caller.ts';
import type { Db } from '../../db/db.ts';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../http/answers.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { getEndpoint, listEndpoint, type ReadOptions } from '../../resources/read-endpoints.ts';
import { placeExample, placeMembers } from '../rivals.ts';
import { positionTable } from './store.ts';

const positionRecord = {
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
};

export function positionEndpoints(db: Db, findHeld: FindHeld): Endpoint[] {
  const positions: ReadOptions = {
    db,
    table: positionTable,
    noun: ['position', 'positions'],
    title: ['Position', 'Positions'],
    tag: 'Positions',
    path: '/positions',
    record: positionRecord,
    grants: { read: 'user' },
    narrow: ownTraces(findHeld, 'positions_installation', ['sensed_at']),
    defaultLimit: 100,
  };
  const description =
    'Where each installation was last known to be: the beacon that it was nearest to and, where beacons have a location, ' +
    'x, y and floor. It is written every 15 seconds at most, and at once where another beacon is the nearest; only in ' +
    'apps in which a visitor is at one beacon at a time. It has the objectId of the installation. Users see those of ' +
    'their own installations; managers see all.';
  return [listEndpoint(positions, { description, defaultOrder: 'objectId' }), getEndpoint(positions)];
}
