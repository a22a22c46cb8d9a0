import { Type } from 'typebox';

/** How a phone moves, as its system recognises it: one that lies still scans less. What is decided does not depend on it. */
const motions = ['still', 'walking', 'vehicle'] as const;
export type Motion = (typeof motions)[number];

export const motionSchema = Type.Enum([...motions], {
  description: 'How the phone moves, as it last said with what it heard',
});

export const isMotion = (value: unknown): value is Motion => motions.some((one) => one === value);
