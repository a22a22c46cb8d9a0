/**
 * SQL text with its parameters kept apart. Values can only travel as parameters; only another fragment or `raw` can put
 * text into a statement, so an injection would have to be written by hand.
 */
export type SqlValue = string | number | null;
/** A list is one parameter too, if the dialect passes the rows of a `RowsStatement` by column. */
export type SqlParameter = SqlValue | readonly SqlValue[];

export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly SqlParameter[];

  /** `strings` has one element more than `values`; value i belongs between strings i and i + 1. */
  constructor(strings: readonly string[], values: readonly SqlParameter[]) {
    this.strings = strings;
    this.values = values;
  }
}

/**
 * `` sql`select … where id = ${id} and ${condition}` ``: a nested fragment is spliced in; anything else is a parameter.
 */
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

/** The program's own text, such as a column name. Never pass anything that came from a request. */
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
