import type { Field } from './fields.ts';
import type { Regex } from './regex/regex.ts';

/**
 * The frozen tree that a `where` is parsed into. `whereToSql` and `matches` are two interpretations of the same tree:
 * each supplies a `Target` for a field and a `Logic`, and an operator defines its meaning once, in terms of both.
 */
export type Where = Group | Condition;

/** `all` and `any` join with AND and OR, `none` with NOR. An empty `all` is true, an empty `any` false. */
export interface Group {
  readonly kind: 'all' | 'any' | 'none';
  readonly parts: readonly Where[];
}

export interface Condition {
  readonly kind: 'condition';
  /** The field as the caller wrote it. */
  readonly name: string;
  readonly field: Field;
  /** The key in the operator table; plain equality is `$eq`. */
  readonly operator: string;
  readonly operand: unknown;
  readonly evaluate: <T>(target: Target<T>, logic: Logic<T>) => T;
}

/**
 * A where with variables in it, such as `{"createdBy": "$auth.userId"}`. It is parsed once; `bindTemplate` makes a where
 * of it for the values that the variables have in a request.
 */
export type Template = TemplateGroup | Condition | OpenCondition | VariableCondition;

export interface TemplateGroup {
  readonly kind: Group['kind'];
  readonly parts: readonly Template[];
}

/** Whether a field is, or is not, one of some values, of which some are variables. */
export interface OpenCondition {
  readonly kind: 'open';
  readonly name: string;
  readonly field: Field;
  readonly isNegated: boolean;
  readonly elements: readonly (Variable | { readonly value: unknown })[];
}

interface Variable {
  readonly variable: string;
}

/** What is asked of a variable itself: `{"$auth.role": "user"}`. */
export interface VariableCondition {
  readonly kind: 'variable';
  readonly variable: string;
  readonly condition: Condition;
}

/**
 * A value to compare with. A string written for a date field has become a `date`. `value` of a date is epoch
 * milliseconds, `canonical` the text that `canonicalJson` gives for `value`.
 */
export type Literal =
  | { readonly kind: 'null' }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'date'; readonly value: number }
  | { readonly kind: 'pointer'; readonly className: string; readonly objectId: string }
  | { readonly kind: 'json'; readonly value: unknown; readonly canonical: string };

export type Comparison = '<' | '<=' | '>' | '>=';

/** The questions that can be asked of a field; the answer is SQL text or a boolean. */
export interface Target<T> {
  /** Missing or null. */
  isNull(): T;
  /** Equals one of them, or is an array that contains one of the scalars among them. A missing field equals null. */
  isOneOf(literals: readonly Literal[]): T;
  /** Same-type comparison; anything else, missing included, is false. */
  compare(comparison: Comparison, literal: Literal): T;
  /** A string in which the pattern is found. */
  isLike(regex: Regex): T;
}

export interface Logic<T> {
  not(part: T): T;
  all(parts: readonly T[]): T;
  any(parts: readonly T[]): T;
}

export interface OrderTerm {
  readonly name: string;
  readonly field: Field;
  readonly descending: boolean;
}

/** Sort keys, the most significant first. The last one is always `objectId`, so the order is total. */
export type Order = readonly OrderTerm[];

/** Interprets a `where` with the given meaning of fields and logic. */
export function foldWhere<T>(where: Where, target: (condition: Condition) => Target<T>, logic: Logic<T>): T {
  if (where.kind === 'condition') return where.evaluate(target(where), logic);
  const parts = where.parts.map((part) => foldWhere(part, target, logic));
  if (where.kind === 'all') return logic.all(parts);
  return where.kind === 'any' ? logic.any(parts) : logic.not(logic.any(parts));
}
