import type { JsonPlace, Literal, WhereDialect } from '@pharos/query';
import { joinSql, raw, type Sql, sql } from '../../base/sql.ts';

/**
 * Text from a document is explicitly compared by code point (COLLATE "C"). Columns are not, because an index of the
 * database's own collation could not be used then; the service refuses a database with another collation.
 */
export const postgresWhere: WhereDialect = {
  document: (_column, index) => raw(`pharos_json.c${index}`),
  guard,
  isNull: (place) => sql`coalesce(jsonb_typeof(${jsonAt(place)}), 'null') = 'null'`,
  holdsOneOf,
  equalsJson: (place, canonical) => sql`${jsonAt(place)} = ${canonical}::jsonb`,
  asBoolean: (place) => sql`case ${jsonAt(place)} when 'true' then 1 when 'false' then 0 end`,
  asNumber: (place) => ofType(place, 'number', sql`${jsonAt(place)}::float8`),
  asString: (place) => collated(ofType(place, 'string', textOf(place))),
  asInstant,
  asJson: (place) =>
    sql`case when jsonb_typeof(${jsonAt(place)}) in ('object', 'array') then ${jsonAt(place)}::text end`,
  // The rows are read first, and their number does not decide how the records are found.
  isAmongRows: (column, rows) => sql`${column} = any (array(${rows}))`,
  isLike: (text, regex) => sql`${collated(text)} ~ ${regex.postgres}`,
  byCodePoint: (text) => text,
  // An integer column can be compared with a bigint without losing its index; a double column accepts either.
  number: (value) => (Number.isSafeInteger(value) ? sql`${value}::bigint` : sql`${value}::float8`),
};

function collated(text: Sql): Sql {
  return sql`(${text}) collate "C"`;
}

/** OFFSET 0 keeps the planner from copying the parsing of the document to every place that reads it. */
function guard(expression: Sql, columns: readonly string[]): Sql {
  const parsed = columns.map((column, index) => raw(`${column}::jsonb as c${index}`));
  return sql`(select ${expression} from (select ${joinSql(parsed, ', ')} offset 0) as pharos_json)`;
}

function jsonAt({ document, path }: JsonPlace): Sql {
  return sql`(${document} #> ${arrayOf(path)}::text[])`;
}

function textOf({ document, path }: JsonPlace): Sql {
  return sql`(${document} #>> ${arrayOf(path)}::text[])`;
}

/** Segments contain no quotes and no backslashes: the grammar of paths excludes them. */
function arrayOf(path: readonly string[]): string {
  return `{${path.map((segment) => `"${segment}"`).join(',')}}`;
}

function ofType(place: JsonPlace, type: 'string' | 'number', value: Sql): Sql {
  return sql`case when jsonb_typeof(${jsonAt(place)}) = ${raw(`'${type}'`)} then ${value} end`;
}

/** `@>` is true for an equal scalar and for an array that has it as an element. */
function holdsOneOf(place: JsonPlace, literals: readonly Literal[]): Sql {
  const values = literals.flatMap((literal) =>
    'value' in literal ? sql`${JSON.stringify(literal.value)}::jsonb` : [],
  );
  const hasNull = literals.some(({ kind }) => kind === 'null');
  if (hasNull) values.push(sql`'null'::jsonb`);
  const holds = sql`${jsonAt(place)} @> any (array[${joinSql(values, ', ')}])`;
  return hasNull ? sql`(${jsonAt(place)} is null or ${holds})` : holds;
}

function asInstant(place: JsonPlace, strings: boolean): Sql {
  const member = (name: string) => textOf({ document: place.document, path: [...place.path, name] });
  const ofString = strings ? sql`when 'string' then ${textOf(place)} ` : raw('');
  const iso = sql`case jsonb_typeof(${jsonAt(place)}) ${ofString}when 'object' then case when ${member('__type')} = 'Date' then ${member('iso')} end end`;
  return sql`(select ${instantOfText} from (select ${iso} as s offset 0) as pharos_date)`;
}

const dateForm =
  '^[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])?)?$';

const monthStart = 'make_date(left(s, 4)::int, substr(s, 6, 2)::int, 1)';
const day = 'substr(s, 9, 2)::int';
const lastDay = `extract(day from ${monthStart} + interval '1 month' - interval '1 day')`;
const days = `(${monthStart} - date '1970-01-01' + ${day} - 1)::bigint`;
const hours = "coalesce(nullif(substr(s, 12, 2), '')::int, 0)";
const minutes = "coalesce(nullif(substr(s, 15, 2), '')::int, 0)";
const seconds = "case when substr(s, 17, 1) = ':' then substr(s, 18, 2)::int else 0 end";
const milliseconds = "coalesce(rpad(left(substring(s from '[.]([0-9]+)'), 3), 3, '0')::int, 0)";
const zone = "substring(substr(s, 17) from '[+-][0-9]{2}:?[0-9]{2}$')";
const offset = `coalesce(left(${zone}, 1) || '1', '0')::int * coalesce(substr(${zone}, 2, 2)::int * 60 + right(${zone}, 2)::int, 0)`;

/** `parseInstant` of the text `s`; the database's own casts would accept other forms and fail on a wrong one. */
const instantOfText = raw(
  `case when s ~ '${dateForm}' and left(s, 4) <> '0000' then case when ${day} between 1 and ${lastDay} then ` +
    `((${days} * 24 + ${hours}) * 60 + ${minutes} - ${offset}) * 60000 + (${seconds}) * 1000 + ${milliseconds} end end`,
);
