import { type Static, Type } from 'typebox';
import type { Problem } from '../base/errors.ts';
import type { Db } from '../db/db.ts';
import type { Caller } from './caller.ts';

/** The experiment of a message: goal, holdout and variants. Optional members of notifications and scenarios. */

const id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }));

export const goalSchema = Type.Object(
  {
    kind: Type.Enum(['visit', 'event', 'record'], {
      description:
        'A later visit, a later event at a beacon, or a record that the visitor makes in a bucket (by its `createdBy` or its `installationId`)',
    }),
    beaconId: id('objectId; of a visit or an event'),
    zoneId: id('objectId; a visit at any beacon of the zone'),
    venueId: id('objectId; a visit at any beacon of the venue'),
    event: Type.Optional(Type.Enum(['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR'], { description: 'Of an event' })),
    bucket: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Name of the bucket of a record' })),
    withinHours: Type.Integer({ minimum: 1, maximum: 2160, description: 'After the first time that it was shown' }),
  },
  { description: 'What the visitor is to do after it, counted in `GET /analytics/messages`' },
);

export type Goal = Static<typeof goalSchema>;

export const holdoutSchema = Type.Integer({
  minimum: 1,
  maximum: 90,
  description: 'Percent of visitors who get nothing, always the same ones, so that the effect can be told',
});

const variantName = Type.String({
  minLength: 1,
  maxLength: 20,
  pattern: '^[\\p{L}\\p{N}](?:[\\p{L}\\p{N} _-]*[\\p{L}\\p{N}])?$',
  description: 'Letters, digits, blanks, - and _; unlike the others, and not "holdout"',
});

const words = Type.Optional(
  Type.Object(
    {
      alertTitle: Type.Optional(Type.String()),
      alertMessage: Type.Optional(Type.String()),
      url: Type.Optional(Type.String({ maxLength: 2000, description: 'Of a notification: picture or video' })),
      urlPage: Type.Optional(Type.String({ maxLength: 2000, description: 'Of a scenario' })),
    },
    { description: 'Members that take the place of those of the message; the message as it is without them' },
  ),
);

export const variantsSchema = Type.Array(
  Type.Object({
    name: variantName,
    weight: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Its part of all weights; 1 without it' }),
    ),
    message: words,
  }),
  { minItems: 2, maxItems: 5, description: 'Each visitor gets one of them, always the same' },
);

export type Variants = Static<typeof variantsSchema>;

export const experimentMembers = {
  goal: Type.Optional(goalSchema),
  holdout: Type.Optional(holdoutSchema),
  variants: Type.Optional(variantsSchema),
};

/** @throws Failure ObjectNotFound for a place or bucket that is not there, or that the caller may not see */
export type AssertGoal = (db: Db, caller: Caller, goal: Goal) => Promise<void>;

export interface Experiment {
  readonly goal?: Goal | null | undefined;
  readonly holdout?: number | null | undefined;
  readonly variants?: Variants | null | undefined;
}

interface Worded {
  readonly variants?: Variants | null | undefined;
  readonly translations?: object | null | undefined;
}

/** What a record has after a change; null clears. */
export const joined = (sent: Worded, stored: Worded | undefined): Worded => ({
  variants: sent.variants === undefined ? stored?.variants : sent.variants,
  translations: sent.translations === undefined ? stored?.translations : sent.translations,
});

/** Visitors who are shown a translation would not see the variant's text, but would still be counted. */
export function wordingProblems({ variants, translations }: Worded): Problem[] {
  const hasWords = (variants ?? []).some(({ message }) => message !== undefined);
  if (!hasWords || Object.keys(translations ?? {}).length === 0) return [];
  return [
    {
      field: 'variants',
      problem: 'cannot have words of their own in a message with translations, whose readers would not see them',
    },
  ];
}

/** The rules that the schemas cannot express. */
export function experimentProblems({ goal, variants }: Experiment): Problem[] {
  return [...(goal ? goalProblems(goal) : []), ...(variants ? variantProblems(variants) : [])];
}

function goalProblems({ kind, beaconId, zoneId, venueId, event, bucket }: Goal): Problem[] {
  const places = { beaconId, zoneId, venueId };
  const named = Object.entries(places).filter(([, value]) => value !== undefined);
  const complain = (member: string, problem: string): Problem => ({ field: `goal.${member}`, problem });
  const others = (allowed: readonly string[]) =>
    Object.entries({ ...places, event, bucket })
      .filter(([name, value]) => value !== undefined && !allowed.includes(name))
      .map(([name]) => complain(name, `does not belong to a goal of the kind ${kind}`));
  if (kind === 'record') {
    return [...(bucket === undefined ? [complain('bucket', 'is required for a record')] : []), ...others(['bucket'])];
  }
  if (kind === 'event') {
    return [
      ...(beaconId === undefined ? [complain('beaconId', 'is required for an event')] : []),
      ...(event === undefined ? [complain('event', 'is required for an event')] : []),
      ...others(['beaconId', 'event']),
    ];
  }
  const twice = named.length > 1 ? [complain('zoneId', 'name one place: a beacon, a zone or a venue')] : [];
  return [...twice, ...others(Object.keys(places))];
}

function variantProblems(variants: Variants): Problem[] {
  const names = variants.map(({ name }) => name.toLowerCase());
  return variants.flatMap(({ name }, index) => {
    const field = `variants.${index}.name`;
    if (name.toLowerCase() === 'holdout') return [{ field, problem: 'is the name of those who get nothing' }];
    return names.indexOf(name.toLowerCase()) < index ? [{ field, problem: 'must be unlike the others' }] : [];
  });
}
