import type { Comparison, Condition, Literal, Logic, Target } from './ast.ts';
import type { Field } from './fields.ts';
import { type Parsed, parseLiteral, parseLiterals } from './literals.ts';
import { compileRegex, maxRegexLength, type Regex, RegexProblem } from './regex/regex.ts';
import type { RegexBudget } from './regex/regex-cost.ts';

/** What the parser passes to an operator besides its operand. */
interface OperandContext {
  readonly field: Field;
  /** The operand of the operator's companion (`$options` of `$regex`), if there is one. */
  readonly companion: unknown;
  readonly patterns: RegexBudget;
}

/**
 * One operator. `parse` checks the operand; `means` states its meaning in terms of a field and of logic, and is
 * interpreted both as SQL and as a match in memory.
 */
interface Row<Operand> {
  /** How an index can serve the condition: finding one value, or a range of them. */
  readonly lookup?: 'value' | 'range';
  /** A second key that belongs to the operator. */
  readonly companion?: string;
  parse(operand: unknown, context: OperandContext): Parsed<Operand>;
  means<T>(target: Target<T>, logic: Logic<T>, operand: Operand): T;
}

export interface Operator {
  readonly lookup?: 'value' | 'range';
  readonly companion?: string;
  parse(operand: unknown, context: OperandContext): Parsed<Pick<Condition, 'operand' | 'evaluate'>>;
}

/** Hides the operand's type, which only the row itself has to know. */
function operator<Operand>(row: Row<Operand>): Operator {
  const parse: Operator['parse'] = (operand, context) => {
    const parsed = row.parse(operand, context);
    if ('problem' in parsed) return parsed;
    return { value: { operand: parsed.value, evaluate: (target, logic) => row.means(target, logic, parsed.value) } };
  };
  return Object.freeze({ lookup: row.lookup, companion: row.companion, parse });
}

function parseOne(operand: unknown, { field }: OperandContext): Parsed<Literal> {
  return parseLiteral(operand, field);
}

function parseList(operand: unknown, { field }: OperandContext): Parsed<readonly Literal[]> {
  return parseLiterals(operand, field);
}

/**
 * Only numbers, strings and dates have an order; `$gt: null` and the like are refused as mistakes instead of matching
 * nothing.
 */
function parseBound(operand: unknown, { field }: OperandContext): Parsed<Literal> {
  const parsed = parseLiteral(operand, field);
  if ('problem' in parsed || ['number', 'string', 'date'].includes(parsed.value.kind)) return parsed;
  return { problem: 'takes a number, a string or a date' };
}

/** An empty list is refused: some would expect "has all of nothing" to match everything, others nothing. */
function parseScalars(operand: unknown, { field }: OperandContext): Parsed<readonly Literal[]> {
  const parsed = parseLiterals(operand, field);
  if ('problem' in parsed) return parsed;
  if (parsed.value.length === 0) return { problem: 'takes at least one value' };
  const hasOther = parsed.value.some((literal) => literal.kind === 'json');
  return hasOther ? { problem: 'takes strings, numbers, booleans and null' } : parsed;
}

function parseBoolean(operand: unknown): Parsed<boolean> {
  return typeof operand === 'boolean' ? { value: operand } : { problem: 'takes true or false' };
}

function parsePattern(operand: unknown, { companion = '', patterns }: OperandContext): Parsed<Regex> {
  if (typeof operand !== 'string') return { problem: 'takes a regular expression as a string' };
  if ([...operand].length > maxRegexLength) return { problem: `takes at most ${maxRegexLength} characters` };
  if (typeof companion !== 'string' || !/^[ims]{0,3}$/.test(companion)) {
    return { problem: 'knows the $options i, m and s' };
  }
  try {
    return { value: compileRegex(companion === '' ? operand : `(?${companion})${operand}`, patterns) };
  } catch (error) {
    if (error instanceof RegexProblem) return { problem: error.message };
    throw error;
  }
}

function range(comparison: Comparison): Operator {
  return operator({
    lookup: 'range',
    parse: parseBound,
    means: (target, _logic, literal) => target.compare(comparison, literal),
  });
}

/** All operators. `{key: value}` means `{key: {$eq: value}}`. A missing member equals null everywhere. */
export const operators: ReadonlyMap<string, Operator> = new Map([
  [
    '$eq',
    operator({ lookup: 'value', parse: parseOne, means: (target, _logic, literal) => target.isOneOf([literal]) }),
  ],
  ['$ne', operator({ parse: parseOne, means: (target, logic, literal) => logic.not(target.isOneOf([literal])) })],
  ['$lt', range('<')],
  ['$lte', range('<=')],
  ['$gt', range('>')],
  ['$gte', range('>=')],
  ['$in', operator({ parse: parseList, means: (target, _logic, literals) => target.isOneOf(literals) })],
  ['$nin', operator({ parse: parseList, means: (target, logic, literals) => logic.not(target.isOneOf(literals)) })],
  [
    '$all',
    operator({
      parse: parseScalars,
      means: (target, logic, literals) => logic.all(literals.map((literal) => target.isOneOf([literal]))),
    }),
  ],
  [
    '$exists',
    operator({
      parse: parseBoolean,
      means: (target, logic, exists) => (exists ? logic.not(target.isNull()) : target.isNull()),
    }),
  ],
  [
    '$regex',
    operator({
      companion: '$options',
      parse: parsePattern,
      means: (target, _logic, regex) => target.isLike(regex),
    }),
  ],
]);

/** Keys that accompany an operator and are not operators themselves. */
export const companions: ReadonlyMap<string, string> = new Map(
  [...operators].flatMap(([name, { companion }]) => (companion === undefined ? [] : [[companion, name]])),
);
