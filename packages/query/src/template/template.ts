import type { Condition, Group, OpenCondition, Template, Where } from '../ast.ts';
import type { Field } from '../fields.ts';
import { maxListLength } from '../literals.ts';
import { matches } from '../match.ts';
import { operators } from '../operators.ts';
import { RegexBudget } from '../regex/regex-cost.ts';

/** What variables stand for in a request: a text or several; undefined is unknown. */
export type VariableValues = Readonly<Record<string, string | readonly string[] | undefined>>;

const always: Group = Object.freeze({ kind: 'all', parts: Object.freeze([]) });
export const never: Group = Object.freeze({ kind: 'any', parts: Object.freeze([]) });

export const isAlways = (where: Where) => where.kind === 'all' && where.parts.length === 0;
export const isNever = (where: Where) => where.kind === 'any' && where.parts.length === 0;

/**
 * The where for the values that the variables have. With an unknown one, what matches is what would match whatever its
 * value were: comparing with it is false, and under `$ne`, `$nin` and `$nor` it is false as well. Parts that are always
 * or never true are left out.
 */
export function bindTemplate(template: Template, values: VariableValues): Where {
  return bind(template, values, true);
}

/** `isWanted` is false inside an odd number of negations, where the unknown counts as true. */
function bind(template: Template, values: VariableValues, isWanted: boolean): Where {
  switch (template.kind) {
    case 'condition':
      return template;
    case 'open':
      return bindOpen(template, values, isWanted);
    case 'variable': {
      const { variable, condition } = template;
      const value = values[variable];
      if (value === undefined && condition.operator !== '$exists') return isWanted ? never : always;
      return matches(condition, () => value) ? always : never;
    }
    case 'all':
      return joinAll(template.parts.map((part) => bind(part, values, isWanted)));
    case 'any':
      return joinAny(template.parts.map((part) => bind(part, values, isWanted)));
    case 'none':
      return negate(joinAny(template.parts.map((part) => bind(part, values, !isWanted))));
  }
}

/** Both at once; undefined matches everything. */
export function joinWheres(first: Where | undefined, second: Where | undefined): Where | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return joinAll([first, second]);
}

function joinAll(parts: readonly Where[]): Where {
  if (parts.some(isNever)) return never;
  return join(
    'all',
    parts.filter((part) => !isAlways(part)),
  );
}

function joinAny(parts: readonly Where[]): Where {
  if (parts.some(isAlways)) return always;
  return join(
    'any',
    parts.filter((part) => !isNever(part)),
  );
}

function join(kind: 'all' | 'any', parts: readonly Where[]): Where {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 ? only : { kind, parts };
}

function negate(part: Where): Where {
  if (isAlways(part)) return never;
  return isNever(part) ? always : { kind: 'none', parts: [part] };
}

function bindOpen(
  { name, field, isNegated, elements }: OpenCondition,
  values: VariableValues,
  isWanted: boolean,
): Where {
  const known: unknown[] = [];
  let isUnknown = false;
  for (const element of elements) {
    if ('value' in element) known.push(element.value);
    else {
      const value = values[element.variable];
      if (value === undefined) isUnknown = true;
      else known.push(...[value].flat().map((text) => valueFor(field, text)));
    }
  }
  // Whether belonging to the list, and not the opposite, is what lets a record match.
  if (isUnknown && isWanted === isNegated) return isNegated ? never : always;
  if (known.length === 0) return isNegated ? always : never;
  // A variable may have more values than a list in a query may have.
  const lists = Array.from({ length: Math.ceil(known.length / maxListLength) }, (_, n) =>
    conditionOn(name, field, known.slice(n * maxListLength, (n + 1) * maxListLength), isNegated),
  );
  return isNegated ? joinAll(lists) : joinAny(lists);
}

/** None of these operators takes a pattern. */
const noPatterns = new RegexBudget();

/** A pointer is compared with the id that it holds. */
function valueFor(field: Field, text: string): unknown {
  if (field.from !== 'column' || field.type !== 'pointer') return text;
  return { __type: 'Pointer', className: field.className ?? '', objectId: text };
}

function conditionOn(name: string, field: Field, known: readonly unknown[], isNegated: boolean): Condition {
  const isOne = known.length === 1;
  const operator = isOne ? (isNegated ? '$ne' : '$eq') : isNegated ? '$nin' : '$in';
  const operand = isOne ? known[0] : known;
  const parsed = operators.get(operator)?.parse(operand, { field, companion: undefined, patterns: noPatterns });
  if (parsed === undefined || 'problem' in parsed) throw new Error(`${name} cannot be compared with a variable`);
  return { kind: 'condition', name, field, operator, ...parsed.value };
}
