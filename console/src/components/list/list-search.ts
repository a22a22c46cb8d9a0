import { type JsonObject, type Query, where } from '@pharos/sdk';

/** What a list shows, as in the address, so that a page can be linked to. */
export interface ListSearch {
  /** The text in the search field. */
  readonly q?: string;
  readonly where?: JsonObject;
  readonly order?: string;
  /** From 1. */
  readonly page?: number;
  readonly size?: number;
}

export const pageSizes = [25, 50, 100] as const;
const defaultSize = 25;
/** Characters that are searched for; the address of a request has room for no more than some thousand. */
export const maxText = 200;
/** The largest skip that the service accepts. */
export const deepestSkip = 100_000;

/** Reads the address and ignores what is invalid. */
export function readListSearch(search: Readonly<Record<string, unknown>>): ListSearch {
  const { q, where: filter, order, page, size } = search;
  return {
    // The router parses digits as a number.
    ...(typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}),
    ...(isFilter(filter) ? { where: filter } : {}),
    ...(typeof order === 'string' && order !== '' ? { order } : {}),
    ...(Number.isInteger(page) && (page as number) > 1 ? { page: page as number } : {}),
    ...((pageSizes as readonly unknown[]).includes(size) && size !== defaultSize ? { size: size as number } : {}),
  };
}

function isFilter(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

interface Searched {
  readonly searchFields?: readonly string[];
  readonly defaultOrder: string;
}

/** The query of a list; `scope` limits it further. */
export function listQuery(search: ListSearch, { searchFields, defaultOrder }: Searched, scope?: JsonObject): Query {
  const size = search.size ?? defaultSize;
  const filter = bothOf(scope, listFilter(search, searchFields));
  return {
    ...(filter ? { where: filter } : {}),
    order: search.order ?? defaultOrder,
    skip: Math.min(((search.page ?? 1) - 1) * size, deepestSkip),
    limit: size,
    count: 1,
  };
}

export function listFilter(
  { q = '', where: filter }: ListSearch,
  fields: readonly string[] = [],
): JsonObject | undefined {
  const text = q.trim();
  if (text === '' || fields.length === 0) return filter;
  const found = where().or(...fields.map((field) => where().contains(field, text)));
  return bothOf(filter, found.toJSON());
}

export function bothOf(one: JsonObject | undefined, other: JsonObject | undefined): JsonObject | undefined {
  return one && other ? { $and: [one, other] } : (one ?? other);
}

export const sizeOf = (search: ListSearch): number => search.size ?? defaultSize;
