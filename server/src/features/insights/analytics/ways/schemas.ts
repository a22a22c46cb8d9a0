import { type Static, Type } from 'typebox';
import { countSchema, daySchema, secondsSchema } from '../numbers/schemas.ts';

/** What is answered about ways. */

const placeMembers = {
  zoneId: Type.Optional(Type.String({ description: 'The objectId of the zone' })),
  beaconId: Type.Optional(Type.String({ description: 'The objectId of a beacon that is in no zone' })),
};
const place = Type.Object(placeMembers);
/** A zone, or a beacon that was in none. */
export type WayPlace = Static<typeof place>;

const head = {
  from: daySchema,
  until: Type.String({ format: 'date', description: 'The day after the last' }),
  timeZone: Type.String(),
  isProtected: Type.Boolean({ description: 'Small groups are protected: what 1 to 4 visitors did is left out' }),
  isComplete: Type.Boolean({ description: 'false while older visits, or many new ones, are still being counted' }),
};

const counts = {
  tours: countSchema('How often'),
  visitors: countSchema('Different installations; exact up to 2,048, beyond that with a standard error of 0.8 %'),
};
const flow = Type.Object({
  from: Type.Union([place, Type.Null()], { description: 'null: they came in here' }),
  to: Type.Union([place, Type.Null()], { description: 'null: they left here' }),
  ...counts,
  timeMedian: secondsSchema('Seconds that half of them took, within 4.5 %; null where they came in or left'),
  timeLowerQuartile: secondsSchema('Seconds that a quarter of them did not exceed'),
  timeUpperQuartile: secondsSchema('Seconds that three quarters of them did not exceed'),
});
export type Flow = Static<typeof flow>;

export const flowsSchema = Type.Object({ ...head, moves: Type.Array(flow), reaches: Type.Array(flow) });
export type Flows = Static<typeof flowsSchema>;
export type Head = Pick<Flows, keyof typeof head>;

const path = Type.Object({
  stops: Type.Array(place),
  isCut: Type.Boolean({ description: 'There were more places after these' }),
  ...counts,
});
export type Path = Static<typeof path>;

export const pathsSchema = Type.Object({
  ...head,
  tours: countSchema('All tours that have ended; of a floor, zone or beacon those whose paths are kept'),
  paths: Type.Array(path),
});
export type Paths = Static<typeof pathsSchema>;

export const peakIntervals = ['day', 'hour', 'hourOfWeek'] as const;
export type PeakInterval = (typeof peakIntervals)[number];

const peak = Type.Object({
  ...placeMembers,
  start: Type.Optional(Type.String({ description: 'A day, or with the hour 2026-10-01T09:00' })),
  weekday: Type.Optional(Type.Integer({ minimum: 1, maximum: 7 })),
  hour: Type.Optional(Type.Integer({ minimum: 0, maximum: 23 })),
  peak: countSchema('Most visitors at once'),
});
export type Peak = Static<typeof peak>;

export const peaksSchema = Type.Object({ ...head, interval: Type.Enum([...peakIntervals]), rows: Type.Array(peak) });
export type Peaks = Static<typeof peaksSchema>;
