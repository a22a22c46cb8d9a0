import { IntlMessageFormat } from 'intl-messageformat';
import { createElement, Fragment, type ReactNode } from 'react';
import { Recogniser } from './recogniser.ts';

/**
 * The texts of the console in the language of this page. A text is written in English where it is shown, and is looked up
 * as it stands. The language is set once, before any module with a text is loaded, so that constants may be translated
 * too; choosing another one loads the page again.
 */

/** English texts, and what they are in another language. */
export type Catalogue = Readonly<Record<string, string>>;

let catalogue: Catalogue = {};
let language = 'en';
const formats = new Map<string, IntlMessageFormat>();

/** Sets the language of the page. Without a catalogue texts stay English. */
export function speak(tag: string, words: Catalogue): void {
  language = tag;
  catalogue = words;
  formats.clear();
}

/** The language of the page, as a tag of BCP 47: for numbers, names of languages and sorting. */
export const pageLanguage = (): string => language;

/** English dates are written `4 May 2026`, as everywhere but in the United States. */
export const dateLocale = (): string => (language === 'en' ? 'en-GB' : language);

type Value = string | number | boolean | null | undefined;

/**
 * A text in the language of the page. With values it is an ICU message: `{name}`, `{count, number}`,
 * `{count, plural, one {# file} other {# files}}`, `{isOn, select, true {on} other {off}}`. Without values it is shown as
 * it stands.
 */
export function t(text: string, values?: Readonly<Record<string, Value>>): string {
  const said = catalogue[text] ?? text;
  return values ? formatted(said, values) : said;
}

/** A word of the service that is also one of the console's texts, such as a noun. */
export const sharedWord = (text: string): string => catalogue[text] ?? text;

/** A message that has been looked up, with its values. */
export const formatted = (message: string, values: Readonly<Record<string, Value>>): string =>
  String(formatOf(message, true).format(plain(values)));

type RichValue = ReactNode | ((inner: ReactNode) => ReactNode);

const b = (inner: ReactNode) => createElement('b', null, inner);

/** A text with elements in it: `Read the <link>handbook</link>.`, where `link` is given what it encloses. `<b>` is bold. */
export function rich(text: string, values: Readonly<Record<string, RichValue>> = {}): ReactNode {
  const wrapped = Object.entries({ b, ...values }).map(([name, value]) => [
    name,
    typeof value === 'function' ? (parts: ReactNode[]) => value(together(parts)) : value,
  ]);
  const parts = formatOf(catalogue[text] ?? text, false).format<ReactNode>(Object.fromEntries(wrapped));
  return Array.isArray(parts) ? together(parts) : parts;
}

/** Children in a fixed order, which need no keys. */
const together = (parts: readonly ReactNode[]): ReactNode => createElement(Fragment, null, ...parts);

const plain = (values: Readonly<Record<string, Value>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'boolean' ? (value ? 'true' : '') : value]),
  );

function formatOf(text: string, isPlain: boolean): IntlMessageFormat {
  const name = `${isPlain}${text}`;
  const known = formats.get(name) ?? new IntlMessageFormat(text, language, undefined, { ignoreTag: isPlain });
  formats.set(name, known);
  return known;
}

/** The parts of a text in their order: strings, and what values and tags have made. */
export function textParts<T>(
  text: string,
  values: Readonly<Record<string, T | string | ((inner: string) => T)>>,
): (T | string)[] {
  const wrapped = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'function' ? (parts: string[]) => (value as (inner: string) => T)(parts.join('')) : value,
  ]);
  const parts = formatOf(catalogue[text] ?? text, false).format<T>(Object.fromEntries(wrapped));
  return Array.isArray(parts) ? parts : [parts];
}

/** `A, B and C`, or with `or`. */
export const listed = (items: readonly string[], kind: 'and' | 'or' = 'and'): string => listFormat(kind).format(items);

export const listFormat = (kind: 'and' | 'or'): Intl.ListFormat =>
  new Intl.ListFormat(dateLocale(), { type: kind === 'and' ? 'conjunction' : 'disjunction' });

/** `21.6`, with the decimal sign of the language. */
export const tenths = (value: number): string =>
  value.toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A label inside a sentence. German nouns keep their capital. */
export const inSentence = (label: string): string => (keepsCapital() ? label : label.toLocaleLowerCase(language));

/** Whether nouns have a capital inside a sentence. */
export const keepsCapital = (): boolean => language === 'de';

/** Sentences that the service has made, in the language of the page. Without a catalogue they stay English. */

const ofPage = (catalogue: Catalogue) => new Recogniser({ catalogue, language: pageLanguage(), formatted });
let recogniser: Recogniser | undefined;

/** Sets what the sentences of the service are in the language of the page, which has been set before. */
export function setServiceCatalogue(words: Catalogue): void {
  recogniser = ofPage(words);
}

/** A sentence of the service in the language of the page. One that is translated already is left as it is. */
export function translated(sentence: string): string {
  recogniser ??= ofPage({});
  return recogniser.translated(sentence);
}
