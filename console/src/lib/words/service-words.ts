import { type Catalogue, formatted, pageLanguage } from './words.ts';

/**
 * Sentences that the service has made, in the language of the page. The service writes English; the catalogue of a language
 * has its sentences with holes, `There is no beacon {0}.`, and here they are found again. In a translation `{0}` is what
 * stood in the hole, and with a letter it is more:
 *
 * - `{p0}`: words of the service, which are translated as well, or else stay as they are (what a push service said)
 * - `{n0}`: a name of a member or words of the service; otherwise this is another sentence
 * - `{v0}`: a value as JSON or words of the service; otherwise this is another sentence
 *
 * A text that begins with `… ` stands only within sentences. A sentence that is not known stays English as a whole.
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
let catalogue: Catalogue = {};
/** What stands alone, and what stands within sentences; read when a sentence is first asked for. */
let books: { readonly whole: Book; readonly within: Book } | undefined;
const known = new Map<string, string>();
const mostKnown = 500;

/** Sets what the sentences of the service are in the language of the page. Without, they stay English. */
export function hearService(words: Catalogue): void {
  catalogue = words;
  books = undefined;
  known.clear();
}

/** A sentence of the service in the language of the page. One that is translated already is left as it is. */
export function told(sentence: string): string {
  const before = known.get(sentence);
  if (before !== undefined) return before;
  const said =
    whole(sentence) ??
    stopped(sentence) ??
    parted(sentence, betweenSentences, (one) => whole(one) ?? stopped(one)) ??
    sentence;
  if (known.size >= mostKnown) known.clear();
  known.set(sentence, said);
  return said;
}

function readBooks() {
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

function booksOfPage() {
  books ??= readBooks();
  return books;
}

const whole = (text: string): string | undefined => found(text, booksOfPage().whole);
const within = (text: string): string | undefined => found(text, booksOfPage().within);

function found(text: string, { exact, patterns }: Book): string | undefined {
  const said = exact.get(text);
  if (said !== undefined) return said;
  for (const pattern of patterns) {
    const holes = holesIn(text, pattern.pieces);
    const filled = holes && fill(pattern.said, holes);
    if (filled !== undefined) return filled;
  }
  return undefined;
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

/** The translation with its holes filled; undefined if one of them holds something else. */
function fill(said: string, holes: readonly string[]): string | undefined {
  const values: Record<string, string | number> = {};
  for (const [, kind = '', digit = '', type = ''] of said.matchAll(/\{([pnv]?)(\d)(, (?:number|plural))?/g)) {
    const value = inHole(kind, holes[Number(digit)] ?? '', type !== '');
    if (value === undefined) return undefined;
    values[`${kind}${digit}`] = value;
  }
  return formatted(said, values);
}

function inHole(kind: string, text: string, isCount: boolean): string | number | undefined {
  if (isCount) return /^\d{1,3}(,?\d{3})*$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
  if (kind === '') return inNumbers(text);
  const said = phrase(text);
  if (said !== undefined) return said;
  if (kind === 'n') return /^[\w.$-]+$/.test(text) ? text : undefined;
  return kind === 'p' ? inNumbers(text) : isJson(text) ? text : undefined;
}

/** Words of the service inside of a sentence, which may be several. */
function phrase(text: string): string | undefined {
  return (
    within(text) ??
    parted(text, betweenParts, (part) => within(part) ?? whole(part)) ??
    whole(text) ??
    stopless(text) ??
    stopped(text)
  );
}

/** A sentence of which the last stop is not part of what the catalogue has. */
function stopped(text: string): string | undefined {
  const said = text.endsWith('.') ? phrase(text.slice(0, -1)) : undefined;
  return said === undefined ? undefined : `${said}.`;
}

/** A sentence without the stop that the catalogue has. */
const stopless = (text: string): string | undefined => whole(`${text}.`)?.replace(/\.$/, '');

const betweenSentences = /(?<=[.!?”]) (?=[\p{Lu}\d“"(])/gu;
const betweenParts = /, |; | and | or |–/g;
const mostParts = 20;

/** A text in parts, each of which is known, the shortest that are; undefined if one is not. */
function parted(text: string, between: RegExp, one: (part: string) => string | undefined): string | undefined {
  const gaps = [...text.matchAll(between)].map(({ index, 0: gap }) => ({ from: index, to: index + gap.length, gap }));
  if (gaps.length === 0 || gaps.length > mostParts) return undefined;
  const ends = [...gaps, { from: text.length, to: text.length, gap: '' }];
  /** From the beginning of each part to the end of the text. */
  const rest = new Map<number, string | undefined>([[text.length, '']]);
  for (const start of [0, ...gaps.map(({ to }) => to)].toReversed()) {
    let said: string | undefined;
    for (const { from, to, gap } of ends) {
      if (from <= start || said !== undefined) continue;
      const after = rest.get(to);
      const part = after === undefined ? undefined : one(text.slice(start, from));
      if (part !== undefined) said = `${part}${joint(gap)}${after}`;
    }
    rest.set(start, said);
  }
  return rest.get(0);
}

const joint = (gap: string): string => (/^ \w+ $/.test(gap) ? ` ${within(gap.trim()) ?? gap.trim()} ` : gap);

/** A number, a share or a size with the signs of the language; everything else as it is. */
function inNumbers(text: string): string {
  const [, sign = '', digits = '', unit = ''] =
    /^([+−-]?)((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)( (?:%|bytes|kB|MB|GB|TB))?$/.exec(text) ?? [];
  if (!/[.,]/.test(digits)) return text;
  return `${sign}${Number(digits.replaceAll(',', '')).toLocaleString(pageLanguage(), { maximumFractionDigits: 10 })}${unit}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(`[${text}]`);
    return true;
  } catch {
    return false;
  }
}
