import { tables } from '../../../src/app/tables.ts';
import { distributionOf } from '../../../src/db/distribute.ts';
import { acrossApps, refusedElsewhere } from './portable-exceptions.ts';

/**
 * What a distributed PostgreSQL (Citus) refuses, answers wrongly, or asks all of its nodes for: found in the texts of statements,
 * so that it is noticed without such a database.
 */

const ofApps = new Set(distributionOf(tables).distributed);

const withoutCondition = ' without app_id =';

/** A query in brackets, and what is around it. */
interface Inner {
  readonly before: string;
  readonly query: string;
  readonly after: string;
}

const makesRows = /\b(?:unnest|generate_series|jsonb?_(?:array_elements|each|object_keys|to_recordset)\w*)\s*\(/i;
/** A node takes everything of PostgreSQL about an app that it has. Which one that is, a parameter says. */
const isOfOneApp = ({ query }: Inner) => /\bapp_id = \?/i.test(query);

const isUnboundedElsewhere = (inner: Inner) =>
  /\blateral\s*$/i.test(inner.before) && /\b(?:offset|limit)\b/i.test(inner.query) && !isOfOneApp(inner);

/** It names a table that is not its own. */
function isCorrelated({ query }: Inner): boolean {
  const own = new Set<string | undefined>(
    [...query.matchAll(/\b(?:from|join|as|update|into)\s+(\w+)(?:\s+(\w+))?/gi)].flat(),
  );
  return [...query.matchAll(/\b(\w+)\.\w/g)].some(([, name]) => !own.has(name));
}

const isCorrelatedBesideRows = (inner: Inner) =>
  !/\blateral\s*$/i.test(inner.before) &&
  makesRows.test(inner.before + inner.after) &&
  isCorrelated(inner) &&
  !isOfOneApp(inner);

const isChangeFromRows = ({ before, query }: Inner) =>
  /\bas (?:not )?(?:materialized )?$/i.test(before) &&
  /^\s*(?:insert|update|delete)\b/i.test(query) &&
  makesRows.test(query);

const rules: readonly (readonly [problem: string, isBroken: (text: string) => boolean])[] = [
  ['a recursive CTE', (text) => /\bwith recursive\b/i.test(text)],
  ['an INSERT in a CTE', (text) => /\bas (not )?(materialized )?\(\s*insert\b/i.test(text)],
  ['a simple CASE with parameters', (text) => /\bcase\s+(?!when\b)\S+\s+when\s+\?/i.test(text)],
  ['a sequence', (text) => /\b(nextval|currval|setval)\s*\(/i.test(text)],
  ['an advisory lock', (text) => /\bpg_(try_)?advisory/i.test(text)],
  ['insert … select without a table', (text) => /\binsert into\b.*\bselect\b.*\bunnest\s*\(/is.test(text)],
  ['a lateral subquery with offset or limit', (text) => innersOf(text).some(isUnboundedElsewhere)],
  ['a correlated subquery beside a set-returning function', (text) => innersOf(text).some(isCorrelatedBesideRows)],
  ['a modifying CTE that selects from unnest', (text) => innersOf(text).some(isChangeFromRows)],
];

export interface SqlProblem {
  readonly problem: string;
  readonly text: string;
}

/** What is wrong with one statement, whose parameters are written as `?`. */
export function sqlProblems(text: string): SqlProblem[] {
  const found = rules.flatMap(([problem, isBroken]) => (isBroken(text) ? [problem] : []));
  const whole = text.toLowerCase().replace(/'(?:[^']|'')*'/g, "''");
  for (const table of new Set(blocksOf(whole).flatMap(withoutApp))) found.push(`${table}${withoutCondition}`);
  // A lock is one node's.
  if (found.some((one) => one.endsWith(withoutCondition)) && /\bfor (no key )?(update|share)\b/.test(whole))
    found.push('a lock over all apps');
  return found.map((problem) => ({ problem, text }));
}

/** It looks over all apps on purpose; what a distributed database refuses is never an exception. */
export const isException = ({ problem, text }: SqlProblem): boolean =>
  problem.endsWith(withoutCondition)
    ? acrossApps.some(([of]) => of.test(text))
    : refusedElsewhere.some(([what, of]) => what === problem && of.test(text));

/** The queries in brackets, each with those inside of it. */
function innersOf(text: string): Inner[] {
  const found: Inner[] = [];
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') open.push(at);
    if (text[at] !== ')') continue;
    const start = open.pop() ?? 0;
    const query = text.slice(start + 1, at);
    if (/^\s*(?:select|with|insert|update|delete)\b/i.test(query))
      found.push({ before: text.slice(0, start), query, after: text.slice(at + 1) });
  }
  return found;
}

/** The selects and changes of a statement, each without those inside of it, which stand there as `(…)`. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  const open: string[] = [''];
  for (const char of text) {
    if (char === '(') open.push('');
    else if (char !== ')' || open.length === 1) open.push((open.pop() ?? '') + char);
    else {
      const inner = open.pop() ?? '';
      const isQuery = /^\s*(select|with|insert|update|delete)\b/.test(inner);
      if (isQuery) blocks.push(inner);
      open.push(`${open.pop() ?? ''}(${isQuery ? '…' : inner})`);
    }
  }
  blocks.push(open.join('('));
  return blocks.flatMap((block) => block.split(/\b(?:union(?: all)?|except|intersect)\b/));
}

const behindTables =
  /\b(?:where|group by|order by|limit|offset|having|set|on|using|returning|for|cross|left|right|inner|full|join|from|lateral|when|then|else|end)\b/;
/**
 * A condition on the app: alone, or as the first of several columns. Compared with a column of given rows it leaves open which
 * app it is, and every node is asked.
 */
const onApp =
  /(?:\b\w+\.)?\bapp_id\s*(?:=(?!\s*\w+\.column\d)|in\b)|(?<!\bapp_id\s*)=\s*(?:\w+\.)?app_id\b|\(\s*(?:\w+\.)?app_id\b[^()]*\)\s*(?:=|in\b)|\busing\s*\(\s*app_id\b/g;

/** Tables of apps of one block, where it has fewer conditions on the app than such tables. */
function withoutApp(block: string): string[] {
  // Nothing is read.
  if (/\b1 = 0\b/.test(block)) return [];
  const parts = block.split(/\b(?:from|join|update)\s+(?:only\s+|lateral\s+)?/).slice(1);
  const named = parts
    // What follows `on conflict do update` or `for update` is no table.
    .flatMap((part) => (part.split(behindTables)[0] ?? '').split(','))
    .flatMap((one) => /^\s*(\w+)/.exec(one)?.[1] ?? [])
    .filter((name) => ofApps.has(name));
  const conditions = block.match(onApp)?.length ?? 0;
  return conditions < named.length ? named : [];
}
