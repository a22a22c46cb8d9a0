import { joinSql, raw, type Sql, type SqlValue, sql } from '../../../base/sql.ts';
import type { Database, Db, Row } from '../../../db/db.ts';
import type { DbTable } from '../../../db/table.ts';
import { isoTime } from '../../../http/answers.ts';
import { withoutMembers } from '../../../http/hidden-members.ts';
import { type Person, type PersonPart, scopeOf } from './person.ts';
import type { WebhookRecipient } from './receipt.ts';

/**
 * Everything that is known of a person, as one JSON document: what it says about her account, and the rows of each table. It is
 * made while it is sent, a page at a time, so that a year of visits takes no more memory than a day.
 */

const pageSize = 1_000;

export interface Exporting {
  readonly db: Database;
  readonly parts: readonly PersonPart[];
  readonly now: () => number;
  /** What webhooks have sent about somebody, among deliveries that are still known. */
  readonly sentTo: (db: Db, appId: string, scope: Sql) => Promise<readonly WebhookRecipient[]>;
  /** Members that rows of a table have besides, such as the address of a file. */
  readonly more: Readonly<Record<string, (row: Row) => object>>;
  /** Rows of a table without what they tell about other people. */
  readonly conceal: Readonly<Record<string, (row: Row, person: Person) => Row>>;
}

/** What the rules of an app hide from the person who asks. */
export interface Withholding {
  /** The tables of which something may be left out, whether it is there or not. */
  readonly tables: readonly string[];
  /** The members that are left out of a row, as it is shown. */
  readonly membersOf: (part: PersonPart, row: Row) => Promise<readonly string[]>;
}

/** The person's document as pieces of text. Without `withholding` it is for administrators, who give it to her. */
export async function* exportPerson(
  exporting: Exporting,
  person: Person,
  withholding?: Withholding,
): AsyncGenerator<string> {
  const { parts, now } = exporting;
  const { appId, userId, installationIds } = person;
  const withheld = withholding && withholding.tables.length > 0 ? { withheld: withholding.tables } : {};
  const about = { appId, exportedAt: isoTime(now()), userId, installationIds };
  const head = { format: 'pharos-person', version: 1, ...about, ...withheld };
  yield JSON.stringify(head).slice(0, -1);
  yield ',"webhooks":';
  const calls = parts.find(({ how, table }) => how === 'mentioned' && table.name === 'webhook_deliveries');
  yield JSON.stringify(calls ? await exporting.sentTo(exporting.db, appId, scopeOf(calls, person)) : []);
  const named = Map.groupBy(parts, ({ table }) => table.name);
  for (const [name, all] of named) {
    const ofTable = all.filter(({ how, table }) => !isOfNobody(how, table));
    if (ofTable.length === 0) continue;
    yield `,${JSON.stringify(name)}:[`;
    let separator = '\n';
    for await (const row of rowsOf(exporting, ofTable, person, withholding)) {
      yield `${separator}${row}`;
      separator = ',\n';
    }
    yield ']';
  }
  yield '}\n';
}

/**
 * Work in progress says nothing that the rest does not say. The audience of somebody else's push may name more people; what was
 * sent to the person is among the deliveries.
 */
const isOfNobody = (how: PersonPart['how'], { name }: DbTable) =>
  how === 'mentioned' && ['jobs', 'live_events', 'list_changes', 'pushes'].includes(name);

/** The rows of a table, each once. */
async function* rowsOf(
  exporting: Exporting,
  parts: readonly PersonPart[],
  person: Person,
  withholding: Withholding | undefined,
): AsyncGenerator<string> {
  const [first] = parts;
  if (!first) return;
  const { table } = first;
  const show = showing(first, exporting.more[table.name]);
  for (const [index, part] of parts.entries()) {
    const before = parts.slice(0, index).map((earlier) => scopeOf(earlier, person));
    // What an earlier part has shown is left out: a row may be about her in two ways.
    const others = before.map((scope) => sql` and not coalesce((${scope}), false)`);
    const scope = sql`${scopeOf(part, person)}${joinSql(others, '')}`;
    for (const within of await valuesWithin(exporting.db, table, person.appId)) {
      const all = within === undefined ? scope : sql`${raw(table.within ?? '')} = ${within} and ${scope}`;
      for await (const row of pages(exporting.db, { table, order: orderOf(part), scope: all, appId: person.appId })) {
        const text = show(exporting.conceal[table.name]?.(row, person) ?? row);
        const hidden = withholding?.tables.includes(table.name) ? await withholding.membersOf(part, row) : [];
        yield hidden.length === 0 ? text : without(text, hidden);
      }
    }
  }
}

function without(text: string, hidden: readonly string[]): string {
  const { result } = withoutMembers({ result: JSON.parse(text) as unknown }, hidden) as { readonly result: unknown };
  return JSON.stringify(result);
}

/** The buckets of an app, where keys begin with the bucket. */
async function valuesWithin(
  db: Database,
  { name, within }: DbTable,
  appId: string,
): Promise<readonly (string | undefined)[]> {
  if (within === undefined) return [undefined];
  const values: string[] = [];
  for (;;) {
    const next = await db.one<{ value: string }>(
      sql`select ${raw(within)} as value from ${raw(name)} where app_id = ${appId} and ${raw(within)} > ${values.at(-1) ?? ''}
        order by ${raw(within)} limit 1`,
    );
    if (!next) return values;
    values.push(next.value);
  }
}

interface Paged {
  readonly table: DbTable;
  readonly order: readonly string[];
  readonly scope: Sql;
  readonly appId: string;
}

async function* pages(db: Database, { table, order, scope, appId }: Paged): AsyncGenerator<Row> {
  const columns = raw(order.join(', '));
  let last: Row | undefined;
  for (;;) {
    const values = order.map((column) => sql`${(last?.[column] ?? null) as SqlValue}`);
    const behind = last ? sql` and (${columns}) > (${joinSql(values, ', ')})` : raw('');
    const page = await db.all<Row>(
      sql`select * from ${raw(table.name)} where ${scope}${behind} order by ${columns} limit ${pageSize}`,
      { tenant: appId },
    );
    yield* page;
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}

/** The order in which an index has the rows of a person, so that no page sorts them all; its columns are never null. */
function orderOf(part: PersonPart): readonly string[] {
  const { table } = part;
  const own = table.key.filter((column) => column !== 'app_id' && column !== table.within);
  if (part.how === 'phone') return own;
  const column = part.how === 'trace' ? part.column : part.how === 'named' ? part.columns[0] : undefined;
  if (column === undefined) return own;
  const before = ['app_id', ...(table.within === undefined ? [] : [table.within]), column];
  const found = [table.key, ...Object.values(table.indexes ?? {}).map(({ on }) => on)].find((on) =>
    before.every((name, place) => on[place] === name),
  );
  const rest = (found ?? []).slice(before.length).filter((name) => table.columns[name]?.isNullable === false);
  return [...rest, ...own.filter((name) => !rest.includes(name))];
}

/** As the interface shows it, or else as it is stored, without secrets. */
function showing({ table, resource }: PersonPart, more: ((row: Row) => object) | undefined): (row: Row) => string {
  const secrets = new Set(['app_id', ...(table.secrets ?? [])]);
  const plain = (row: Row) =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(row).flatMap(([name, value]) =>
          secrets.has(name) || value === null ? [] : [[name, shown(name, value)]],
        ),
      ),
    );
  const render = resource ? (row: Row) => resource.records.render(row) : plain;
  if (!more) return render;
  return (row) => `${render(row).slice(0, -1)},${JSON.stringify(more(row)).slice(1)}`;
}

/** Times as the interface shows them, and JSON as JSON. */
function shown(name: string, value: SqlValue): unknown {
  if (typeof value === 'number' && name.endsWith('_at')) return isoTime(value);
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
