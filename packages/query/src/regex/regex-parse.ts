/** The structure of an RE2 pattern, as far as it decides whether a text matches: no captures, no laziness. */
export type RegexNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assert'; readonly what: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly part: RegexNode; readonly min: number; readonly max: number };

/**
 * One character of the text: an `atom` is a class or an escape as written in the pattern. Its code points are computed
 * only where they are needed, since that takes much longer than all the rest.
 */
export type CharacterSet =
  | { readonly kind: 'atom'; readonly atom: string; readonly ignoreCase: boolean }
  | { readonly kind: 'character'; readonly codePoint: number; readonly ignoreCase: boolean }
  | { readonly kind: 'any' }
  | { readonly kind: 'exceptNewline' };

export interface ParsedRegex {
  readonly node: RegexNode;
  /**
   * The same pattern with `\d` for each atom and without the flag `i`: RE2 accepts the pattern if and only if it
   * accepts this one and each atom, and parses this one many times faster.
   */
  readonly skeleton: string;
}

export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordEdge' | 'noWordEdge';

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/** The state of parsing: the pattern, the position, and the flags in force. */
interface Reader {
  readonly text: string;
  at: number;
  flags: Flags;
  skeleton: string;
  /** The position in `text` up to which the skeleton is written. */
  copied: number;
}

const escapedAssertions: Readonly<Record<string, Assertion>> = {
  A: 'textStart',
  z: 'textEnd',
  b: 'wordEdge',
  B: 'noWordEdge',
};

const repetition = /\{(\d+)(,(\d*))?\}/y;
const groupStart = /\((?:\?P?<\w+>|\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)]))?/y;
const escapeForm = /\\(?:x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|p\{\^?\w+\}|P\{\^?\w+\}|[pP]\w|[\s\S])/uy;
const characterClass = /\[\^?\]?(?:\[:\^?\w+:\]|\\(?:[pPx]\{\^?\w+\}|[\s\S])|[^\]\\])*\]/uy;

/**
 * Parses a pattern in time linear in its length. It accepts more than RE2 does, so RE2 must check the skeleton and the atoms;
 * a text without a recognisable structure is refused.
 *
 * @throws SyntaxError
 */
export function parseRegex(text: string): ParsedRegex {
  const flags = { i: false, m: false, s: false };
  const reader: Reader = { text, at: 0, flags, skeleton: '', copied: 0 };
  const node = readChoice(reader);
  if (reader.at < text.length) throw new SyntaxError(`unexpected ) at ${reader.at}`);
  return { node, skeleton: reader.skeleton + text.slice(reader.copied) };
}

/** Replaces in the skeleton what was read since `from`. */
function replace(reader: Reader, from: number, by: string): void {
  reader.skeleton += reader.text.slice(reader.copied, from) + by;
  reader.copied = reader.at;
}

function readChoice(reader: Reader): RegexNode {
  const branches: RegexNode[] = [];
  let parts: RegexNode[] = [];
  while (reader.at < reader.text.length && reader.text[reader.at] !== ')') {
    if (reader.text[reader.at] === '|') {
      reader.at++;
      branches.push({ kind: 'sequence', parts });
      parts = [];
    } else readPiece(reader, parts);
  }
  branches.push({ kind: 'sequence', parts });
  return branches.length === 1 ? branches[0]! : { kind: 'choice', parts: branches };
}

/** One atom, assertion, group, flag change or quotation, or a repetition of the piece before it. */
function readPiece(reader: Reader, parts: RegexNode[]): void {
  const char = reader.text[reader.at];
  if (char === '(') readGroup(reader, parts);
  else if (reader.text.startsWith('\\Q', reader.at)) readQuotation(reader, parts);
  else if (char === '\\') parts.push(readEscape(reader));
  else if (char === '[') parts.push(readAtom(reader, reader.at, take(reader, characterClass)[0]));
  else if (char === '.' || char === '^' || char === '$') {
    reader.at++;
    parts.push(readSymbol(char, reader.flags));
  } else if (!readRepetition(reader, parts)) readLiteral(reader, parts);
}

function readSymbol(char: '.' | '^' | '$', flags: Flags): RegexNode {
  if (char === '.') return { kind: 'set', set: flags.s ? { kind: 'any' } : { kind: 'exceptNewline' } };
  if (char === '^') return { kind: 'assert', what: flags.m ? 'lineStart' : 'textStart' };
  return { kind: 'assert', what: flags.m ? 'lineEnd' : 'textEnd' };
}

function readLiteral(reader: Reader, parts: RegexNode[]): void {
  const codePoint = reader.text.codePointAt(reader.at) ?? 0;
  reader.at += codePoint > 0xffff ? 2 : 1;
  parts.push({ kind: 'set', set: { kind: 'character', codePoint, ignoreCase: reader.flags.i } });
}

function readAtom(reader: Reader, from: number, atom: string): RegexNode {
  replace(reader, from, '\\d');
  return { kind: 'set', set: { kind: 'atom', atom, ignoreCase: reader.flags.i } };
}

/** Reads `*`, `+`, `?` or `{n,m}` with a `?` for laziness; a `{` that starts no repetition is a character. */
function readRepetition(reader: Reader, parts: RegexNode[]): boolean {
  const counts = readCounts(reader);
  if (counts === undefined) return false;
  if (reader.text[reader.at] === '?') reader.at++;
  const part = parts.pop();
  if (part === undefined) throw new SyntaxError(`nothing to repeat at ${reader.at}`);
  parts.push({ kind: 'repeat', part, min: counts[0], max: counts[1] });
  return true;
}

function readCounts(reader: Reader): readonly [number, number] | undefined {
  const char = reader.text[reader.at];
  if (char === '*' || char === '+' || char === '?') {
    reader.at++;
    return [char === '+' ? 1 : 0, char === '?' ? 1 : Number.POSITIVE_INFINITY];
  }
  if (char !== '{') return undefined;
  const found = tryTake(reader, repetition);
  if (found === undefined) return undefined;
  const min = Number(found[1]);
  if (found[2] === undefined) return [min, min];
  return [min, found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3])];
}

/** `(…)`, `(?:…)`, `(?P<name>…)`, `(?i-s:…)`, or `(?i)`, which lasts to the end of the group around it. */
function readGroup(reader: Reader, parts: RegexNode[]): void {
  const from = reader.at;
  const [written, on = '', off = '', end] = take(reader, groupStart);
  const outer = reader.flags;
  reader.flags = changeFlags(outer, on, off);
  if (end !== undefined) replace(reader, from, written.replaceAll('i', 's'));
  if (end === ')') return;
  parts.push(readChoice(reader));
  if (reader.text[reader.at] !== ')') throw new SyntaxError('missing )');
  reader.at++;
  reader.flags = outer;
}

function changeFlags(flags: Flags, on: string, off: string): Flags {
  const read = (name: 'i' | 'm' | 's') => !off.includes(name) && (on.includes(name) || flags[name]);
  return { i: read('i'), m: read('m'), s: read('s') };
}

function readEscape(reader: Reader): RegexNode {
  const from = reader.at;
  const atom = take(reader, escapeForm)[0];
  const what = escapedAssertions[atom.slice(1)];
  return what === undefined ? readAtom(reader, from, atom) : { kind: 'assert', what };
}

/** `\Q…\E`, or to the end of the pattern where the `\E` is missing. */
function readQuotation(reader: Reader, parts: RegexNode[]): void {
  const close = reader.text.indexOf('\\E', reader.at + 2);
  const end = close < 0 ? reader.text.length : close;
  reader.at += 2;
  while (reader.at < end) readLiteral(reader, parts);
  reader.at = close < 0 ? end : end + 2;
}

function tryTake(reader: Reader, form: RegExp): RegExpExecArray | undefined {
  form.lastIndex = reader.at;
  const found = form.exec(reader.text) ?? undefined;
  if (found !== undefined) reader.at += found[0].length;
  return found;
}

function take(reader: Reader, form: RegExp): RegExpExecArray {
  const found = tryTake(reader, form);
  if (found === undefined) throw new SyntaxError(`not understood at ${reader.at}`);
  return found;
}
