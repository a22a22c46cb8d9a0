import type { JsonInput, JsonObject } from './wire.ts';

/** The members of a record, and anything below one: `metadata.age`. */
export type FieldOf<T> = (keyof T & string) | `${keyof T & string}.${string}`;

/** A moment, which the where-language accepts as a Date besides ISO 8601 text. */
export type Instant = Date | { readonly __type: 'Date'; readonly iso: string };

/** The type that a field is compared with; a member further down can be anything. Times are text on the wire. */
export type ValueOf<T, F extends string> = F extends keyof T
  ? NonNullable<T[F]> | (string extends T[F] ? Instant : never) | null
  : unknown;

type Ordered<V> = unknown extends V ? number | string | Instant : Extract<V, number | string | Instant>;

interface Condition {
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
}

/**
 * Conditions that a record has to meet, all of them. Each method returns a new object, so that a part can be used
 * twice; `JSON.stringify` and `toJSON` give the plain object that the service understands.
 */
// biome-ignore lint/suspicious/noExplicitAny: a filter on records that nobody has described takes every field
export class Where<T = any> {
  readonly #conditions: readonly Condition[];
  readonly #groups: readonly JsonObject[];

  constructor(conditions: readonly Condition[] = [], groups: readonly JsonObject[] = []) {
    this.#conditions = conditions;
    this.#groups = groups;
  }

  /** A list member equals a value that it contains. A missing member equals null. */
  equals<F extends FieldOf<T>>(field: F, value: ValueOf<T, F>): Where<T> {
    return this.#with(field, '$eq', value);
  }
  notEquals<F extends FieldOf<T>>(field: F, value: ValueOf<T, F>): Where<T> {
    return this.#with(field, '$ne', value);
  }
  lessThan<F extends FieldOf<T>>(field: F, value: Ordered<ValueOf<T, F>>): Where<T> {
    return this.#with(field, '$lt', value);
  }
  atMost<F extends FieldOf<T>>(field: F, value: Ordered<ValueOf<T, F>>): Where<T> {
    return this.#with(field, '$lte', value);
  }
  greaterThan<F extends FieldOf<T>>(field: F, value: Ordered<ValueOf<T, F>>): Where<T> {
    return this.#with(field, '$gt', value);
  }
  atLeast<F extends FieldOf<T>>(field: F, value: Ordered<ValueOf<T, F>>): Where<T> {
    return this.#with(field, '$gte', value);
  }
  isOneOf<F extends FieldOf<T>>(field: F, values: readonly ValueOf<T, F>[]): Where<T> {
    return this.#with(field, '$in', values);
  }
  isNoneOf<F extends FieldOf<T>>(field: F, values: readonly ValueOf<T, F>[]): Where<T> {
    return this.#with(field, '$nin', values);
  }
  /** A list member that contains all of them. */
  containsAll<F extends FieldOf<T>>(field: F, values: readonly unknown[]): Where<T> {
    return this.#with(field, '$all', values);
  }
  exists<F extends FieldOf<T>>(field: F, isThere = true): Where<T> {
    return this.#with(field, '$exists', isThere);
  }
  /** A regular expression (RE2), not anchored; `(?i)` at its start ignores case. */
  matches<F extends FieldOf<T>>(field: F, pattern: string): Where<T> {
    return this.#with(field, '$regex', pattern);
  }
  /** The literal text, without special characters. */
  contains<F extends FieldOf<T>>(field: F, text: string, { ignoreCase = true } = {}): Where<T> {
    return this.matches(field, (ignoreCase ? '(?i)' : '') + literalPattern(text));
  }
  startsWith<F extends FieldOf<T>>(field: F, text: string, { ignoreCase = false } = {}): Where<T> {
    return this.matches(field, `${ignoreCase ? '(?i)' : ''}^${literalPattern(text)}`);
  }

  /** At least one of the alternatives has to hold, in addition to everything else. */
  or(...alternatives: readonly (Where<T> | JsonInput)[]): Where<T> {
    return this.#group('$or', alternatives);
  }
  /** None of them may hold. */
  nor(...alternatives: readonly (Where<T> | JsonInput)[]): Where<T> {
    return this.#group('$nor', alternatives);
  }

  toJSON(): JsonObject {
    const fields: Record<string, Record<string, unknown>> = Object.create(null);
    const rest: JsonObject[] = [];
    for (const { field, operator, value } of this.#conditions) {
      const known = fields[field];
      if (known && operator in known) rest.push({ [field]: { [operator]: value } });
      else fields[field] = { ...known, [operator]: value };
    }
    const plain = Object.fromEntries(Object.entries(fields).map(([field, operators]) => [field, short(operators)]));
    const [first, ...others] = this.#groups;
    const all = [...rest, ...others];
    return { ...plain, ...first, ...(all.length > 0 ? { $and: all } : {}) };
  }

  #with(field: string, operator: string, value: unknown): Where<T> {
    return new Where<T>([...this.#conditions, { field, operator, value }], this.#groups);
  }

  #group(operator: '$or' | '$nor', alternatives: readonly (Where<T> | JsonInput)[]): Where<T> {
    // Not by instanceof: an app can contain the package twice.
    const plain = alternatives.map((one) => (typeof one.toJSON === 'function' ? one.toJSON() : one) as JsonObject);
    return new Where<T>(this.#conditions, [...this.#groups, { [operator]: plain }]);
  }
}

/**
 * `{field: value}` means the same as `{field: {$eq: value}}`; for objects only the long form can be distinguished from
 * operators.
 */
function short(operators: Readonly<Record<string, unknown>>): unknown {
  const { $eq, ...others } = operators;
  const isPlain = '$eq' in operators && Object.keys(others).length === 0;
  return isPlain && (typeof $eq !== 'object' || $eq === null) ? $eq : operators;
}

/** A regular expression that matches the text itself. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Starts a filter: `where<Beacon>().greaterThan('major', 3).or(where().equals('metadata.floor', 1), …)`. */
// biome-ignore lint/suspicious/noExplicitAny: see Where
export const where = <T = any>(): Where<T> => new Where<T>();
