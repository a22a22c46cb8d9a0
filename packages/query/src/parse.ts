import type { Condition, Group, OpenCondition, Template, TemplateGroup, VariableCondition, Where } from './ast.ts';
import { type Field, type FieldLookup, findField } from './fields.ts';
import { isObject } from './is-object.ts';
import { byteLength, findJsonProblem } from './json.ts';
import { maxListLength, parseLiteral } from './literals.ts';
import { companions, operators } from './operators.ts';
import { Problems, refuseQuery } from './problems.ts';
import { RegexBudget } from './regex/regex-cost.ts';

/** Bytes of UTF-8. */
const maxWhereLength = 8192;
/** Where-objects nested through `$or`, `$and` and `$nor`; the outermost is the first. */
const maxWhereDepth = 16;
const maxConditions = 256;
const maxAlternatives = 32;

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
  /** Names such as `$auth.userId` that may stand for values; none in what clients send. */
  readonly variables: ReadonlySet<string>;
}

const noVariables: ReadonlySet<string> = new Set();

/**
 * Parses the query parameter `where`. Undefined (no parameter) and `{}` give undefined: no condition.
 *
 * Of duplicate keys the last one counts, as everywhere in JSON.
 *
 * @throws QueryError with all problems as `details`
 */
export function parseWhere(text: unknown, fields: FieldLookup): Where | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== 'string') throw refuseQuery('where', 'must be given once');
  if (byteLength(text) > maxWhereLength) throw tooLong();
  return parseObject(parseJson(text), fields);
}

/** Parses a where that is a member of a body; its length is that of its shortest JSON text. */
export function parseWhereValue(value: unknown, fields: FieldLookup): Where | undefined {
  if (value === undefined) return undefined;
  const problem = findJsonProblem(value, maxJsonDepth);
  if (problem !== undefined) throw refuseQuery('where', problem);
  if (byteLength(JSON.stringify(value)) > maxWhereLength) throw tooLong();
  return parseObject(value, fields);
}

/**
 * The same with variables in it: as the value of `$eq`, `$ne`, `$in` and `$nin`, and in the place of a field.
 *
 * @throws QueryError
 */
export function parseTemplate(value: unknown, fields: FieldLookup, variables: ReadonlySet<string>): Template {
  if (byteLength(JSON.stringify(value) ?? '') > maxWhereLength) throw tooLong();
  return parseTree(value, fields, variables);
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
  // Without variables nothing is left to bind.
  const where = parseTree(value, fields, noVariables) as Group;
  return where.parts.length === 0 ? undefined : where;
}

function parseTree(value: unknown, fields: FieldLookup, variables: ReadonlySet<string>): TemplateGroup {
  const problem = findJsonProblem(value, maxJsonDepth);
  if (problem !== undefined) throw refuseQuery('where', problem);
  const parser: Parser = { fields, problems: new Problems(), patterns: new RegexBudget(), conditions: 0, variables };
  const tree = parseLevel(parser, value, 'where', 1);
  parser.problems.throwIfAny();
  return tree;
}

/** One where-object: its keys are joined by AND. */
function parseLevel(parser: Parser, value: unknown, at: string, depth: number): TemplateGroup {
  if (!isObject(value)) throw refuseQuery(at, 'must be a JSON object');
  if (depth > maxWhereDepth) throw refuseQuery(at, `is nested more than ${maxWhereDepth} levels deep`);
  const parts: Template[] = [];
  for (const [key, operand] of Object.entries(value)) {
    if (parser.variables.has(key)) parts.push(...parseVariable(parser, key, operand));
    else if (key.startsWith('$')) parts.push(...parseGroup(parser, key, operand, depth));
    else parts.push(...parseField(parser, key, operand));
  }
  return group('all', parts);
}

function group(kind: Group['kind'], parts: Template[]): TemplateGroup {
  return Object.freeze({ kind, parts: Object.freeze(parts) });
}

function parseGroup(parser: Parser, key: string, value: unknown, depth: number): Template[] {
  const kind = groups.get(key);
  if (kind === undefined) {
    const known = [...groups.keys(), ...parser.variables];
    parser.problems.add(key, `is not known here; allowed are fields and ${known.join(', ')}`);
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

function parseField(parser: Parser, name: string, value: unknown): (Condition | OpenCondition)[] {
  const field = findField(parser.fields, name);
  if (field === undefined) {
    parser.problems.add(name, 'is not a field that can be asked for');
    return [];
  }
  return parseConditions(parser, name, field, value);
}

/** A variable's own value, of whatever type it is. */
const variableField: Field = Object.freeze({ from: 'member', column: '', path: Object.freeze(['variable']) });

function parseVariable(parser: Parser, variable: string, value: unknown): VariableCondition[] {
  return parseConditions(parser, variable, variableField, value).flatMap((condition) => {
    if (condition.kind === 'condition') return [Object.freeze({ kind: 'variable', variable, condition })];
    parser.problems.add(variable, 'cannot be compared with another variable');
    return [];
  });
}

function parseConditions(parser: Parser, name: string, field: Field, value: unknown): (Condition | OpenCondition)[] {
  const conditions: (Condition | OpenCondition)[] = [];
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
): Condition | OpenCondition | undefined {
  const operator = operators.get(key);
  if (operator === undefined) return undefined;
  if (mentionsVariable(parser, written.operand)) return parseOpen(parser, named, key, written.operand);
  const companion =
    operator.companion !== undefined && isObject(written.beside) && Object.hasOwn(written.beside, operator.companion)
      ? written.beside[operator.companion]
      : undefined;
  const parsed = operator.parse(written.operand, { field: named.field, companion, patterns: parser.patterns });
  if ('problem' in parsed) return parser.problems.add(named.name, `${key} ${parsed.problem}`);
  return Object.freeze({ kind: 'condition', ...named, operator: key, ...parsed.value });
}

const isVariable = (parser: Parser, value: unknown): value is string =>
  typeof value === 'string' && parser.variables.has(value);

/** Anything that begins like a variable, at any depth, so that a misspelt one is refused and not taken for a text. */
function mentionsVariable(parser: Parser, value: unknown): boolean {
  if (parser.variables.size === 0) return false;
  if (typeof value === 'string') return /^\$[a-z]+\./i.test(value);
  if (Array.isArray(value)) return value.some((element) => mentionsVariable(parser, element));
  return isObject(value) && Object.values(value).some((member) => mentionsVariable(parser, member));
}

const lists: ReadonlyMap<string, boolean> = new Map([
  ['$in', false],
  ['$nin', true],
]);
const singles: ReadonlyMap<string, boolean> = new Map([
  ['$eq', false],
  ['$ne', true],
]);

function parseOpen(
  parser: Parser,
  { name, field }: { readonly name: string; readonly field: Field },
  key: string,
  operand: unknown,
): OpenCondition | undefined {
  const isNegated = lists.get(key) ?? singles.get(key);
  if (isNegated === undefined)
    return parser.problems.add(name, `${key} does not take variables; $eq, $ne, $in and $nin do`);
  const values = lists.has(key) ? operand : [operand];
  if (!Array.isArray(values)) return parser.problems.add(name, `${key} takes an array of values`);
  if (values.length > maxListLength) return parser.problems.add(name, `${key} takes at most ${maxListLength} values`);
  const elements: OpenCondition['elements'][number][] = [];
  for (const value of values) {
    if (isVariable(parser, value)) elements.push({ variable: value });
    else if (mentionsVariable(parser, value))
      return parser.problems.add(
        name,
        `takes the variables ${[...parser.variables].join(', ')}, each as a value of its own`,
      );
    else {
      const parsed = parseLiteral(value, field);
      if ('problem' in parsed) return parser.problems.add(name, `${key} ${parsed.problem}`);
      elements.push({ value });
    }
  }
  return Object.freeze({ kind: 'open', name, field, isNegated, elements: Object.freeze(elements) });
}
