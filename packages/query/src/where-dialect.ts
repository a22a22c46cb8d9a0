import type { Literal } from './ast.ts';
import type { Regex } from './regex/regex.ts';
import type { Sql } from './sql.ts';

/** A location in a JSON document: an expression for the whole document, and the path of members from its root. */
export interface JsonPlace {
  readonly document: Sql;
  readonly path: readonly string[];
}

/**
 * The differences between the two databases in a `where` or an `order`. Every member returns an SQL expression; NULL as
 * a condition counts as false. `as…` expressions are NULL if the value is missing, null or of another type.
 */
export interface WhereDialect {
  /** The parsed JSON of `column`, for use inside the `guard` that gets it as its element `index`. */
  document(column: string, index: number): Sql;
  /**
   * Evaluates an expression over JSON columns once per row: parses each column once, and stops a query past its
   * deadline.
   */
  guard(expression: Sql, columns: readonly string[]): Sql;
  /** The value is missing or null. */
  isNull(place: JsonPlace): Sql;
  /** The value is one of these strings, numbers, booleans and nulls, or is an array that contains one of them. */
  holdsOneOf(place: JsonPlace, literals: readonly Literal[]): Sql;
  /** The value is an object or array equal to this one; `canonical` is its `canonicalJson`. */
  equalsJson(place: JsonPlace, canonical: string): Sql;
  /** 0 or 1. */
  asBoolean(place: JsonPlace): Sql;
  /** A double. */
  asNumber(place: JsonPlace): Sql;
  /** Text that compares by code point. */
  asString(place: JsonPlace): Sql;
  /** Epoch milliseconds of a Date object and, with `strings`, of an ISO string. */
  asInstant(place: JsonPlace, strings: boolean): Sql;
  /** The `canonicalJson` of an object or array, comparing by code point. */
  asJson(place: JsonPlace): Sql;
  /** The column has one of the values that `rows` selects, so that an index on the column leads to them. */
  isAmongRows(column: Sql, rows: Sql): Sql;
  /** The text contains a match of the pattern. */
  isLike(text: Sql, regex: Regex): Sql;
  /** A text column as an expression that compares by code point. */
  byCodePoint(text: Sql): Sql;
  /** A number (−Infinity included) as a parameter that compares with integer and double columns alike. */
  number(value: number): Sql;
}
