import { RE2JS, RE2JSException } from 're2js';
import { isAffordable, RegexBudget, setsOf, weighRegex } from './regex-cost.ts';
import { parseRegex, type RegexNode } from './regex-parse.ts';
import { toPostgresRegex } from './regex-postgres.ts';
import { rangesOf } from './regex-ranges.ts';
import { simplifyRegex } from './regex-simplify.ts';

/** A pattern with the same meaning in both databases and `matches`. Each form is made when it is first needed. */
export interface Regex {
  /** RE2 syntax with the options in front, such as `(?i)`. */
  readonly source: string;
  /** The pattern for PostgreSQL's `~` with collation "C". */
  readonly postgres: string;
  /** Whether the text contains a match of the pattern; linear in its length. */
  readonly test: (text: string) => boolean;
}

/** Code points. */
export const maxRegexLength = 256;

const compiled = new Map<string, CompiledRegex>();
/** As many patterns as one query may have. */
const cacheSize = 256;
/** Heavy patterns are large too. In the units of `weighRegex`, the budget of four queries. */
const cacheWeight = 40_000;
let cachedWeight = 0;

/**
 * `source` is RE2 syntax. Throws a `RegexProblem` when it is not, when it needs something that one of the databases
 * cannot do, or when it costs more than the remaining `budget`.
 */
export function compileRegex(source: string, budget = new RegexBudget()): Regex {
  const known = compiled.get(source);
  if (known !== undefined) {
    if (!budget.take(source, known.node)) throw tooHeavy();
    // The most recently used are kept: a Map iterates in the order of insertion.
    compiled.delete(source);
    compiled.set(source, known);
    return known;
  }
  const regex = new CompiledRegex(source, read(source, budget));
  remember(regex);
  return regex;
}

function remember(regex: CompiledRegex): void {
  cachedWeight += regex.weight;
  for (const [source, { weight }] of compiled) {
    if (compiled.size < cacheSize && cachedWeight <= cacheWeight) break;
    compiled.delete(source);
    cachedWeight -= weight;
  }
  compiled.set(regex.source, regex);
}

/** Why a pattern is refused, in words for the caller. */
export class RegexProblem extends Error {}

/** ASCII characters without a special meaning, or with the meaning removed by a backslash; with or without case. */
const literalSource = /^(\(\?i\))?((?:[^\\.+*?()|[\]{}^$\u0080-\uffff]|\\[\\.+*?()|[\]{}^$])+)$/;

/**
 * A search field searches for literal text. The JavaScript engine finds it many times faster than RE2JS, in linear time
 * too, and folds the case of ASCII letters in the same way: k is also the Kelvin sign, s the long s.
 */
function literalTest(source: string): RegExp | undefined {
  const [, ignoresCase, text] = literalSource.exec(source) ?? [];
  return text === undefined ? undefined : new RegExp(text, ignoresCase ? 'iu' : 'u');
}

class CompiledRegex implements Regex {
  readonly source: string;
  readonly node: RegexNode;
  readonly weight: number;
  #postgres: string | undefined;
  #test: ((text: string) => boolean) | undefined;

  constructor(source: string, node: RegexNode) {
    this.source = source;
    this.node = node;
    this.weight = weighRegex(source, node);
  }

  get postgres(): string {
    this.#postgres ??= toPostgresRegex(this.node);
    return this.#postgres;
  }

  readonly test = (text: string): boolean => {
    this.#test ??= testOf(this.source);
    return this.#test(text);
  };
}

function testOf(source: string): (text: string) => boolean {
  const literal = literalTest(source);
  if (literal) return (text) => literal.test(text);
  const engine = RE2JS.compile(source);
  return (text) => engine.test(text);
}

/** Expensive checks come last: a request must not keep others waiting with patterns that are refused. */
function read(source: string, budget: RegexBudget): RegexNode {
  try {
    const { node: written, skeleton } = parseRegex(source);
    const node = simplifyRegex(written);
    if (!isAffordable(node)) throw new RegexProblem('is too complex: fewer or smaller repetitions, please');
    if (!budget.take(source, node)) throw tooHeavy();
    RE2JS.compile(skeleton);
    for (const set of setsOf(node)) if (set.kind === 'atom') rangesOf(set.atom, false);
    // RE2 looks for the end of a name such as [:alpha:] in the whole text, beyond the end of the class.
    if (source.includes('[:')) RE2JS.compile(source);
    return node;
  } catch (error) {
    if (error instanceof RE2JSException || error instanceof SyntaxError) {
      throw new RegexProblem(`is not RE2 syntax: ${error.message}`);
    }
    throw error;
  }
}

function tooHeavy(): RegexProblem {
  return new RegexProblem(
    'makes the patterns of the request too complex together: fewer or smaller character classes and repetitions, please',
  );
}
