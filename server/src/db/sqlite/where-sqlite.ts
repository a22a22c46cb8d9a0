import type { JsonPlace, Literal, WhereDialect } from '@pharos/query';
import { joinSql, raw, type Sql, sql } from '../../base/sql.ts';

/** SQLite's own JSON functions, and the functions that `registerSqliteFunctions` adds. */
export const sqliteWhere: WhereDialect = {
  document: (column) => raw(column),
  // SQLite itself keeps a parsed document for the rest of the row.
  guard: (expression) => sql`case when pharos_alive() then ${expression} end`,
  isNull: (place) => sql`coalesce(${typeOf(place)}, 'null') = 'null'`,
  holdsOneOf,
  equalsJson: (place, canonical) => sql`${asJson(place)} = ${canonical}`,
  asBoolean: (place) => sql`case ${typeOf(place)} when 'true' then 1 when 'false' then 0 end`,
  // 64-bit integers become doubles, as in JSON.
  asNumber: (place) => sql`case when ${typeOf(place)} in ('integer', 'real') then cast(${jsonAt(place)} as real) end`,
  asString,
  asInstant,
  asJson,
  isAmongRows: (column, rows) => sql`${column} in (${rows})`,
  isLike: (text, regex) => sql`pharos_regexp(${regex.source}, ${text})`,
  byCodePoint: (text) => text,
  number: (value) => sql`${value}`,
};

/** Segments contain no quotes and no backslashes: the grammar of paths excludes them. */
function pathOf(path: readonly string[]): string {
  return `$${path.map((segment) => `."${segment}"`).join('')}`;
}

function typeOf({ document, path }: JsonPlace): Sql {
  return sql`json_type(${document}, ${pathOf(path)})`;
}

function jsonAt({ document, path }: JsonPlace): Sql {
  return sql`json_extract(${document}, ${pathOf(path)})`;
}

function asString(place: JsonPlace): Sql {
  return sql`case when ${typeOf(place)} = 'text' then ${jsonAt(place)} end`;
}

function asJson(place: JsonPlace): Sql {
  return sql`case when ${typeOf(place)} in ('object', 'array') then pharos_json(${jsonAt(place)}) end`;
}

function asInstant(place: JsonPlace, strings: boolean): Sql {
  const member = (name: string) => jsonAt({ document: place.document, path: [...place.path, name] });
  const ofString = strings ? sql`when 'text' then pharos_instant(${jsonAt(place)}) ` : raw('');
  return sql`case ${typeOf(place)} ${ofString}when 'object' then case when ${member('__type')} = 'Date' then pharos_instant(${member('iso')}) end end`;
}

/** The value itself and, for an array, its elements, by the types of the literals. */
function holdsOneOf(place: JsonPlace, literals: readonly Literal[]): Sql {
  const { document, path } = place;
  const type = sql`coalesce(${typeOf(place)}, 'null')`;
  const own = isOneOf(type, jsonAt(place), literals);
  const element = isOneOf(sql`element.type`, sql`element.atom`, literals);
  return sql`case when ${type} <> 'array' then ${own} else exists (select 1 from json_each(${document}, ${pathOf(path)}) as element where ${element}) end`;
}

function isOneOf(type: Sql, value: Sql, literals: readonly Literal[]): Sql {
  const branches: Sql[] = [];
  const strings = literals.flatMap((literal) => (literal.kind === 'string' ? sql`${literal.value}` : []));
  if (strings.length > 0) branches.push(sql`when 'text' then ${value} in (${joinSql(strings, ', ')})`);
  const numbers = literals.flatMap((literal) => (literal.kind === 'number' ? sql`${literal.value}` : []));
  if (numbers.length > 0) {
    const among = sql`cast(${value} as real) in (${joinSql(numbers, ', ')})`;
    branches.push(sql`when 'integer' then ${among} when 'real' then ${among}`);
  }
  for (const literal of literals) {
    if (literal.kind === 'null' || literal.kind === 'boolean') {
      branches.push(raw(`when '${literal.kind === 'null' ? 'null' : String(literal.value)}' then 1`));
    }
  }
  // Only pointer columns have pointer literals, so a document has none.
  return branches.length === 0 ? sql`0` : sql`case ${type} ${joinSql(branches, ' ')} else 0 end`;
}
