import { inSentence, listed, pageLanguage, t } from '../words/words.ts';
/** Names of languages, and what a message has in each of them. */

/** The texts of a message by the name of the field; a field that is empty or missing shows what the message has. */
export type Translation = Readonly<Record<string, unknown>>;
export type Translations = Readonly<Record<string, Translation>>;

const names = new Intl.DisplayNames([pageLanguage()], { type: 'language', languageDisplay: 'standard' });

/** `German (Austria)` for de-AT. */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** What people choose from; any other tag of BCP 47 is possible through the interface. */
const offered = [
  'ar bg bn ca cs cy da de el en es et eu fa fi fil fr ga gl gsw he hi hr hu id is it ja ko lb lt lv mk ms mt nb nl',
  'pl pt pt-BR ro ru sk sl sq sr sv sw ta th tr uk ur vi zh-Hans zh-Hant',
]
  .join(' ')
  .split(' ');

/** Languages as options by name, those that are there and the offered ones. */
export const languageOptions = (there: readonly string[] = []) =>
  [...new Set([...there, ...offered])]
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, pageLanguage()));

export interface TranslatedField {
  readonly name: string;
  readonly label: string;
  readonly kind: 'line' | 'text' | 'address';
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The translations without empty texts, as they are stored; undefined without any. */
export function cleanTranslations(translations: Translations, fields: readonly string[]): Translations | undefined {
  const entries = Object.entries(translations).map(
    ([tag, members]) =>
      [
        tag,
        Object.fromEntries(
          Object.entries(members).filter(([name, value]) => !(fields.includes(name) && textOf(value).trim() === '')),
        ),
      ] as const,
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A language that was added and in which nothing was written. */
export function translationProblems(translations: Translations, fields: readonly string[]) {
  return Object.entries(cleanTranslations(translations, fields) ?? {})
    .filter(([, members]) => Object.keys(members).length === 0)
    .map(([tag]) => ({
      field: `translations.${tag}`,
      problem: t('write something in {languageName}, or remove the language', { languageName: languageName(tag) }),
    }));
}

/** The values of a form in a language: its own, with what the translation has over them. */
export function inWords<Values extends object>(values: Values, translation: Translation | undefined): Values {
  const said = Object.entries(translation ?? {}).filter(([, value]) => textOf(value).trim() !== '');
  return { ...values, ...Object.fromEntries(said) };
}

/** What a message has in a language: everything, some of it, or nothing. `texts` are the fields that the message itself has filled. */
export function stateIn(translation: Translation | undefined, texts: readonly TranslatedField[]) {
  if (!translation) return { kind: 'missing', lacks: texts } as const;
  const lacks = texts.filter(({ name, kind }) => kind !== 'address' && textOf(translation[name]).trim() === '');
  return { kind: lacks.length === 0 ? 'complete' : 'partial', lacks } as const;
}

interface InLanguage {
  /** '' is the message itself. */
  readonly tag: string;
  readonly name: string;
  /** Labels of the texts that it has not in this language. */
  readonly lacks: readonly string[];
}

export interface LanguageValues {
  /** Of the message itself; empty: not stated. */
  readonly language: string;
  readonly translations: Translations;
}

/** The languages of a message, its own first, and what of its `own` texts is missing in each. */
export function languagesOf(
  { language, translations }: LanguageValues,
  own: Readonly<Record<string, string>>,
  fields: readonly TranslatedField[],
): readonly InLanguage[] {
  const written = fields.filter(({ name, kind }) => kind !== 'address' && own[name]?.trim());
  const others = Object.entries(translations).map(([tag, translation]) => ({
    tag,
    name: languageName(tag),
    lacks: stateIn(translation, written).lacks.map(({ label }) => label),
  }));
  return [{ tag: '', name: language ? languageName(language) : t('The message'), lacks: [] }, ...others];
}

/** `German: no text` */
export const languageText = ({ name, lacks }: InLanguage): string =>
  lacks.length === 0 ? name : t('{name}: no {list}', { name, list: listed(lacks.map(inSentence)) });
