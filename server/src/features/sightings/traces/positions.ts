import { Type } from 'typebox';
import type { RowOf } from '../../../db/table.ts';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import { defineResource } from '../../../resources/define.ts';
import { number, pointer, text, time } from '../../../resources/members/members.ts';
import { placeExample, placeMembers } from './rivals.ts';

const fraction = { isFraction: true } as const;
const optional = { ...fraction, optional: true } as const;
const ofPhone = { phone: { day: 'sensed_at', as: 'pseudonym' } } as const;

/** Written by the proximity engine, one row for each installation; it has the objectId of the installation. */
export const positions = defineResource({
  owner: 'sightings',
  table: 'positions',
  noun: ['position', 'positions'],
  title: ['Position', 'Positions'],
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
  defaultLimit: 100,
});

/** Where an installation is: the beacon that it is nearest to, and its position where the site's beacons have locations. */
export interface Whereabouts {
  readonly beaconId: string;
  /** Metres. */
  readonly distance: number;
  /** How likely the beacon's radius holds the visitor, 0–1; only with a position. */
  readonly confidence?: number;
  readonly position?: Position;
  /** ms, sensing time. */
  readonly sensedAt: number;
  /** Whether they are to be written: they are kept sparsely. */
  readonly isDue: boolean;
}

export interface Position {
  /** Metres, in the coordinates of the beacons' locations. */
  readonly x: number;
  readonly y: number;
  readonly floor: number;
  /** In 68 of 100 cases the truth is no farther away, m. */
  readonly accuracy: number;
}

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
