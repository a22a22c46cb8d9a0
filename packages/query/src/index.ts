/** Queries as JSON: `parseWhere` reads one, `queryToSql` and `matchesRecord` carry it out. */
export type { Condition, Literal, Order, Template, Where } from './ast.ts';
export {
  type ColumnField,
  createFieldLookup,
  type Field,
  type FieldLookup,
  type FieldType,
  findField,
  type ListMember,
  type MemberField,
} from './fields.ts';
export { isoTime, parseInstant, readInstant } from './instant.ts';
export { isObject } from './is-object.ts';
export { canonicalJson, ownMember, readPath } from './json.ts';
export { readPointer } from './literals.ts';
export { compareByOrder, fieldReader, matches, matchesRecord, type ReadField } from './match.ts';
export { operators } from './operators.ts';
export { orderToSql, parseOrder } from './order.ts';
export { type Page, parsePage } from './page.ts';
export { parseTemplate, parseWhere, parseWhereValue } from './parse.ts';
export { type Problem, Problems, QueryError, refuseQuery } from './problems.ts';
export { compileRegex } from './regex/regex.ts';
export { jsonColumnOf, slotOf } from './sql-target.ts';
export { bindTemplate, isAlways, isNever, joinWheres, never, type VariableValues } from './template/template.ts';
export { queryToSql, readsColumns, recordToSql, whereToSql } from './to-sql.ts';
export type { JsonPlace, WhereDialect } from './where-dialect.ts';
