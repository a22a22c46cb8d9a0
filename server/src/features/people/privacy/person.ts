import { joinSql, listSql, raw, type Sql, sql } from '../../../base/sql.ts';
import type { DbTable, Fate, Mentions } from '../../../db/table.ts';
import type { Resource } from '../../../resources/define.ts';

/**
 * What the service knows of a person, as one list. It follows from the declarations of the tables, and both the export and the
 * erasure go through it, so that nothing is shown that is not erased, or the other way round.
 */

export interface Person {
  readonly appId: string;
  /** Undefined for somebody without an account. */
  readonly userId: string | undefined;
  readonly installationIds: readonly string[];
  /** Since when (ms) installations are hers: what was recorded before is somebody else's. Without it, always. */
  readonly since?: ReadonlyMap<string, number>;
}

/** The rows of the installations themselves. */
interface Phone {
  readonly how: 'phone';
}

/** Rows that say where an installation was or what it was sent. */
interface Trace {
  readonly how: 'trace';
  readonly column: string;
  /** When a row was recorded (ms); undefined: it is the present state. */
  readonly at: string | undefined;
}

/** Rows that name a user. */
interface Named {
  readonly how: 'named';
  readonly columns: readonly string[];
  readonly fate: Fate;
}

/** Rows in whose texts an id stands. */
interface Mentioned {
  readonly how: 'mentioned';
  readonly mentions: Mentions;
}

export type PersonPart = (Phone | Trace | Named | Mentioned) & {
  readonly table: DbTable;
  /** How its rows are shown; as they are without one. */
  readonly resource: Resource | undefined;
};

/** The ids that may stand in texts about a person. */
export const idsOf = ({ userId, installationIds }: Pick<Person, 'userId' | 'installationIds'>): readonly string[] => [
  ...installationIds,
  ...(userId === undefined ? [] : [userId]),
];

/** A table may be in the list twice: for what it says of installations, and for what it says of users. */
export function partsOf(tables: readonly DbTable[], resources: readonly Resource[]): readonly PersonPart[] {
  return tables.flatMap((table): PersonPart[] => {
    if (!('app_id' in table.columns)) return [];
    const { trail, users, mentions } = table;
    const common = { table, resource: resources.find((one) => one.table === table) };
    return [
      ...(table.name === 'installations' ? [{ ...common, how: 'phone' } as const] : []),
      ...(trail ? [{ ...common, how: 'trace', column: trail.installation, at: trail.at } as const] : []),
      ...(users ? [{ ...common, how: 'named', columns: users, fate: fateOf(table) } as const] : []),
      ...listOf(mentions).map((mentions) => ({ ...common, how: 'mentioned', mentions }) as const),
    ];
  });
}

const listOf = (mentions: Mentions | readonly Mentions[] = []): readonly Mentions[] =>
  [mentions].flat() as readonly Mentions[];

/** What somebody has made stays, unless it is said to be hers. */
const fateOf = ({ erased, users = [] }: DbTable): Fate =>
  erased ?? (users.includes('created_by') ? 'unname' : 'delete');

const among = (column: string, ids: readonly string[]): Sql => sql`${raw(column)} in (${listSql(ids)})`;

const none = raw('1 = 0');

export function scopeOf(part: PersonPart, { appId, userId, installationIds, since }: Person): Sql {
  const ofApp = sql`app_id = ${appId}`;
  switch (part.how) {
    case 'phone':
      return installationIds.length === 0 ? none : sql`${ofApp} and ${among('object_id', installationIds)}`;
    case 'trace': {
      if (installationIds.length === 0) return none;
      const { column, at } = part;
      const later = [...(at === undefined ? [] : (since ?? []))].map(
        ([id, from]) => sql` and (${raw(column)} <> ${id} or ${raw(at ?? '')} >= ${from})`,
      );
      return sql`${ofApp} and ${among(column, installationIds)}${joinSql(later, '')}`;
    }
    case 'named': {
      if (userId === undefined) return none;
      const named = part.columns.map((column) => sql`${raw(column)} = ${userId}`);
      return sql`${ofApp} and (${joinSql(named, ' or ')})`;
    }
    case 'mentioned': {
      const ids = idsOf({ installationIds, userId });
      if (ids.length === 0) return none;
      // Ids are letters and digits, so that none of them is a pattern.
      const found = part.mentions.in.flatMap((column) =>
        ids.map((id) => {
          const from = since?.get(id);
          const later = from === undefined ? raw('') : sql` and created_at >= ${from}`;
          return sql`(${raw(column)} like ${`%${id}%`}${later})`;
        }),
      );
      return sql`${ofApp} and ${raw(part.mentions.only ?? '1 = 1')} and (${joinSql(found, ' or ')})`;
    }
  }
}
