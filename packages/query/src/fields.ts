import type { Sql } from './sql.ts';

/**
 * What a `where` or an `order` may name, and where the database keeps it.
 *
 * A resource declares its fields once. The parser looks names up through a `FieldLookup`; a name that it does not find
 * is refused. A hidden column is never reachable, because it is never declared.
 */

/** The type of a field's values; conditions with a value of another type match nothing. */
export type FieldType = 'string' | 'number' | 'boolean' | 'date' | 'pointer' | 'json';

/** A field with a column of its own. `boolean` is stored as 0/1, `date` as epoch milliseconds, `pointer` as the id. */
export interface ColumnField {
  readonly from: 'column';
  readonly column: string;
  readonly type: FieldType;
  /** For pointers: the class of the record that they point to. */
  readonly className?: string;
  /**
   * `json` columns hold JSON text. A path below leads to a member of it (`location.x`).
   */
  readonly path?: readonly string[];
  /**
   * Leads an index after `app_id` (and after whatever else every query of the list fixes), with object_id last.
   * `unique`: a value occurs at most once.
   */
  readonly indexed?: true | 'unique';
  /**
   * Never null, so an order by it need not mention nulls, which PostgreSQL's indexes sort differently from the
   * interface.
   */
  readonly isSet?: true;
}

/** Where the texts of a list member are found. Both select objectIds. */
export interface ListMember {
  /** The records that hold a text; `and value = …` follows. */
  readonly rows: Sql;
  /** All records that are asked about; `and …` follows. */
  readonly all: Sql;
}

export interface MemberField {
  readonly from: 'member';
  /** The column with the JSON text of the document. */
  readonly column: string;
  readonly path: readonly string[];
  /** The type that the bucket's schema declares for it, if any. Only `date` changes how values are compared. */
  readonly declared?: 'string' | 'number' | 'boolean' | 'date';
  /**
   * A typed copy of the member in a column with an index, set only while the copy is exact: every record of the bucket
   * has either a value of the declared type or none. Number, boolean (0/1) and date (epoch ms) slots are doubles,
   * −Infinity where the member is missing or null; text slots hold `v` + text, and the empty string where it is missing
   * or null. So plain ascending order puts missing values first on both databases.
   */
  readonly slot?: string;
  /** An index of the texts that the member holds, set only while it is exact. */
  readonly list?: ListMember;
}

export type Field = ColumnField | MemberField;

/** Finds a field by its name; undefined if there is none. It gets only names whose form `findField` has checked. */
export type FieldLookup = (name: string) => Field | undefined;

const segmentForm = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** Segments after the first, which is the name of a member of the record. */
const maxPathDepth = 8;

/**
 * Finds a field by a name that a caller wrote, after checking its form: segments of letters, digits, `_` and `-`,
 * separated by dots, at most 8 after the first. The code that writes paths into SQL relies on this.
 */
export function findField(fields: FieldLookup, name: string): Field | undefined {
  const segments = name.split('.', maxPathDepth + 2);
  const fits = segments.length <= maxPathDepth + 1 && segments.every((segment) => segmentForm.test(segment));
  return fits ? fields(name) : undefined;
}

/**
 * A lookup over the columns of a table. What follows `document.name` (`metadata.a.b`, or `metadata` itself with an
 * empty path) is left to `document.find`; a column of type `json` is reachable with a path below it (`location.x`).
 */
export function createFieldLookup(
  columns: Readonly<Record<string, ColumnField>>,
  document?: { readonly name: string; readonly find: (path: readonly string[]) => Field | undefined },
): FieldLookup {
  const known = new Map(Object.entries(columns));
  return (name) => {
    const [head = '', ...path] = name.split('.');
    if (head === document?.name) return document.find(path);
    const column = known.get(head);
    if (path.length === 0) return column;
    return column?.type === 'json' ? { ...column, path: [...(column.path ?? []), ...path] } : undefined;
  };
}
