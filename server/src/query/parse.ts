import { isObject } from '../base/is-object.ts';
import type { Condition, Group, Where } from './ast.ts';
import { type Field, type FieldLookup, findField } from './fields.ts';
import { findJsonProblem } from './json.ts';
import { companions, operators } from './operators.ts';
import { Problems, refuseQuery } from './problems.ts';
import { RegexBudget } from './regex/regex-cost.ts';

/** Bytes of UTF-8. */
export const maxWhereLength = 8192;
/** Where-objects nested through `$or`, `$and` and `$nor`; the outermost is the first. */
export const maxWhereDepth = 16;
export const maxConditions = 256;
export const maxAlternatives = 32;

/** Two levels of JSON for each level of `$or`, 16 for a value inside, and room for the operator and its list. */
const maxJsonDepth = 2 * maxWhereDepth + 20;

const groups: ReadonlyMap<string, Group['kind']> = new Map([
  ['$or', 'any'],
  ['$and', 'all'],
  ['$nor', 'none'],
]);

interface Parser {
  readonly fields: FieldLookup;
  readonly problems: Problems;
  readonly patterns: RegexBudget;
  conditions: number;
}

/**
 * Parses the query parameter `where`. Undefined (no parameter) and `{}` give undefined: no condition.
 *
 * Throws InvalidQuery with all problems as `details`. Of duplicate keys the last one counts, as everywhere in JSON.
 */
export function parseWhere(text: unknown, fields: FieldLookup): Where | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== 'string') throw refuseQuery('where', 'must be given once');
  if (Buffer.byteLength(text) > maxWhereLength) throw tooLong();
  return parseObject(parseJson(text), fields);
}

/** The same for a where that is a member of a body; its length is that of its shortest JSON text. */
export function parseWhereValue(value: unknown, fields: FieldLookup): Where | undefined {
  if (value === undefined) return undefined;
  const problem = findJsonProblem(value, maxJsonDepth);
  if (problem !== undefined) throw refuseQuery('where', problem);
  if (Buffer.byteLength(JSON.stringify(value)) > maxWhereLength) throw tooLong();
  return parseObject(value, fields);
}

function tooLong(): Error {
  return refuseQuery('where', `is longer than ${maxWhereLength} bytes`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuseQuery('where', 'is not JSON');
  }
}

function parseObject(value: unknown, fields: FieldLookup): Where | undefined {
  const problem = findJsonProblem(value, maxJsonDepth);
  if (problem !== undefined) throw refuseQuery('where', problem);
  const parser: Parser = { fields, problems: new Problems(), patterns: new RegexBudget(), conditions: 0 };
  const where = parseLevel(parser, value, 'where', 1);
  parser.problems.throwIfAny();
  return where.parts.length === 0 ? undefined : where;
}

/** One where-object: its keys are joined by AND. */
function parseLevel(parser: Parser, value: unknown, at: string, depth: number): Group {
  if (!isObject(value)) throw refuseQuery(at, 'must be a JSON object');
  if (depth > maxWhereDepth) throw refuseQuery(at, `is nested more than ${maxWhereDepth} levels deep`);
  const parts: Where[] = [];
  for (const [key, operand] of Object.entries(value)) {
    if (key.startsWith('$')) parts.push(...parseGroup(parser, key, operand, depth));
    else parts.push(...parseField(parser, key, operand));
  }
  return group('all', parts);
}

function group(kind: Group['kind'], parts: Where[]): Group {
  return Object.freeze({ kind, parts: Object.freeze(parts) });
}

function parseGroup(parser: Parser, key: string, value: unknown, depth: number): Where[] {
  const kind = groups.get(key);
  if (kind === undefined) {
    parser.problems.add(key, `is not known here; allowed are fields and ${[...groups.keys()].join(', ')}`);
    return [];
  }
  if (!Array.isArray(value) || value.length === 0 || value.length > maxAlternatives) {
    parser.problems.add(key, `takes an array of 1 to ${maxAlternatives} where-objects`);
    return [];
  }
  return [
    group(
      kind,
      value.map((element) => parseLevel(parser, element, key, depth + 1)),
    ),
  ];
}

function parseField(parser: Parser, name: string, value: unknown): Condition[] {
  const field = findField(parser.fields, name);
  if (field === undefined) {
    parser.problems.add(name, 'is not a field that can be asked for');
    return [];
  }
  const conditions: Condition[] = [];
  for (const [operator, operand] of listOperators(parser, name, value)) {
    if (++parser.conditions > maxConditions) throw refuseQuery('where', `has more than ${maxConditions} conditions`);
    const condition = parseCondition(parser, { name, field }, operator, { operand, beside: value });
    if (condition !== undefined) conditions.push(condition);
  }
  return conditions;
}

/**
 * An object with a member `$…` is a set of operators, and all its members have to be operators; everything else is a
 * value.
 */
function listOperators(parser: Parser, name: string, value: unknown): (readonly [string, unknown])[] {
  if (!isObject(value)) return [['$eq', value]];
  const keys = Object.keys(value);
  if (!keys.some((key) => key.startsWith('$'))) return [['$eq', value]];
  const wrong = keys.filter((key) => !operators.has(key) && !isCompanion(key, keys));
  for (const key of wrong) parser.problems.add(name, describeWrongKey(key));
  return keys.filter((key) => operators.has(key)).map((key) => [key, value[key]]);
}

function isCompanion(key: string, beside: readonly string[]): boolean {
  const of = companions.get(key);
  return of !== undefined && beside.includes(of);
}

function describeWrongKey(key: string): string {
  if (!key.startsWith('$')) return `mixes operators with the member ${JSON.stringify(key.slice(0, 64))}`;
  const of = companions.get(key);
  if (of !== undefined) return `has ${key} without ${of}`;
  return `has the unknown operator ${JSON.stringify(key.slice(0, 64))}; allowed are ${[...operators.keys()].join(', ')}`;
}

function parseCondition(
  parser: Parser,
  named: { readonly name: string; readonly field: Field },
  key: string,
  written: { readonly operand: unknown; readonly beside: unknown },
): Condition | undefined {
  const operator = operators.get(key);
  if (operator === undefined) return undefined;
  const companion =
    operator.companion !== undefined && isObject(written.beside) && Object.hasOwn(written.beside, operator.companion)
      ? written.beside[operator.companion]
      : undefined;
  const parsed = operator.parse(written.operand, { field: named.field, companion, patterns: parser.patterns });
  if ('problem' in parsed) return parser.problems.add(named.name, `${key} ${parsed.problem}`);
  return Object.freeze({ kind: 'condition', ...named, operator: key, ...parsed.value });
}
