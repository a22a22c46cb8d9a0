import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { timeOfId } from '../base/id.ts';
import type { SqlValue } from '../base/sql.ts';
import { WorkSlices } from '../base/work-slices.ts';
import type { Row } from '../db/db.ts';
import type { DbTable } from '../db/table.ts';
import { bytesOfText, textOfBytes } from './bytes-text.ts';
import { type Coding, decodeColumn, encodeColumn } from './columns.ts';
import { filterOf } from './filter.ts';

/**
 * Rows of one app and table as one text: column by column, each compressed by itself, so that a query only unpacks the columns
 * that it names.
 */

/** What a chunk is stored as, apart from its key. */
export interface Packing {
  readonly first_id: string;
  readonly last_id: string;
  readonly row_count: number;
  readonly filter: string;
  readonly content: string;
}

interface ColumnHead {
  readonly coding: Coding;
  /** Bytes in the content. */
  readonly size: number;
  readonly isCompressed: boolean;
}

interface Head {
  readonly rows: number;
  /** In the order of their bytes. */
  readonly columns: Readonly<Record<string, ColumnHead>>;
}

// A column has some thousand bytes: compressing it here is less work than passing it to a thread and back.
const compress = (bytes: Uint8Array) =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 12 } });
const decompress = (bytes: Uint8Array) => zstdDecompressSync(bytes);
/** Fewer bytes than a compressed text begins with. */
const tooFew = 32;
const idColumn = 'object_id';

/** The columns that are stored: the app is in the key, and columns that join others are derived from these. */
const storedColumns = ({ columns, packed }: DbTable, rows: readonly Row[]) =>
  Object.keys(columns).filter((name) => {
    const parts = packed?.joined?.[name];
    return (
      name !== 'app_id' && !(parts && rows.every((row) => row[name] === joinCells(parts.map((part) => row[part]))))
    );
  });

/** Times are near that of the row's id. */
const baseOf = (name: string, times: readonly number[]) => (name.endsWith('_at') ? times : times.map(() => 0));

/** Rows in the order of their ids, at least one. */
export async function packRows(table: DbTable, rows: readonly Row[]): Promise<Packing> {
  const ids = rows.map((row) => String(row[idColumn]));
  const times = ids.map(timeOfId);
  const columns: Record<string, ColumnHead> = {};
  const parts: Uint8Array[] = [];
  const slices = new WorkSlices();
  for (const name of storedColumns(table, rows)) {
    const cells = rows.map((row) => row[name] ?? null);
    const { coding, bytes } = encodeColumn(cells, table.columns[name]?.type ?? 'text', baseOf(name, times));
    const small = bytes.length < tooFew ? bytes : compress(bytes);
    const isCompressed = small.length < bytes.length;
    const part = isCompressed ? small : bytes;
    columns[name] = { coding, size: part.length, isCompressed };
    parts.push(part);
    await slices.rest();
  }
  const head = Buffer.from(JSON.stringify({ rows: rows.length, columns } satisfies Head));
  const packedHead = compress(head);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(packedHead.length);
  return {
    first_id: ids[0] ?? '',
    last_id: ids.at(-1) ?? '',
    row_count: rows.length,
    filter: filterOf(valuesOf(table, rows)),
    content: textOfBytes(Buffer.concat([length, packedHead, ...parts])),
  };
}

function valuesOf({ packed }: DbTable, rows: readonly Row[]): ReadonlySet<string> {
  const values = new Set<string>();
  for (const row of rows)
    for (const name of packed?.foundBy ?? []) {
      const value = row[name];
      if (typeof value === 'string') values.add(value);
    }
  return values;
}

const joinCells = (cells: readonly (SqlValue | undefined)[]): string => cells.join('-');

/** A chunk that was read. Its columns are unpacked when they are asked for. */
export class Chunk {
  readonly #table: DbTable;
  readonly #appId: string;
  readonly #head: Head;
  readonly #parts = new Map<string, Uint8Array>();
  readonly #columns = new Map<string, Promise<readonly SqlValue[]>>();

  private constructor(table: DbTable, appId: string, head: Head, content: Uint8Array) {
    this.#table = table;
    this.#appId = appId;
    this.#head = head;
    let place = 0;
    for (const [name, { size }] of Object.entries(head.columns)) {
      this.#parts.set(name, content.subarray(place, place + size));
      place += size;
    }
  }

  static open(table: DbTable, appId: string, content: string): Chunk {
    const bytes = bytesOfText(content);
    const end = 4 + bytes.readUInt32LE();
    const head = JSON.parse(decompress(bytes.subarray(4, end)).toString()) as Head;
    return new Chunk(table, appId, head, bytes.subarray(end));
  }

  get length(): number {
    return this.#head.rows;
  }

  /** The positions of its rows: 0, 1, 2 … */
  get places(): readonly number[] {
    return Array.from({ length: this.length }, (_, place) => place);
  }

  /** The cells of a column, in the order of the rows; null throughout for one that the table did not have then. */
  column(name: string): Promise<readonly SqlValue[]> {
    const known = this.#columns.get(name) ?? this.#unpack(name);
    this.#columns.set(name, known);
    return known;
  }

  async #unpack(name: string): Promise<readonly SqlValue[]> {
    if (name === 'app_id') return Array.from({ length: this.length }, () => this.#appId);
    const head = this.#head.columns[name];
    const joined = this.#table.packed?.joined?.[name];
    if (!head && joined) {
      const parts = await Promise.all(joined.map((part) => this.column(part)));
      return Array.from({ length: this.length }, (_, row) => joinCells(parts.map((cells) => cells[row])));
    }
    const part = this.#parts.get(name);
    if (!head || !part) return Array.from({ length: this.length }, () => null);
    const bytes = head.isCompressed ? decompress(part) : part;
    const times =
      name.endsWith('_at') && head.coding.as === 'distances'
        ? (await this.column(idColumn)).map((id) => timeOfId(String(id)))
        : Array.from({ length: this.length }, () => 0);
    return decodeColumn({ coding: head.coding, bytes }, times);
  }

  /** Whole rows, by their places. */
  async rows(places: readonly number[]): Promise<Row[]> {
    const names = Object.keys(this.#table.columns);
    const columns: (readonly SqlValue[])[] = [];
    const slices = new WorkSlices();
    for (const name of names) {
      columns.push(await this.column(name));
      await slices.rest();
    }
    return places.map((place) => Object.fromEntries(names.map((name, n) => [name, columns[n]?.[place] ?? null])));
  }

  /** All of them. */
  all(): Promise<Row[]> {
    return this.rows(this.places);
  }
}
