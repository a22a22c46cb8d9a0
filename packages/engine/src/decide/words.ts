import { lookUpLanguage } from './language.ts';

/** A message in several languages, as one visitor gets it. */

export type Members = Readonly<Record<string, unknown>>;
export type Translations = Readonly<Record<string, Members>>;

export interface Worded {
  readonly language?: string | null | undefined;
  readonly translations?: Translations | null | undefined;
}

/** The language that somebody with this locale gets; null where the message has only one and does not say which. */
export function languageFor({ language, translations }: Worded, locale: string | null | undefined): string | null {
  if (!translations) return language ?? null;
  const tags = Object.keys(translations);
  return lookUpLanguage(locale, language ? [language, ...tags] : tags) ?? language ?? null;
}

/** The members in a language that `languageFor` has answered: those of the translation over those of the message. */
export function inLanguage<M extends Members>(members: M, { translations }: Worded, language: string | null): M {
  const translated = language !== null && translations ? translations[language] : undefined;
  return translated ? { ...members, ...translated } : members;
}
