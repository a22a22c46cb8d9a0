import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { timeOfId } from '../../base/id.ts';
import type { SqlValue } from '../../base/sql.ts';
import { WorkSlices } from '../../base/work-slices.ts';
import type { Row } from '../../db/db.ts';
import type { DbTable } from '../../db/table.ts';
import { someBytesOfText, textOfBytes } from './bytes-text.ts';
import { CodedColumn, type Coding, encodeColumn } from './columns.ts';
import { filterOf } from './filter.ts';
import { type NumberRange, numberColumns, type Ranges, rangeOfCells } from './ranges.ts';

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
  /** The columns whose values are in the filter. */
  readonly filter_of: string;
  readonly ranges: Ranges;
  readonly content: string;
}

interface ColumnHead {
  readonly coding: Coding;
  /** Bytes in the content. */
  readonly size: number;
  readonly isCompressed: boolean;
}

interface Head {
  /** Of the layout; chunks of the first version do not say. */
  readonly format?: number;
  readonly rows: number;
  /** Columns that are not stored, and of which others they are joined. */
  readonly joined?: Readonly<Record<string, readonly string[]>>;
  /** In the order of their bytes. */
  readonly columns: Readonly<Record<string, ColumnHead>>;
}

/** Of what this version writes. It reads all up to that: what is added to it must leave chunks of earlier formats readable. */
const chunkFormat = 2;

const level = { params: { [constants.ZSTD_c_compressionLevel]: 12 } };
const onThread = promisify(zstdCompress) as (bytes: Uint8Array, options: typeof level) => Promise<Buffer>;
/** Less is compressed sooner than it is handed to another thread and back, bytes. */
const few = 4_096;
const compress = async (bytes: Uint8Array) =>
  bytes.length < few ? zstdCompressSync(bytes, level) : onThread(bytes, level);
// Reading is so much quicker that it stays here.
const decompress = (bytes: Uint8Array) => zstdDecompressSync(bytes);
/** Fewer bytes than a compressed text begins with. */
const tooFew = 32;
const idColumn = 'object_id';
/** Rows that are put together before others have their turn. */
const rowsOfSlice = 128;

/** The columns that are those of others in all of the rows. */
const joinedColumns = ({ packed }: DbTable, rows: readonly Row[]): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(packed?.joined ?? {}).flatMap(([name, parts]) =>
      parts && rows.every((row) => row[name] === joinCells(parts.map((part) => row[part]))) ? [[name, parts]] : [],
    ),
  );

/** Times are near that of the row's id. */
const baseOf = (name: string, times: readonly number[]) => (name.endsWith('_at') ? times : times.map(() => 0));

/** Rows in the order of their ids, at least one. */
export async function packRows(table: DbTable, rows: readonly Row[]): Promise<Packing> {
  const ids = rows.map((row) => String(row[idColumn]));
  const times = ids.map(timeOfId);
  const columns: Record<string, ColumnHead> = {};
  const parts: Uint8Array[] = [];
  const slices = new WorkSlices();
  const joined = joinedColumns(table, rows);
  await slices.rest();
  // The app is in the key.
  for (const name of Object.keys(table.columns).filter((name) => name !== 'app_id' && !(name in joined))) {
    const cells = rows.map((row) => row[name] ?? null);
    const { coding, bytes } = encodeColumn(cells, table.columns[name]?.type ?? 'text', baseOf(name, times));
    const small = bytes.length < tooFew ? bytes : await compress(bytes);
    const isCompressed = small.length < bytes.length;
    const part = isCompressed ? small : bytes;
    columns[name] = { coding, size: part.length, isCompressed };
    parts.push(part);
    await slices.rest();
  }
  const head = Buffer.from(JSON.stringify({ format: chunkFormat, rows: rows.length, joined, columns } satisfies Head));
  const packedHead = await compress(head);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(packedHead.length);
  const values = valuesOf(table, rows);
  const ranges: Record<string, NumberRange> = {};
  for (const name of numberColumns(table)) ranges[name] = rangeOfCells(rows.map((row) => row[name] ?? null));
  await slices.rest();
  const filter = filterOf(values);
  await slices.rest();
  return {
    first_id: ids[0] ?? '',
    last_id: ids.at(-1) ?? '',
    row_count: rows.length,
    filter,
    filter_of: (table.packed?.foundBy ?? []).join(' '),
    ranges,
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

/** Fewer of the rows than one in so many are decoded by themselves. */
const fewOf = 4;

/** A chunk that was read. Its columns are unpacked when they are asked for. */
export class Chunk {
  readonly #table: DbTable;
  readonly #appId: string;
  readonly #head: Head;
  readonly #content: string;
  /** Where the bytes of each column begin. */
  readonly #starts = new Map<string, number>();
  readonly #coded = new Map<string, CodedColumn>();
  readonly #columns = new Map<string, Promise<readonly SqlValue[]>>();
  #times: Promise<ArrayLike<number>> | undefined;

  private constructor(table: DbTable, appId: string, { head, content, start }: Opened) {
    this.#table = table;
    this.#appId = appId;
    this.#head = head;
    this.#content = content;
    let place = start;
    for (const [name, { size }] of Object.entries(head.columns)) {
      this.#starts.set(name, place);
      place += size;
    }
  }

  /** @throws Error for a chunk of a later version */
  static open(table: DbTable, appId: string, content: string): Chunk {
    const start = 4 + someBytesOfText(content, 0, 4).readUInt32LE();
    const head = JSON.parse(decompress(someBytesOfText(content, 4, start)).toString()) as Head;
    if ((head.format ?? 1) > chunkFormat)
      throw new Error(
        `Old records were packed by a later version of Pharos (format ${head.format}), which this one cannot read.`,
      );
    return new Chunk(table, appId, { head, content, start });
  }

  get length(): number {
    return this.#head.rows;
  }

  /** The positions of its rows: 0, 1, 2 … */
  get places(): readonly number[] {
    return Array.from({ length: this.length }, (_, place) => place);
  }

  /**
   * The cells of a column, in the order of the rows. One that the table did not have then is what the table declares for it, or
   * else null, throughout.
   */
  column(name: string): Promise<readonly SqlValue[]> {
    const known = this.#columns.get(name) ?? this.#cells(name);
    this.#columns.set(name, known);
    return known;
  }

  /** The cells of a column in some rows. */
  async cells(name: string, places: readonly number[]): Promise<readonly SqlValue[]> {
    if (!this.#columns.has(name) && places.length * fewOf < this.length) return this.#cells(name, places);
    const all = await this.column(name);
    return places.map((place) => all[place] ?? null);
  }

  /** The rows in which a column has one of these texts. */
  async placesOf(name: string, texts: readonly string[]): Promise<readonly number[]> {
    const coded = this.#codedOf(name);
    if (coded) return coded.placesOf(texts);
    const asked = new Set<SqlValue>(texts);
    return (await this.column(name)).flatMap((cell, place) => (asked.has(cell) ? place : []));
  }

  async #cells(name: string, places?: readonly number[]): Promise<readonly SqlValue[]> {
    const length = places?.length ?? this.length;
    if (name === 'app_id') return Array.from({ length }, () => this.#appId);
    const coded = this.#codedOf(name);
    const joined = coded ? undefined : this.#joinedOf(name);
    if (joined) {
      const parts = await Promise.all(joined.map((part) => (places ? this.cells(part, places) : this.column(part))));
      return Array.from({ length }, (_, row) => joinCells(parts.map((cells) => cells[row])));
    }
    if (!coded) return Array.from({ length }, () => this.#table.packed?.added?.[name] ?? null);
    const base = name.endsWith('_at') && coded.isNear ? await this.#timesOfIds() : [];
    return places ? coded.some(base, places) : coded.all(base);
  }

  /** Undefined if it is not stored. */
  #codedOf(name: string): CodedColumn | undefined {
    const known = this.#coded.get(name);
    const [head, start] = [this.#head.columns[name], this.#starts.get(name)];
    if (known || !head || start === undefined) return known;
    const part = someBytesOfText(this.#content, start, start + head.size);
    const bytes = head.isCompressed ? decompress(part) : part;
    const coded = new CodedColumn({ coding: head.coding, bytes }, this.length);
    this.#coded.set(name, coded);
    return coded;
  }

  #joinedOf(name: string): readonly string[] | undefined {
    return (this.#head.joined ?? this.#table.packed?.joined)?.[name];
  }

  #timesOfIds(): Promise<ArrayLike<number>> {
    this.#times ??= this.#readTimes();
    return this.#times;
  }

  async #readTimes(): Promise<ArrayLike<number>> {
    // What is joined begins with its first part, and so does its time.
    const first = this.#codedOf(idColumn) ?? this.#codedOf(this.#joinedOf(idColumn)?.[0] ?? '');
    return first?.times() ?? (await this.column(idColumn)).map((id) => timeOfId(String(id)));
  }

  /** What is in it, as it is packed with it. */
  async summary(): Promise<Pick<Packing, 'filter' | 'filter_of' | 'ranges'>> {
    const slices = new WorkSlices();
    const foundBy = this.#table.packed?.foundBy ?? [];
    const values = new Set<string>();
    for (const name of foundBy) {
      for (const cell of await this.column(name)) if (typeof cell === 'string') values.add(cell);
      await slices.rest();
    }
    const ranges: Record<string, NumberRange> = {};
    for (const name of numberColumns(this.#table)) {
      ranges[name] = rangeOfCells(await this.column(name));
      await slices.rest();
    }
    return { filter: filterOf(values), filter_of: foundBy.join(' '), ranges };
  }

  /** Whole rows, by their places. */
  async rows(places: readonly number[]): Promise<Row[]> {
    const names = Object.keys(this.#table.columns);
    const columns: (readonly SqlValue[])[] = [];
    const slices = new WorkSlices();
    for (const name of names) {
      columns.push(await this.cells(name, places));
      await slices.rest();
    }
    const rows: Row[] = [];
    for (let place = 0; place < places.length; place++) {
      const row: Record<string, SqlValue> = {};
      for (const [n, name] of names.entries()) row[name] = columns[n]?.[place] ?? null;
      rows.push(row);
      if (rows.length % rowsOfSlice === 0) await slices.rest();
    }
    return rows;
  }

  /** All of them. */
  all(): Promise<Row[]> {
    return this.rows(this.places);
  }
}

interface Opened {
  readonly head: Head;
  readonly content: string;
  /** Of the columns' bytes. */
  readonly start: number;
}
