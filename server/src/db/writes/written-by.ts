import { perLiteral, Sql } from '../../base/sql.ts';

/** What is known of a statement that inserts, changes or deletes rows. */
export interface Writing {
  readonly table: string;
  /** The same statement, which also answers `written_app` and `written_id` of each row that it has written. */
  answering(statement: Sql): Sql;
}

const form = /^\s*(?:insert (?:or \w+ )?into|update|delete from)\s+(\w+)/i;
const answers = /\breturning\b/i;

/** Null for a statement that writes nothing. The text before the first value names the table. */
export const writtenBy: (statement: Sql) => Writing | null = perLiteral(({ strings }) => {
  const [, table] = form.exec(strings[0] ?? '') ?? [];
  if (table === undefined) return null;
  const end = `${table}.app_id as written_app, ${table}.object_id as written_id`;
  const word = answers.test(strings.join('?')) ? ',' : ' returning';
  const extended = Object.freeze([...strings.slice(0, -1), `${strings.at(-1) ?? ''}${word} ${end}`]);
  return { table, answering: ({ values }) => new Sql(extended, values) };
});
