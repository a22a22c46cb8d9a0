/**
 * SQL text with its parameters kept apart. Values can only travel as parameters; nothing but another fragment or
 * `raw` puts text into a statement, so an injection would have to be written by hand.
 */
export type SqlValue = string | number | null;
/** A list is one parameter too, where the dialect passes the rows of a `RowsStatement` by column. */
export type SqlParameter = SqlValue | readonly SqlValue[];

export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly SqlParameter[];

  /** `strings` has one element more than `values`; value i stands between strings i and i + 1. */
  constructor(strings: readonly string[], values: readonly SqlParameter[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** `` sql`select … where id = ${id} and ${condition}` ``: a nested fragment is spliced in, anything else is a parameter. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  if (!parts.some((part) => part instanceof Sql)) return new Sql(strings, parts as readonly SqlValue[]);
  const texts: string[] = [strings[0] ?? ''];
  const values: SqlParameter[] = [];
  parts.forEach((part, index) => {
    appendPart(texts, values, part);
    texts[texts.length - 1] += strings[index + 1] ?? '';
  });
  return new Sql(texts, values);
}

function appendPart(texts: string[], values: SqlParameter[], part: SqlValue | Sql): void {
  if (!(part instanceof Sql)) {
    values.push(part);
    texts.push('');
    return;
  }
  texts[texts.length - 1] += part.strings[0] ?? '';
  for (let index = 0; index < part.values.length; index++) {
    values.push(part.values[index] ?? null);
    texts.push(part.strings[index + 1] ?? '');
  }
}

/** Text of the program's own, such as a column name. Never pass anything that came from a request. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

export function joinSql(fragments: readonly Sql[], separator: string): Sql {
  const texts: string[] = [''];
  const values: SqlParameter[] = [];
  fragments.forEach((fragment, index) => {
    if (index > 0) texts[texts.length - 1] += separator;
    appendPart(texts, values, fragment);
  });
  return new Sql(texts, values);
}

/** The text of a statement, with the placeholder that the dialect gives the parameter at each position (from 1). */
export function renderSql(statement: Sql, placeholder: (position: number) => string): string {
  let text = statement.strings[0] ?? '';
  for (let index = 1; index < statement.strings.length; index++) {
    text += placeholder(index) + statement.strings[index];
  }
  return text;
}

/**
 * Makes something of a statement's text and remembers it for the literals of the program, so that their text is neither
 * put together nor looked up again. Fragments that were joined are made anew each time.
 */
export function perLiteral<T>(make: (statement: Sql) => T): (statement: Sql) => T {
  const made = new WeakMap<readonly string[], T>();
  return (statement) => {
    const known = made.get(statement.strings);
    if (known !== undefined) return known;
    const value = make(statement);
    // Only what a template literal consists of is frozen, and what somebody else has frozen to be remembered.
    if (Object.isFrozen(statement.strings)) made.set(statement.strings, value);
    return value;
  };
}

/**
 * Statements whose text depends on few things, such as how many rows are inserted: the text is put together once for each
 * `shape`, and is then known to `perLiteral` like a literal of the program. The shapes must be few; nothing from a request
 * may be part of one.
 */
export class Shapes {
  readonly #known = new Map<string, readonly string[]>();

  /** `values` are those of `make`, in the same order. */
  of(shape: string, values: readonly SqlParameter[], make: () => Sql): Sql {
    let strings = this.#known.get(shape);
    if (!strings) {
      strings = Object.freeze([...make().strings]);
      this.#known.set(shape, strings);
    }
    return new Sql(strings, values);
  }
}
