import type { Problem } from '../base/errors.ts';
import { translationProblems } from '../delivery/push/translations.ts';
import type { AppPolicy } from './policy.ts';

/** What visitors have agreed to, and what follows from it. */

/**
 * messages: getting proximity messages and pushes. analytics: being recorded under the phone's id. identity: the phone being
 * linked to an account.
 */
export const purposes = ['messages', 'analytics', 'identity'] as const;
export type Purpose = (typeof purposes)[number];

/** A decision of a visitor about one purpose, as it is stored and shown. */
export interface Consent {
  readonly granted: boolean;
  /** Which text the visitor was shown. */
  readonly textVersion?: string;
  /** Since when, ISO 8601. */
  readonly at: string;
}

export type Consents = Readonly<Partial<Record<Purpose, Consent>>>;
export type Permissions = Readonly<Record<Purpose, boolean>>;

const all = (isPermitted: boolean): Permissions => ({
  messages: isPermitted,
  analytics: isPermitted,
  identity: isPermitted,
});
const everything = all(true);
const nothing = all(false);

/** Decisions as they are stored; null: none was made. */
export const readConsents = (stored: string | null): Consents =>
  stored === null ? {} : (JSON.parse(stored) as Consents);

/** What is allowed: what was decided or, if nothing was decided, what the app assumes. */
export function permissionsOf(stored: string | null, { consent }: Pick<AppPolicy, 'consent'>): Permissions {
  const otherwise = consent === 'assumed' ? everything : nothing;
  if (stored === null) return otherwise;
  const decided = readConsents(stored);
  const of = (purpose: Purpose) => decided[purpose]?.granted ?? otherwise[purpose];
  return { messages: of('messages'), analytics: of('analytics'), identity: of('identity') };
}

/** What the schema of the policy cannot say of the texts that visitors are asked with. */
export function consentTextProblems(texts: AppPolicy['consentTexts'] | undefined): Problem[] {
  if (texts === undefined) return [];
  const lacksVersion = texts.version === '' && (texts.translations || purposes.some((purpose) => texts[purpose]));
  return [
    ...(lacksVersion ? [{ field: 'version', problem: 'is missing: name the texts, such as 2026-10' }] : []),
    ...translationProblems(texts, purposes),
  ].map(({ field, problem }) => ({ field: `consentTexts.${field}`, problem }));
}
