import type { Static, TObject } from 'typebox';
import type { ResourceName } from '../access/rules/presets.ts';
import type { VenueLink } from '../access/venue-limit.ts';
import type { ErrorName } from '../base/errors.ts';
import { type Columns, type DbTable, defineTable, text } from '../db/table.ts';
import type { Tag } from '../http/endpoint.ts';
import type { Shape } from '../http/shape.ts';
import { type ColumnsOf, columnsOf, type Members } from './members/members.ts';
import { type RecordTable, recordsOf } from './table.ts';

/** A member that answers always have is in a column that is never null, one that may be absent or null in one that is. */
type KindFor<V> = V extends number
  ? 'number'
  : V extends boolean
    ? 'boolean'
    : V extends string
      ? 'text' | 'time'
      : 'pointer' | 'json';
type MemberFor<V> = { readonly column: string; readonly kind: KindFor<NonNullable<V>> } & (null extends V
  ? { readonly nullable: true }
  : unknown);

/** A column for each member of the schema; what the schema does not show is hidden. */
type MembersFor<R, M, Made extends string = never> = {
  readonly [K in Exclude<keyof R, Made>]-?: MemberFor<R[K]>;
} & { readonly [K in Exclude<keyof M, keyof R>]: { readonly hidden: true } };

/** How records are written: the body of a new one, from which those of PUT and PATCH follow. */
export interface Writing<B extends TObject> {
  readonly shape: Shape<B>;
  readonly example: Readonly<Record<string, unknown>>;
  /** The specification wraps the answers to update and delete in an array. */
  readonly wrapsInArray?: true;
  /** Default: ValidationError. */
  readonly errors?: readonly ErrorName[];
}

/** Members of a body whose column keeps milliseconds: a client sends a text, which has to be read first. */
type UnreadTimes<B, M> = {
  [K in keyof B & keyof M]: M[K] extends { readonly kind: 'time' } ? (string extends B[K] ? K : never) : never;
}[keyof B & keyof M];

/** Every member of the body is stored somewhere, as it is sent. */
type Kept<W, M> =
  W extends Writing<infer B>
    ? Exclude<keyof Static<B>, keyof M> extends never
      ? UnreadTimes<Required<Static<B>>, M> extends never
        ? unknown
        : { readonly keepsTextAsTime: UnreadTimes<Required<Static<B>>, M> }
      : { readonly lacksColumnFor: Exclude<keyof Static<B>, keyof M> }
    : unknown;

type AppColumns<M extends Members, I extends Columns> = { readonly app_id: typeof text } & ColumnsOf<M> & I;

interface Declared<S extends TObject, M extends Members, I extends Columns, Made extends string, W> {
  /** The feature's folder. */
  readonly owner: string;
  readonly table: string;
  /** Singular and plural as in a sentence: `beacon`, `beacons`. */
  readonly noun: readonly [singular: string, plural: string];
  /** For operation ids: `Beacon`, `Beacons`; the nouns without it. */
  readonly title?: readonly [singular: string, plural: string];
  /** The class that pointers to a record name, if there are any. */
  readonly className?: string;
  readonly tag: Tag;
  readonly path: string;
  /** The path parameter of one record; `objectId` unless the path has that name already. */
  readonly idName?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** A record as answers show it. */
  readonly record: { readonly schema: S; readonly example: Readonly<Record<string, unknown>> };
  readonly body?: W;
  readonly members: M & MembersFor<Static<S>, M, Made>;
  /** Members of answers that are in no column but follow from the others. */
  readonly made?: readonly Made[];
  /** Columns that no member shows. */
  readonly internal?: I;
  readonly key?: readonly NoInfer<keyof AppColumns<M, I> & string>[];
  /** Whose rules say who may read and write it. */
  readonly rules: ResourceName;
  /** How its records belong to venues, if they do. */
  readonly venue?: VenueLink;
  /** Of a page of a list; 100 without it. */
  readonly defaultLimit?: number;
}

/** What a resource says of its table alone. */
const tableFacts = [
  ...(['indexes', 'childOf', 'stepBy', 'within', 'trail', 'kept'] as const),
  ...(['users', 'erased', 'mentions', 'secrets', 'staysBecause'] as const),
] as const;
type TableFacts<C extends Columns> = Pick<Parameters<typeof defineTable<C>>[0], (typeof tableFacts)[number]>;

type Shown = 'noun' | 'className' | 'tag' | 'path' | 'idName' | 'parameters' | 'record' | 'rules' | 'venue';

export interface Resource<
  M extends Members = Members,
  C extends Columns = Columns,
  S extends TObject = TObject,
  W = unknown,
> extends Pick<Declared<S, M, Columns, never, W>, Shown>,
    Required<Pick<Declared<S, M, Columns, never, W>, 'title' | 'defaultLimit'>> {
  readonly table: DbTable<C>;
  readonly records: RecordTable<M, C>;
  readonly body: W;
}

/**
 * A resource, declared once: what its records look like, the columns of its table, its indexes, whose data its rows are, its
 * tag and who may read it. The table, what lists may filter and order by, bulk inserts, answers and the OpenAPI document
 * follow from it. A member of the schema without a column, or a column without a member, does not compile.
 */
export function defineResource<
  S extends TObject,
  const M extends Members,
  const I extends Columns = Record<never, never>,
  const Made extends string = never,
  W extends Writing<TObject> | undefined = undefined,
>(
  resource: Declared<S, M, I, Made, W> & TableFacts<NoInfer<AppColumns<M, I>>> & { readonly body?: Kept<W, M> },
): Resource<M, AppColumns<M, I>, S, W> {
  const { owner, table: name, members, internal, body, key = ['app_id', 'object_id'], ...rest } = resource;
  const title = rest.noun.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const columns = { app_id: text, ...columnsOf(members), ...internal } as AppColumns<M, I>;
  const isOfTable = (fact: string) => (tableFacts as readonly string[]).includes(fact);
  const those = (ofTable: boolean) =>
    Object.fromEntries(Object.entries(rest).filter(([fact]) => isOfTable(fact) === ofTable));
  const table = defineTable<AppColumns<M, I>>({ name, owner, columns, key, ...those(true) });
  const records = recordsOf<M, AppColumns<M, I>>(table, members as never);
  return { title, defaultLimit: 100, ...those(false), body, table, records } as unknown as Resource<
    M,
    AppColumns<M, I>,
    S,
    W
  >;
}
