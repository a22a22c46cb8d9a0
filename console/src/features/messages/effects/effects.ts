import type { Notification } from '@pharos/sdk';
import { t } from '../../../lib/words/words.ts';

/** What a message is tried for, as a form has it: null is nothing. */

export type Goal = NonNullable<Notification['goal']>;
export type Variant = NonNullable<Notification['variants']>[number];

export interface EffectFields {
  readonly goal: Goal | null;
  readonly holdout: number | null;
  readonly variants: readonly Variant[] | null;
}

export const effectNames = ['goal', 'goal.', 'holdout', 'variants', 'variants.'] as const;

export const effectLabels: Readonly<Record<keyof EffectFields, string>> = {
  goal: t('Goal'),
  holdout: t('Visitors who get nothing'),
  variants: t('Variants'),
};

export const effectFields = (message?: {
  readonly goal?: Goal;
  readonly holdout?: number;
  readonly variants?: readonly Variant[];
}): EffectFields => ({
  goal: message?.goal ?? null,
  holdout: message?.holdout ?? null,
  variants: message?.variants ?? null,
});

/** In a new message there is nothing to clear with null. */
export function effectMembers({ goal, holdout, variants }: EffectFields, isNew: boolean): object {
  const members = { goal, holdout, variants: variants === null ? null : variants.map(withoutBlanks) };
  return isNew ? Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) : members;
}

/** A field that was left empty is as in the message. */
function withoutBlanks({ name, weight, message = {} }: Variant): Variant {
  const words = Object.fromEntries(Object.entries(message).filter(([, text]) => text !== ''));
  return {
    name: name.trim(),
    ...(weight === undefined ? {} : { weight }),
    ...(Object.keys(words).length > 0 ? { message: words } : {}),
  };
}

/** The part of it that decides whether somebody is shown the message. */
export function drawn({ holdout, variants }: EffectFields) {
  return {
    ...(holdout === null ? {} : { holdout }),
    ...(variants === null ? {} : { variants: variants.map(withoutBlanks) }),
  };
}

export const goalKinds = {
  none: t('No goal'),
  anywhere: t('Comes back, anywhere'),
  beacon: t('Visits a beacon'),
  zone: t('Visits a zone'),
  venue: t('Visits a venue'),
  event: t('Something happens at a beacon'),
  record: t('Makes a record in a bucket'),
} as const;

export type GoalKind = keyof typeof goalKinds;

export function goalKind(goal: Goal | null): GoalKind {
  if (goal === null) return 'none';
  if (goal.kind !== 'visit') return goal.kind;
  if (goal.beaconId !== undefined) return 'beacon';
  if (goal.zoneId !== undefined) return 'zone';
  return goal.venueId === undefined ? 'anywhere' : 'venue';
}

export function newGoal(kind: GoalKind, withinHours: number): Goal | null {
  if (kind === 'none') return null;
  if (kind === 'record') return { kind, bucket: '', withinHours };
  if (kind === 'event') return { kind, beaconId: '', event: 'ENTER', withinHours };
  const place = { anywhere: {}, beacon: { beaconId: '' }, zone: { zoneId: '' }, venue: { venueId: '' } }[kind];
  return { kind: 'visit', ...place, withinHours };
}

/** What is missing, found before the service is asked. */
export function effectProblems({ goal, variants }: EffectFields) {
  const missing = Object.entries({ ...goal })
    .filter(([name, value]) => value === '' && name !== 'kind')
    .map(([name]) => ({ field: `goal.${name}`, problem: name === 'bucket' ? t('choose a bucket') : t('choose one') }));
  const unnamed = (variants ?? []).flatMap(({ name }, index) =>
    name.trim() === '' ? [{ field: `variants.${index}.name`, problem: t('give it a name') }] : [],
  );
  return [...missing, ...unnamed];
}

export const firstVariants: readonly Variant[] = [{ name: 'A' }, { name: 'B', message: {} }];
