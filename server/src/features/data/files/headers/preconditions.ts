import type { ByteRange } from '../../../../blobs/blob-store.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What conditional requests compare of a stored file. */
export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  /** Epoch milliseconds. HTTP dates have whole seconds. */
  readonly modifiedAt: number;
}

/** Whether the caller has this file already (RFC 9110, section 13.2.2): If-None-Match wins over If-Modified-Since. */
export function isUnchanged(headers: Headers, { etag, modifiedAt }: Validators): boolean {
  const known = text(headers['if-none-match']);
  if (known !== undefined) return known.trim() === '*' || tags(known).includes(etag);
  const since = httpDate(text(headers['if-modified-since']));
  return since !== undefined && wholeSeconds(modifiedAt) <= since;
}

/**
 * The bytes to send: one range, `undefined` for all, or 'unsatisfiable' (416). A malformed range, another unit or
 * several ranges get the whole file, as RFC 9110, section 14.2 allows; so does a range of another version (If-Range).
 */
export function requestedRange(
  headers: Headers,
  size: number,
  validators: Validators,
): ByteRange | 'unsatisfiable' | undefined {
  const form = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(text(headers['range']) ?? '');
  if (!form || !holds(text(headers['if-range']), validators)) return undefined;
  const [, first = '', last = ''] = form;
  if (first === '') return last === '' ? undefined : suffix(Number(last), size);
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start < size ? { start, end } : 'unsatisfiable';
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  return length > 0 && size > 0 ? { start: Math.max(0, size - length), end: size - 1 } : 'unsatisfiable';
}

/** If-Range compares strongly: a weak tag never matches, and a date only if it is exactly the file's. */
function holds(condition: string | undefined, { etag, modifiedAt }: Validators): boolean {
  if (condition === undefined) return true;
  return condition.trim() === etag || httpDate(condition) === wholeSeconds(modifiedAt);
}

/** Entity tags of a list, compared weakly: `W/` is ignored. */
function tags(list: string): readonly string[] {
  return list.match(/"[^"]*"/g) ?? [];
}

function httpDate(value: string | undefined): number | undefined {
  if (value === undefined || !/^[A-Z][a-z]{2,8},? /.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

function wholeSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000) * 1000;
}

/** A header that is given twice is ignored. */
function text(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
