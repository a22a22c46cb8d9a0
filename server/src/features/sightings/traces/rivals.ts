import type { Rival } from '@pharos/engine';
import { Type } from 'typebox';
import { otherExampleId, pointerExample, pointerSchema } from '../../../http/answers.ts';

/** The beacons that competed for a visitor, as events, answers and positions show them. */

const confidence = Type.Number({
  minimum: 0,
  maximum: 1,
  description: "How likely the beacon's radius holds the visitor; only where a position is known",
});
const distance = Type.Number({ description: 'Metres, estimated' });

export const rivalSchema = Type.Object({
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
