import { readFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { Recogniser } from '../../../../console/src/lib/words/recogniser.ts';

/**
 * The texts of mails to administrators, in the languages of the console. The English text is the key, as in the console, and each other
 * language has a catalogue in `catalogues/`. Sentences that the service has stored are found again in the console's catalogues of them.
 */

export const mailLanguages = ['en', 'de', 'es', 'fr', 'id'] as const;
export type MailLanguage = (typeof mailLanguages)[number];

/** Undefined for what is none of them. */
export const asMailLanguage = (tag: unknown): MailLanguage | undefined =>
  mailLanguages.find((language) => language === tag);

type Catalogue = Readonly<Record<string, string>>;
type Value = string | number;

const ownCatalogue = (language: MailLanguage) => new URL(`catalogues/${language}.json`, import.meta.url);
const consoleCatalogue = (language: MailLanguage) =>
  new URL(`../../../../console/src/lib/words/catalogues/service-${language}.json`, import.meta.url);
const read = (file: URL) => JSON.parse(readFileSync(file, 'utf8')) as Catalogue;

export class MailWords {
  readonly language: MailLanguage;
  readonly #catalogue: Catalogue;
  readonly #recogniser: Recogniser;
  readonly #formats = new Map<string, IntlMessageFormat>();

  constructor(language: MailLanguage) {
    this.language = language;
    this.#catalogue = language === 'en' ? {} : read(ownCatalogue(language));
    this.#recogniser = new Recogniser({
      catalogue: language === 'en' ? {} : read(consoleCatalogue(language)),
      language,
      formatted: (message, values) => this.#formatted(message, values),
    });
  }

  /** A text of the mails. With values it is an ICU message: `{name}`, `{count, plural, one {# day} other {# days}}`. */
  t(text: string, values?: Readonly<Record<string, Value>>): string {
    const said = this.#catalogue[text] ?? text;
    return values ? this.#formatted(said, values) : said;
  }

  /** A sentence of the service in this language; one that is not known stays English. */
  translated(sentence: string): string {
    return this.#recogniser.translated(sentence);
  }

  /** For dates and numbers. English dates are written `4 May 2026`. */
  get locale(): string {
    return this.language === 'en' ? 'en-GB' : this.language;
  }

  /** `4 May 2026 at 09:30 (Europe/Berlin)`. `at`: epoch milliseconds. */
  moment(timeZone: string, at: number): string {
    const format = new Intl.DateTimeFormat(this.locale, { dateStyle: 'long', timeStyle: 'short', timeZone });
    return `${format.format(at)} (${timeZone})`;
  }

  #formatted(message: string, values: Readonly<Record<string, Value>>): string {
    const known =
      this.#formats.get(message) ?? new IntlMessageFormat(message, this.language, undefined, { ignoreTag: true });
    this.#formats.set(message, known);
    return String(known.format(values));
  }
}

const made = new Map<MailLanguage, MailWords>();

/** The words of a language; English for null and for what is no language of the console. Catalogues are read when they are first needed. */
export function mailWords(language: string | null | undefined): MailWords {
  const tag = asMailLanguage(language) ?? 'en';
  const words = made.get(tag) ?? new MailWords(tag);
  made.set(tag, words);
  return words;
}
