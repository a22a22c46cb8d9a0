import { type Static, Type } from 'typebox';
import { goalSchema } from '../../../../access/experiment.ts';
import { smallGroup } from '../../../blur.ts';
import { countSchema, daySchema } from '../numbers/schemas.ts';

/** What is answered about messages. */

const part = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const groupMembers = {
  group: Type.String({ description: 'A variant, `holdout` for those who got nothing, or empty' }),
  reached: countSchema('Different visitors to whom it was shown for the first time in the period, or would have been'),
  openedBy: countSchema('Those of them who opened it at least once'),
  acted: countSchema('Those of them who reached the goal in time; null without a goal'),
  shown: countSchema('Messages'),
  received: countSchema('Messages that the app reported as received'),
  opened: countSchema('Messages that the app reported as opened'),
  withdrawn: countSchema(
    'Visitors who took back their consent to messages, or could no longer be reached, within 7 days after it',
  ),
  share: part('acted / reached'),
  shareLow: part('Its interval of 95 % (Wilson)'),
  shareHigh: part('Its interval of 95 % (Wilson)'),
};

const group = Type.Object(groupMembers);
export type GroupNumbers = Static<typeof group>;

const comparison = Type.Object({
  group: Type.String(),
  against: Type.String(),
  difference: part('Share of `group` minus share of `against`'),
  low: part('Its interval of 95 % (Newcombe)'),
  high: part('Its interval of 95 % (Newcombe)'),
  isClear: Type.Boolean({ description: 'Zero is not in the interval' }),
  text: Type.String({ description: 'What may be concluded, as a sentence' }),
});
export type GroupComparison = Static<typeof comparison>;

export const intervals = ['total', 'day', 'week', 'month'] as const;

const message = Type.Object({
  triggerId: Type.String({ description: 'The objectId of the notification or scenario' }),
  kind: Type.Union([Type.Enum(['notification', 'scenario']), Type.Null()], { description: 'null: it was deleted' }),
  name: Type.Union([Type.String(), Type.Null()]),
  goal: Type.Union([goalSchema, Type.Null()]),
  groups: Type.Array(group),
  comparisons: Type.Array(comparison),
});
export type MessageNumbers = Static<typeof message>;

export const answerSchema = Type.Object({
  result: Type.Object({
    from: daySchema,
    until: Type.String({ format: 'date', description: 'The day after the last' }),
    timeZone: Type.String(),
    interval: Type.Enum([...intervals]),
    isProtected: Type.Boolean({
      description: `Small groups are protected: 1 to 4 visitors, and some groups of a few more, are "${smallGroup}"`,
    }),
    isComplete: Type.Boolean({ description: 'false while older messages, or many new ones, are still being counted' }),
    messages: Type.Array(message),
    rows: Type.Array(Type.Object({ start: daySchema, triggerId: Type.String(), ...groupMembers }), {
      description: 'By interval, message and group; empty for `total`',
    }),
    load: Type.Union(
      [
        Type.Array(
          Type.Object({
            messages: Type.Integer({ description: 'So many; 10 are 10 and more' }),
            visitors: countSchema('Visitors who were shown so many'),
          }),
        ),
        Type.Null(),
      ],
      {
        description:
          'How many messages visitors were shown; null unless the period is one week or month, and of one place, since visitors may have seen them at several',
      },
    ),
  }),
});
