import type { Sql } from '../../../src/base/sql.ts';
import type { Database } from '../../../src/db/db.ts';
import { onStatements, plainText } from '../statements.ts';
import { isException, type SqlProblem, sqlProblems } from './portable-sql.ts';

/**
 * Looks at every statement that the product sends to PostgreSQL in a test, each text once in a process: whether a distributed
 * database would take it. What a test asks for itself is left alone.
 */

const skipsLocked = (text: string) => /\bskip locked\b/i.test(text);
/** Parts of literals of the program, which are the same object each time. */
const seenParts = new WeakSet<readonly string[]>();
const known = new Map<string, readonly SqlProblem[]>();
const found = new Map<string, string>();

export function recordSql(db: Database): void {
  onStatements(db, (statement) => {
    if (seenParts.has(statement.strings)) return;
    const text = plainText(statement);
    const problems = problemsOf(text, db);
    if (problems.length === 0) remember(statement);
    else if (!found.has(text)) {
      const caller = productCaller();
      if (caller !== undefined)
        found.set(text, `${problems.map(({ problem }) => problem).join(', ')}: ${text}\n${caller}`);
    }
  });
}

function remember({ strings }: Sql): void {
  if (Object.isFrozen(strings)) seenParts.add(strings);
}

function problemsOf(text: string, db: Database): readonly SqlProblem[] {
  const before = known.get(text);
  if (before) return before;
  const problems = sqlProblems(text).filter((one) => !isException(one));
  if (!skipsLocked(db.dialect.skipLocked) && skipsLocked(text)) problems.push({ problem: 'SKIP LOCKED', text });
  known.set(text, problems);
  return problems;
}

/** The line of the product that has sent the statement; undefined if it is a test itself. */
function productCaller(): string | undefined {
  const { stack = '' } = new Error();
  const caller = stack.split('\n').find((line) => /\/server\//.test(line) && !/\/server\/test\/support\//.test(line));
  return caller !== undefined && /\/server\/src\/.*(?<!\.test)\.ts:\d/.test(caller) ? caller.trim() : undefined;
}

/** @throws Error with what was found since the last time */
export function assertPortableSql(): void {
  const all = [...found.values()];
  found.clear();
  if (all.length === 0) return;
  throw new Error(
    `A distributed PostgreSQL would refuse or spread these statements (docs/adr/0040-distributed-postgresql-with-citus.md):\n${all.join('\n')}`,
  );
}
