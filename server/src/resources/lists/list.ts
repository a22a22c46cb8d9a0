import { type Field, parsePage } from '@pharos/query';
import { Type } from 'typebox';
import type { Visible } from '../../access/caller.ts';
import type { AskedRule } from '../../access/rules/rule.ts';
import { type Sql, sql } from '../../base/sql.ts';
import type { Db, Row } from '../../db/db.ts';
import { JsonText, type QueryParameter } from '../../http/endpoint.ts';
import { type PhoneView, showPhones } from '../members/phone-view.ts';
import { compiledQueries } from './compiled-queries.ts';
import type { ListedTable } from './listed-table.ts';
import { alternativeFields, documentFields } from './plan.ts';

/** The rows that a caller may access, as a where or, if that cannot express it, as SQL. */
export type Allowed = AskedRule | { readonly visible: Visible };

export interface ListOptions {
  /** The rows that belong to the list at all: always with the app's id. */
  readonly scope: Sql;
  /** Which records this caller may see; without it all. It applies before anything that the caller requests. */
  readonly allowed?: Allowed | undefined;
  /** A row as this caller is shown it, as JSON text; as the table says without it. */
  readonly render?: (row: Row) => string;
  /** How this caller is shown phones, if under pseudonyms. */
  readonly phones?: PhoneView | undefined;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** What `limit` is when the caller gives none. */
  readonly defaultLimit: number;
  /** Used when the caller gives no order; oldest first without it. */
  readonly defaultOrder?: string;
  /** Each objectId was made from its record's createdAt, so that one index serves both; see `byCreation`. */
  readonly idsFollowCreation?: true;
  /** The objectIds were made from `occurredAt`. */
  readonly idsFollowOccurrence?: true;
  /** The app, for a fair share of long queries. */
  readonly tenant: string;
  /** Called with the fields for which a query had to read documents and an index could have answered. */
  readonly onDocumentsRead?: (fields: readonly Field[], alternatives: readonly Field[]) => void;
}

/** The most bytes of JSON that the records of one answer have together; the first record is always answered. */
export const maxListBytes = 8_388_608;

export const listParameters: readonly QueryParameter[] = [
  {
    name: 'where',
    description: 'A JSON object that the results must match; see the where-language.',
    schema: Type.String({ maxLength: 8192 }),
  },
  {
    name: 'order',
    description: 'Fields joined by commas, at most 4; a leading minus sign means descending.',
    schema: Type.String(),
  },
  {
    name: 'skip',
    description: 'How many results to skip, 0 to 100000.',
    schema: Type.Integer({ minimum: 0, maximum: 100_000 }),
  },
  {
    name: 'limit',
    description:
      'How many results to answer; more than 1000 is read as 1000. The results of one answer are limited to 8 MiB; ' +
      'if there are fewer for that reason, `truncated` is true.',
    schema: Type.Integer({ minimum: 0 }),
  },
  {
    name: 'count',
    description: '1 adds `count`, the number of all matches; with limit=0 nothing else is answered.',
    schema: Type.Enum([0, 1]),
  },
];

/**
 * Answers `{"results": [...]}`, with `count` when it was asked for, as JSON text. The records have at most `maxListBytes`
 * together; an answer that ends before `limit` for this reason has `"truncated": true`.
 *
 * @throws Failure InvalidQuery for a malformed parameter, Timeout for a query that runs past its deadline
 */
export async function listRecords(db: Db, table: ListedTable, options: ListOptions): Promise<JsonText> {
  const { query, allowed, tenant, render = table.render } = options;
  const visible = allowed && 'visible' in allowed ? allowed.visible : undefined;
  const rule = allowed && 'where' in allowed ? allowed : undefined;
  const scope = visible ? sql`${options.scope} and ${visible.condition}` : options.scope;
  const time = options.idsFollowOccurrence ? 'occurredAt' : options.idsFollowCreation && 'createdAt';
  const asked = compiledQueries.read(db, table, {
    where: query['where'],
    order: query['order'],
    defaultOrder: options.defaultOrder ?? 'objectId',
    time,
    rule,
    phones: options.phones,
  });
  const page = parsePage(query, options.defaultLimit);
  const user = rule?.general;
  const request = {
    scope,
    index: db.dialect.knowsSizes ? undefined : visible?.index,
    isNarrowed: visible !== undefined,
    page,
    user,
    slow: { tenant, within: { characters: maxListBytes, rows: page.limit } },
  };
  const rows = page.limit === 0 ? [] : await asked.pages.read(db, request);
  if (!asked.pages.isCheap(request))
    options.onDocumentsRead?.(documentFields(asked.where, asked.order), alternativeFields(asked.where));
  const texts = renderWithin(options.phones ? await showPhones(db, table, rows, options.phones) : rows, render);
  const isCut = texts.length < rows.length;
  const found = texts.length;
  // The promise that brought them is older than they are, and would keep them as `JsonText` says of texts.
  rows.length = 0;
  const cut = isCut ? ',"truncated":true' : '';
  if (!page.count) return listText(texts, cut);
  // The last page shows how many there are: a search that finds few is not run twice.
  const isLast = !isCut && found < page.limit && (found > 0 || page.skip === 0);
  if (isLast) return listText(texts, `,"count":${page.skip + found}`);
  return listText(texts, `,"count":${await asked.pages.countAll(db, request)}${cut}`);
}

/** The texts of the first rows, up to `maxListBytes` together, but of one at least. */
function renderWithin(rows: readonly Row[], render: ListedTable['render']): string[] {
  const texts: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const text = render(row);
    characters += text.length;
    texts.push(text);
    if (characters > maxListBytes) break;
  }
  // A UTF-16 code unit is at most three bytes, so short texts need not be counted exactly.
  if (characters * 3 <= maxListBytes) return texts;
  let bytes = 0;
  const tooMany = texts.findIndex((text) => {
    bytes += Buffer.byteLength(text) + 1;
    return bytes > maxListBytes;
  });
  return tooMany < 0 ? texts : texts.slice(0, Math.max(1, tooMany));
}

/** Characters from which on the text of a list is sent in pieces. */
const longList = 524_288;

function listText(texts: readonly string[], more: string): JsonText {
  const end = `]${more}}`;
  if (texts.length === 0) return new JsonText(`{"results":[${end}`);
  const isLong = texts.reduce((sum, text) => sum + text.length, 0) > longList;
  if (isLong) return new JsonText([...texts.flatMap((text, n) => [n === 0 ? '{"results":[' : ',', text]), end]);
  // Quicker than a join: V8 writes the whole text once, when it is sent.
  let all = '{"results":[';
  for (const [place, text] of texts.entries()) all += place === 0 ? text : `,${text}`;
  return new JsonText(all + end);
}
