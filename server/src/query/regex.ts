import { RE2JS, RE2JSException } from 're2js';
import { isAffordable } from './regex-cost.ts';
import { parseRegex } from './regex-parse.ts';
import { toPostgresRegex } from './regex-postgres.ts';
import { simplifyRegex } from './regex-simplify.ts';

/** A pattern that both databases and `matches` understand alike. */
export interface Regex {
  /** RE2 syntax with the options written in front, such as `(?i)`. */
  readonly source: string;
  /** The same for PostgreSQL's `~` with collation "C". */
  readonly postgres: string;
  /** Whether the pattern is found anywhere in the text; linear in its length. */
  readonly test: (text: string) => boolean;
}

/** Code points. */
export const maxRegexLength = 256;

const compiled = new Map<string, Regex>();
const cacheSize = 64;

/**
 * `source` is RE2 syntax. Throws a `RegexProblem` when it is not, or when it says more than both databases can be asked
 * to do.
 */
export function compileRegex(source: string): Regex {
  const known = compiled.get(source);
  if (known !== undefined) {
    // The last used are kept: a Map iterates in the order of insertion.
    compiled.delete(source);
    compiled.set(source, known);
    return known;
  }
  const regex = translate(source);
  if (compiled.size >= cacheSize) compiled.delete(compiled.keys().next().value ?? '');
  compiled.set(source, regex);
  return regex;
}

/** Why a pattern is refused, in words for the caller. */
export class RegexProblem extends Error {}

/** ASCII without a meaning of its own, or whose meaning a backslash takes away; with or without the case. */
const literalSource = /^(\(\?i\))?((?:[^\\.+*?()|[\]{}^$\u0080-\uffff]|\\[\\.+*?()|[\]{}^$])+)$/;

/**
 * What a search field asks for is a text as it stands. The engine of the language finds it many times faster than RE2JS,
 * in linear time too, and folds the case of ASCII letters alike: k is also the Kelvin sign, s the long s.
 */
function literalTest(source: string): RegExp | undefined {
  const [, ignoresCase, text] = literalSource.exec(source) ?? [];
  return text === undefined ? undefined : new RegExp(text, ignoresCase ? 'iu' : 'u');
}

function translate(source: string): Regex {
  try {
    const engine = RE2JS.compile(source);
    const node = simplifyRegex(parseRegex(source));
    if (!isAffordable(node)) throw new RegexProblem('is too complex: fewer or smaller repetitions, please');
    const literal = literalTest(source);
    const test = literal ? (text: string) => literal.test(text) : (text: string) => engine.test(text);
    return Object.freeze({ source, postgres: toPostgresRegex(node), test });
  } catch (error) {
    if (error instanceof RE2JSException) throw new RegexProblem(`is not RE2 syntax: ${error.message}`);
    if (error instanceof SyntaxError) throw new RegexProblem(`is not understood: ${error.message}`);
    throw error;
  }
}
