import type { Order, OrderTerm } from './ast.ts';
import { type FieldLookup, findField } from './fields.ts';
import { refuseQuery } from './problems.ts';
import { joinSql, raw, type Sql, sql } from './sql.ts';
import { jsonColumnOf, sqlTarget } from './sql-target.ts';
import type { WhereDialect } from './where-dialect.ts';

export type { Order, OrderTerm } from './ast.ts';

const maxOrderTerms = 4;

/**
 * Parses the query parameter `order`: fields joined by commas, each with `-` in front for descending. If it is absent,
 * `fallback` applies, which has the same form; without that the oldest come first, since ids sort by creation. Ties
 * follow their objectId in the direction of the last field, so that an order and its reverse mirror each other and one
 * index serves both.
 *
 * `fields` has to know `objectId`.
 *
 * @throws QueryError
 */
export function parseOrder(text: unknown, fields: FieldLookup, fallback = 'objectId'): Order {
  const keys = readKeys(text ?? fallback, fields);
  const unique = keys.findIndex(({ name }) => name === 'objectId');
  if (unique >= 0) return Object.freeze(keys.slice(0, unique + 1));
  const field = fields('objectId');
  if (field === undefined) throw new Error('A list without objectId cannot be ordered.');
  keys.push(Object.freeze({ name: 'objectId', field, descending: keys.at(-1)?.descending ?? false }));
  return Object.freeze(keys);
}

function readKeys(text: unknown, fields: FieldLookup): OrderTerm[] {
  if (typeof text !== 'string') throw refuseQuery('order', 'must be given once');
  const names = text.split(',', maxOrderTerms + 1);
  if (names.length > maxOrderTerms) throw refuseQuery('order', `takes at most ${maxOrderTerms} fields`);
  return names.map((part) => readKey(part.trim(), fields));
}

function readKey(part: string, fields: FieldLookup): OrderTerm {
  const descending = part.startsWith('-');
  const name = descending ? part.slice(1) : part;
  const field = findField(fields, name);
  if (field === undefined) {
    throw refuseQuery('order', `names ${JSON.stringify(name.slice(0, 80))}, which is not a field of this list`);
  }
  return Object.freeze({ name, field, descending });
}

/** The text after ORDER BY. */
export function orderToSql(order: Order, dialect: WhereDialect): Sql {
  return joinSql(
    order.flatMap((term) => termToSql(term, dialect)),
    ', ',
  );
}

function termToSql(term: OrderTerm, dialect: WhereDialect): readonly Sql[] {
  const column = jsonColumnOf(term.field);
  const documents = column === undefined ? [] : [column];
  const direction = raw(term.descending ? ' desc' : ' asc');
  const nulls = isNullable(term) ? raw(term.descending ? ' nulls last' : ' nulls first') : raw('');
  return sqlTarget(term.field, documents, dialect).keys.map((expression) => {
    const guarded = documents.length === 0 ? expression : dialect.guard(expression, documents);
    return sql`${guarded}${direction}${nulls}`;
  });
}

/** Members that every record has. */
const alwaysSet: ReadonlySet<string> = new Set(['objectId', 'createdAt', 'updatedAt']);

/** Indexes of PostgreSQL keep nulls last and serve only an order that says so or does not mention nulls. */
function isNullable({ name, field }: OrderTerm): boolean {
  return field.from === 'column' && field.type !== 'json' && !field.isSet && !alwaysSet.has(name);
}
