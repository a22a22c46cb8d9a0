import { joinSql, Sql, type SqlParameter, type SqlValue, sql } from '@pharos/query/sql';

export { joinSql, raw, Sql, type SqlParameter, type SqlValue, sql } from '@pharos/query/sql';

/** Values, separated by commas. */
export const listSql = (values: readonly SqlValue[]): Sql =>
  joinSql(
    values.map((value) => sql`${value}`),
    ', ',
  );

const partLength = 50;

/** Values in lists of one length, so that the statements have one text: the last one is filled up with its first value. */
export function* listsSql(values: readonly string[]): Generator<Sql> {
  for (let start = 0; start < values.length; start += partLength) {
    const part = values.slice(start, start + partLength);
    yield listSql(Array.from({ length: partLength }, (_, place) => part[place] ?? part[0] ?? ''));
  }
}

/** The rows of several selects with the same columns, all of them. */
export const unionAll = (selects: readonly Sql[]): Sql =>
  joinSql(
    selects.map((select, place) => (place === 0 ? select : sql`union all ${select}`)),
    ' ',
  );

/** The statement with a text replaced in its values: built once, run for many records. */
export function replaceInValues({ strings, values }: Sql, text: string, by: string): Sql {
  const replace = <V extends SqlValue>(value: V) => {
    if (value === text) return by;
    return typeof value === 'string' && value.includes(text) ? value.replaceAll(text, by) : value;
  };
  return new Sql(
    strings,
    values.map((value) => (Array.isArray(value) ? value.map(replace) : replace(value as SqlValue))),
  );
}

/** The statement as `perLiteral` caches it, like a literal of the program. */
export const asLiteral = ({ strings, values }: Sql): Sql => new Sql(Object.freeze([...strings]), values);

/** The text of a statement, with the dialect's placeholder for the parameter at each position (from 1). */
export function renderSql(statement: Sql, placeholder: (position: number) => string): string {
  let text = statement.strings[0] ?? '';
  for (let index = 1; index < statement.strings.length; index++) {
    text += placeholder(index) + statement.strings[index];
  }
  return text;
}

/**
 * Derives something from a statement's text and remembers it for the program's literals, so that their text is neither
 * joined nor looked up again. Joined fragments are derived again each time.
 */
export function perLiteral<T>(make: (statement: Sql) => T): (statement: Sql) => T {
  const made = new WeakMap<readonly string[], T>();
  return (statement) => {
    const known = made.get(statement.strings);
    if (known !== undefined) return known;
    const value = make(statement);
    // Only the parts of a template literal are frozen, and what other code has frozen so that it is remembered.
    if (Object.isFrozen(statement.strings)) made.set(statement.strings, value);
    return value;
  };
}

/**
 * Statements whose text depends on few things, such as how many rows are inserted. The text is built once for each
 * `shape`, and `perLiteral` then knows it like a literal of the program. There must be few shapes; nothing from a
 * request may be part of one.
 */
export class Shapes {
  readonly #known = new Map<Shape, readonly string[]>();

  /**
   * Like `sql`, but the text is joined only for the first template of a shape. What is spliced in may differ in its
   * values alone.
   */
  template(shape: Shape): typeof sql {
    return (strings, ...parts) => {
      const known = this.#known.get(shape);
      return known ? new Sql(known, valuesOf(parts)) : this.#remember(shape, sql(strings, ...parts));
    };
  }

  /**
   * `values` are those of `make`, in the same order; where they are put together elsewhere, `make` has null in their place.
   *
   * @throws Error for a first statement of a shape whose values are others
   */
  of(shape: string, values: readonly SqlParameter[], make: () => Sql): Sql {
    const known = this.#known.get(shape);
    if (known) return new Sql(known, values);
    const made = make();
    const differs = made.values.some((value, index) => value !== null && value !== values[index]);
    if (differs || made.values.length !== values.length)
      throw new Error(`The values of a statement do not follow its text: ${made.strings.join('?')}`);
    return new Sql(this.#remember(shape, made).strings, values);
  }

  #remember(shape: Shape, { strings, values }: Sql): Sql {
    const known = Object.freeze([...strings]);
    this.#known.set(shape, known);
    return new Sql(known, values);
  }
}

/** A place in a statement for a value that each request fills in. */
export const hole = (): Sql => new Sql(['', ''], [Object.freeze([])]);

/** A statement whose text is joined once, and known to `perLiteral` like a literal of the program. */
export class Prepared {
  readonly #strings: readonly string[];
  /** Each value, or which of the holes it fills. */
  readonly #values: readonly (number | { readonly is: SqlParameter })[];

  constructor({ strings, values }: Sql, holes: readonly Sql[]) {
    const places = new Map(holes.map(({ values: [value] }, place) => [value, place]));
    this.#strings = Object.freeze([...strings]);
    this.#values = values.map((is) => places.get(is) ?? { is });
  }

  /** The statement with these values, in the order of its holes. */
  fill(given: readonly SqlParameter[]): Sql {
    const values = this.#values.map((value) => (typeof value === 'number' ? (given[value] ?? null) : value.is));
    return new Sql(this.#strings, values);
  }
}

/** What tells statements apart: a text, or the strings of a literal of the program, which need not be joined and hashed. */
export type Shape = string | readonly string[];

/** The shape of statements that differ in the text of one fragment. */
export const shapeOf = ({ strings }: Sql): Shape => (Object.isFrozen(strings) ? strings : strings.join('?'));

function valuesOf(parts: readonly (SqlValue | Sql)[]): SqlParameter[] {
  const values: SqlParameter[] = [];
  for (const part of parts)
    if (part instanceof Sql) values.push(...part.values);
    else values.push(part);
  return values;
}
