import { joinSql, raw, type Sql, sql } from '../../base/sql.ts';

/** The placeholder of the parameter at a position, counted from 1. */
export const placeholder = (position: number) => `$${position}`;

/** More parts would make more different texts, and long ones. */
const mostTogether = 12;

/**
 * Joins statements into one: each becomes a part of a WITH, which PostgreSQL runs to its end whether or not it is read.
 * All of them see the data as it was before.
 */
export function together(statements: readonly Sql[]): Sql[] {
  const joined: Sql[] = [];
  for (let start = 0; start < statements.length; start += mostTogether) {
    const part = statements.slice(start, start + mostTogether);
    const last = part.pop() as Sql;
    const named = part.map((statement, index) => sql`${raw(`part${index}`)} as (${statement})`);
    joined.push(named.length === 0 ? last : sql`with ${joinSql(named, ', ')} ${last}`);
  }
  return joined;
}
