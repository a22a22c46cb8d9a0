import { isoTime } from '@pharos/query';
import type { SqlValue } from '../../base/sql.ts';
import { type Column, double, bigint as integer, nullable, text as textColumn, withDefault } from '../../db/table.ts';

/** How the members of a record are kept in columns, and shown again. */

export type MemberKind = 'text' | 'number' | 'boolean' | 'time' | 'json' | 'pointer';

/**
 * A member that identifies phones, and what everybody but its own user is shown instead in apps with pseudonyms: the pseudonym of
 * the day, nothing (null or left out), or less.
 */
export interface OfPhone {
  /** The column that determines its day: a time (ms), or an objectId, which begins with one. */
  readonly day: string;
  readonly as: 'pseudonym' | 'nothing' | ((row: Readonly<Record<string, SqlValue>>) => SqlValue);
}

interface Options {
  readonly phone?: OfPhone;
  /** For pointers: the class that the stored id belongs to. */
  readonly className?: string;
  /** The column may be null, which is shown as null. */
  readonly nullable?: true;
  /** The column may be null; then the member is left out of answers. */
  readonly optional?: true;
  /** Left out of answers where a row is shown without it. */
  readonly omitNull?: true;
  /** Never in answers, but a where and an order may name it. */
  readonly hidden?: true;
  /** JSON text that stands for "nothing given", such as `{}`. */
  readonly empty?: string;
  /** The column of a number holds fractions too. */
  readonly isFraction?: true;
  /** The database fills it in. */
  readonly hasDefault?: true;
}

export interface Member extends Options {
  readonly column: string;
  readonly kind: MemberKind;
}

export type Members = Readonly<Record<string, Member>>;

const member =
  <K extends MemberKind>(kind: K) =>
  <const N extends string, const O extends Options = object>(name: N, options?: O) =>
    ({ column: name, kind, ...options }) as { readonly column: N; readonly kind: K } & NoInfer<O>;

export const text = member('text');
export const number = member('number');
export const boolean = member('boolean');
export const time = member('time');
export const json = member('json');
export const pointer = <const N extends string, const C extends string, const O extends Options = object>(
  name: N,
  className: C,
  options?: O,
) =>
  ({ column: name, kind: 'pointer', className, ...options }) as {
    readonly column: N;
    readonly kind: 'pointer';
    readonly className: C;
  } & NoInfer<O>;

type Plain<K extends MemberKind> = K extends 'text' | 'json' | 'pointer' ? string : number;
type MayBeNull<M> = M extends { readonly nullable: true } | { readonly optional: true } ? null : never;
type HasDefault<M> = M extends { readonly hasDefault: true } ? true : false;

/** What every record has that somebody has created. */
export const madeMembers = {
  createdBy: pointer('created_by', '_User', { optional: true }),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
} as const;

export type ColumnsOf<M extends Members> = {
  readonly [K in keyof M as M[K]['column']]: Column<Plain<M[K]['kind']> | MayBeNull<M[K]>, HasDefault<M[K]>>;
};

/** What a member of this kind is given as: times as epoch milliseconds, pointers as in the interface. */
interface Given {
  readonly text: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly time: number;
  readonly json: unknown;
  readonly pointer: { readonly objectId: string };
}

/** The values of members, as they are written; null clears one, undefined leaves it alone. */
export type MemberValues<M extends Members> = { readonly [K in keyof M]?: Given[M[K]['kind']] | null };

const columnTypes: Readonly<Record<MemberKind, Column>> = {
  text: textColumn,
  number: integer,
  boolean: integer,
  time: integer,
  json: textColumn,
  pointer: textColumn,
};

function columnOf({ kind, isFraction, ...member }: Member): Column {
  const plain: Column = isFraction ? double : columnTypes[kind];
  const column = member.nullable || member.optional ? nullable(plain) : plain;
  return member.hasDefault ? withDefault(column) : column;
}

export function columnsOf<const M extends Members>(members: M): ColumnsOf<M> {
  return Object.fromEntries(Object.values(members).map((each) => [each.column, columnOf(each)])) as ColumnsOf<M>;
}

/** Never null. */
export const isSet = ({ nullable, optional, omitNull }: Member) => !nullable && !optional && !omitNull;

/** Left out of answers while it is null, instead of shown as null. */
export const isLeftOut = ({ optional, omitNull }: Member) => optional === true || omitNull === true;

/** A pointer as JSON text, up to the id. */
export const pointerStart = (className: string) =>
  `{"__type":"Pointer","className":${JSON.stringify(className)},"objectId":`;

export function showCell(spec: Member, value: SqlValue): unknown {
  if (value === null) return null;
  switch (spec.kind) {
    case 'boolean':
      return value !== 0;
    case 'time':
      return isoTime(value as number);
    case 'json':
      return JSON.parse(value as string);
    case 'pointer':
      return { __type: 'Pointer', className: spec.className, objectId: value };
    default:
      return value;
  }
}

/** What a member of the interface is in the database. Times are given as epoch milliseconds. */
export function encodeValue(spec: Member, value: unknown): SqlValue {
  if (value === null || value === undefined) return spec.empty ?? null;
  switch (spec.kind) {
    case 'boolean':
      return value ? 1 : 0;
    case 'json':
      return JSON.stringify(value);
    case 'pointer':
      return (value as { objectId: string }).objectId;
    default:
      return value as SqlValue;
  }
}
