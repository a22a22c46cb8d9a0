/**
 * Sentences that the service has made, found again in a catalogue. The service writes English; the catalogue of a language
 * has its sentences with holes, `There is no beacon {0}.` In a translation `{0}` is what stood in the hole, and with a letter it is more:
 *
 * - `{p0}`: words of the service, which are translated as well, or else stay as they are (what a push service said)
 * - `{n0}`: a name of a member or words of the service; otherwise this is another sentence
 * - `{v0}`: a value as JSON or words of the service; otherwise this is another sentence
 *
 * A text that begins with `… ` stands only within sentences. A sentence that is not known stays English as a whole.
 *
 * The service itself uses this for mails, so nothing here needs a browser.
 */

interface Pattern {
  /** The text around the holes: one more than there are holes. */
  readonly pieces: readonly string[];
  readonly said: string;
  /** Of its own text: the pattern that says more itself comes first. */
  readonly length: number;
}

interface Book {
  readonly exact: ReadonlyMap<string, string>;
  readonly patterns: readonly Pattern[];
}

const inner = '… ';
const maxKnown = 500;

interface Reading {
  /** English sentences, and what they are in another language. */
  readonly catalogue: Readonly<Record<string, string>>;
  /** A tag of BCP 47. */
  readonly language: string;
  /** An ICU message with its values. */
  readonly formatted: (message: string, values: Readonly<Record<string, string | number>>) => string;
}

/** Says sentences of the service in one language. */
export class Recogniser {
  readonly #reading: Reading;
  readonly #known = new Map<string, string>();
  /** What stands alone, and what stands within sentences; read when a sentence is first asked for. */
  #books: { readonly whole: Book; readonly within: Book } | undefined;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** A sentence in the language. One that is translated already, or is not known, is left as it is. */
  translated(sentence: string): string {
    const before = this.#known.get(sentence);
    if (before !== undefined) return before;
    const said =
      this.#whole(sentence) ??
      this.#stopped(sentence) ??
      this.#parted(sentence, betweenSentences, (one) => this.#whole(one) ?? this.#stopped(one)) ??
      sentence;
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(sentence, said);
    return said;
  }

  #booksOfLanguage() {
    this.#books ??= readBooks(this.#reading.catalogue);
    return this.#books;
  }

  #whole(text: string): string | undefined {
    return this.#found(text, this.#booksOfLanguage().whole);
  }

  #within(text: string): string | undefined {
    return this.#found(text, this.#booksOfLanguage().within);
  }

  #found(text: string, { exact, patterns }: Book): string | undefined {
    const said = exact.get(text);
    if (said !== undefined) return said;
    for (const pattern of patterns) {
      const holes = holesIn(text, pattern.pieces);
      const filled = holes && this.#fill(pattern.said, holes);
      if (filled !== undefined) return filled;
    }
    return undefined;
  }

  /** The translation with its holes filled; undefined if one of them holds something else. */
  #fill(said: string, holes: readonly string[]): string | undefined {
    const values: Record<string, string | number> = {};
    for (const [, kind = '', digit = '', type = ''] of said.matchAll(/\{([pnv]?)(\d)(, (?:number|plural))?/g)) {
      const value = this.#inHole(kind, holes[Number(digit)] ?? '', type !== '');
      if (value === undefined) return undefined;
      values[`${kind}${digit}`] = value;
    }
    return this.#reading.formatted(said, values);
  }

  #inHole(kind: string, text: string, isCount: boolean): string | number | undefined {
    if (isCount) return /^\d{1,3}(,?\d{3})*$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
    if (kind === '') return this.#inNumbers(text);
    const said = this.#phrase(text);
    if (said !== undefined) return said;
    if (kind === 'n') return /^[\w.$-]+$/.test(text) ? text : undefined;
    return kind === 'p' ? this.#inNumbers(text) : isJson(text) ? text : undefined;
  }

  /** Words of the service inside of a sentence, which may be several. */
  #phrase(text: string): string | undefined {
    return (
      this.#within(text) ??
      this.#parted(text, betweenParts, (part) => this.#within(part) ?? this.#whole(part)) ??
      this.#whole(text) ??
      this.#stopless(text) ??
      this.#stopped(text)
    );
  }

  /** A sentence of which the last stop is not part of what the catalogue has. */
  #stopped(text: string): string | undefined {
    const said = text.endsWith('.') ? this.#phrase(text.slice(0, -1)) : undefined;
    return said === undefined ? undefined : `${said}.`;
  }

  /** A sentence without the stop that the catalogue has. */
  #stopless(text: string): string | undefined {
    return this.#whole(`${text}.`)?.replace(/\.$/, '');
  }

  /** A text in parts, each of which is known, the shortest that are; undefined if one is not. */
  #parted(text: string, between: RegExp, one: (part: string) => string | undefined): string | undefined {
    const gaps = [...text.matchAll(between)].map(({ index, 0: gap }) => ({ from: index, to: index + gap.length, gap }));
    if (gaps.length === 0 || gaps.length > maxParts) return undefined;
    const ends = [...gaps, { from: text.length, to: text.length, gap: '' }];
    /** From the beginning of each part to the end of the text. */
    const rest = new Map<number, string | undefined>([[text.length, '']]);
    for (const start of [0, ...gaps.map(({ to }) => to)].toReversed()) {
      let said: string | undefined;
      for (const { from, to, gap } of ends) {
        if (from <= start || said !== undefined) continue;
        const after = rest.get(to);
        const part = after === undefined ? undefined : one(text.slice(start, from));
        if (part !== undefined) said = `${part}${this.#joint(gap)}${after}`;
      }
      rest.set(start, said);
    }
    return rest.get(0);
  }

  #joint(gap: string): string {
    return /^ \w+ $/.test(gap) ? ` ${this.#within(gap.trim()) ?? gap.trim()} ` : gap;
  }

  /** A number, a share, a size or a day as the language writes it; everything else as it is. */
  #inNumbers(text: string): string {
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return this.#inDates(text);
    const [, sign = '', digits = '', unit = ''] =
      /^([+−-]?)((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)( (?:%|bytes|kB|MB|GB|TB))?$/.exec(text) ?? [];
    if (!/[.,]/.test(digits)) return text;
    const { language } = this.#reading;
    return `${sign}${Number(digits.replaceAll(',', '')).toLocaleString(language, { maximumFractionDigits: 10 })}${unit}`;
  }

  #inDates(text: string): string {
    const { language } = this.#reading;
    const locale = language === 'en' ? 'en-GB' : language;
    const date = new Date(text);
    return Number.isNaN(date.valueOf())
      ? text
      : date.toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  }
}

const betweenSentences = /(?<=[.!?”]) (?=[\p{Lu}\d“"(])/gu;
const betweenParts = /, |; | and | or |–/g;
const maxParts = 20;

function readBooks(catalogue: Reading['catalogue']) {
  const all = Object.entries(catalogue);
  const bookOf = (entries: readonly (readonly [string, string])[]): Book => ({
    exact: new Map(entries.filter(([text]) => !/\{\d\}/.test(text))),
    patterns: entries
      .filter(([text]) => /\{\d\}/.test(text))
      .map(([text, said]) => ({ pieces: text.split(/\{\d\}/), said, length: text.replaceAll(/\{\d\}/g, '').length }))
      .toSorted((a, b) => b.length - a.length),
  });
  return {
    whole: bookOf(all.filter(([text]) => !text.startsWith(inner))),
    within: bookOf(
      all.filter(([text]) => text.startsWith(inner)).map(([text, said]) => [text.slice(inner.length), said] as const),
    ),
  };
}

/** What stands in the holes, each as short as it can be; undefined if this is another sentence. */
function holesIn(text: string, pieces: readonly string[]): readonly string[] | undefined {
  const [first = '', ...rest] = pieces;
  const last = rest.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
  const holes: string[] = [];
  let from = first.length;
  for (const [index, piece] of rest.entries()) {
    const to = index === rest.length - 1 ? text.length - last.length : text.indexOf(piece, from);
    if (to < from) return undefined;
    holes.push(text.slice(from, to));
    from = to + piece.length;
  }
  return holes;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(`[${text}]`);
    return true;
  } catch {
    return false;
  }
}
