/** The languages of the console. */

/** Those with a complete catalogue, named in themselves. */
export const languages = [
  { tag: 'en', name: 'English' },
  { tag: 'de', name: 'Deutsch' },
  { tag: 'es', name: 'Español' },
  { tag: 'fr', name: 'Français' },
  { tag: 'id', name: 'Bahasa Indonesia' },
] as const;

export type Language = (typeof languages)[number]['tag'];

export const asLanguage = (tag: string | null | undefined): Language | undefined =>
  languages.find((language) => language.tag === tag)?.tag;

/** The first language of a browser that the console has, else English: `de-AT` is German. */
export const languageOf = (wanted: readonly string[]): Language =>
  wanted.map((tag) => asLanguage(tag.split('-')[0]?.toLowerCase())).find((tag) => tag !== undefined) ?? 'en';
