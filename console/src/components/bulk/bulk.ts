import type { QueryKey } from '@tanstack/react-query';
import type { DeletedKind, KeptKind } from '../../lib/data/history.ts';
import { givenName } from '../../lib/data/own-files.ts';
import { canonical } from '../../lib/text/json-compare.ts';
import { t } from '../../lib/words/words.ts';
import type { AnyBulkField } from './bulk-fields.tsx';
import { type Body, type Outcome, send, whyNotBack } from './bulk-pieces.ts';

/** What can be done with the chosen records of a list. */
export interface Bulk {
  readonly kind: KeptKind | DeletedKind | 'messages' | 'venues' | 'users' | 'webhooks';
  /** Of a list with records of several kinds: what can be done with one of them. */
  readonly kindOf?: (record: object) => Bulk;
  /** Changes a record, as its PATCH does. */
  readonly change?: Body['operation'];
  /** Its PUT, which replaces the members that it names. */
  readonly replace?: Body['operation'];
  /** Puts them into the trash. */
  readonly remove?: Body['operation'];
  /** They do not go into the trash: what deleting them means. */
  readonly goneText?: string;
  /**
   * Where `updatedAt` says too little or too much: a record is left alone if a member that is changed is not as it was chosen, or, where
   * it is deleted, one of these.
   */
  readonly seen?: readonly string[];
  readonly bucketName?: string;
  /** They can be switched on and off; what else the member is called that says so than `isEnabled`. */
  readonly hasSwitch?: true | 'disabled' | 'enabled';
  /** What switching them off means; that nobody is shown them unless given. */
  readonly offText?: string;
  /** The fields that can be set to one value in all records. */
  readonly fields?: readonly AnyBulkField[];
  readonly refresh: readonly QueryKey[];
}

export interface BulkChange {
  readonly change: object;
  readonly ids: readonly string[];
  /** The members that it names replace those of the record; otherwise objects are merged. */
  readonly isWhole?: boolean;
}

type Plain = Readonly<Record<string, unknown>>;
type Named = Plain & { readonly objectId: string };
type Chosen = ReadonlyMap<string, object>;

const within = ({ bucketName }: Bulk) => (bucketName === undefined ? {} : { bucketName });

/** Records as they were chosen: one that has changed since is left alone. */
const asChosen = (ids: readonly string[], chosen: Chosen, seen: readonly string[] | undefined) =>
  ids.map((objectId) => {
    const record = chosen.get(objectId) as Named;
    if (!seen) return { objectId, updatedAt: String(record['updatedAt']) };
    return { objectId, seen: Object.fromEntries(seen.map((name) => [name, record[name]])) };
  });

/** What switching them on or off changes. */
export const switchTo = ({ hasSwitch }: Bulk, isOn: boolean): object =>
  hasSwitch === 'disabled' ? { disabled: !isOn } : hasSwitch === 'enabled' ? { enabled: isOn } : { isEnabled: isOn };

interface OfKind {
  readonly bulk: Bulk;
  readonly ids: readonly string[];
}

/** Does it kind by kind, and answers what became of all. */
async function byKind(
  { bulk, ids }: OfKind,
  chosen: Chosen,
  run: (part: OfKind) => Promise<Outcome>,
): Promise<Outcome> {
  const { kindOf } = bulk;
  if (!kindOf) return run({ bulk, ids });
  const kinds = Map.groupBy(ids, (id) => kindOf(chosen.get(id) ?? {}).kind);
  const outcomes: Outcome[] = [];
  for (const part of kinds.values())
    outcomes.push(await run({ bulk: kindOf(chosen.get(part[0] ?? '') ?? {}), ids: part }));
  return {
    done: outcomes.flatMap(({ done }) => done),
    changed: outcomes.flatMap(({ changed }) => changed),
    failed: outcomes.flatMap(({ failed }) => failed),
  };
}

/** Deletes the records that are still as they were chosen. The others are refused, one by one. */
export function removeMany(appId: string, all: Bulk, chosen: Chosen): Promise<Outcome> {
  return byKind({ bulk: all, ids: [...chosen.keys()] }, chosen, async ({ bulk, ids }) => {
    if (!bulk.remove) throw new Error(t('These records are not deleted at once.'));
    const records = asChosen(ids, chosen, bulk.seen);
    return send(appId, { operation: bulk.remove, ids: [...ids], records, ...within(bulk) });
  });
}

/**
 * Undoes a deletion.
 *
 * @throws Error that names the records that stay in the trash
 */
export async function restoreMany(
  appId: string,
  bulk: Bulk,
  { ids, chosen }: { readonly ids: readonly string[]; readonly chosen: Chosen },
): Promise<void> {
  const outcome = await byKind({ bulk, ids }, chosen, (part) =>
    send(appId, { operation: 'restoreDeleted', ids: [...part.ids], kind: part.bulk.kind, ...within(part.bulk) }),
  );
  assertBack(outcome, chosen);
}

/** @throws Error that names the records that were not changed back */
function assertBack({ failed }: Outcome, chosen: Chosen): void {
  if (failed.length === 0) return;
  throw new Error(whyNotBack(failed, (objectId) => nameOfRecord(chosen.get(objectId) ?? { objectId })));
}

function operationOf({ change, replace }: Bulk, isWhole: boolean | undefined): Body['operation'] {
  const operation = isWhole ? replace : change;
  if (!operation) throw new Error(t('These records are only deleted at once.'));
  return operation;
}

/** Changes the records that are still as they were chosen. The others are refused, one by one. */
export function changeMany(
  appId: string,
  all: Bulk,
  { change, ids: allIds, isWhole }: BulkChange,
  chosen: Chosen,
): Promise<Outcome> {
  return byKind({ bulk: all, ids: allIds }, chosen, ({ bulk, ids }) => {
    const operation = operationOf(bulk, isWhole);
    const records = asChosen(ids, chosen, bulk.seen && Object.keys(change));
    return send(appId, { operation, ids: [...ids], change: change as never, records, ...within(bulk) });
  });
}

/**
 * Undoes a change: each record gets its former values, unless somebody has changed it since.
 *
 * @throws Error that names the records that stay as they are
 */
export async function changeBack(
  appId: string,
  bulk: Bulk,
  { chosen, changed, wanted: { change, isWhole } }: { chosen: Chosen; changed: Outcome['changed']; wanted: BulkChange },
): Promise<void> {
  const { seen } = bulk;
  const records = changed.map(({ objectId, updatedAt }) => ({
    objectId,
    ...(seen ? { seen: change as never } : { updatedAt }),
    change: former(change as Plain, (chosen.get(objectId) ?? {}) as Plain, isWhole) as never,
  }));
  const all = { bulk, ids: changed.map(({ objectId }) => objectId) };
  const outcome = await byKind(all, chosen, (part) =>
    send(appId, {
      operation: operationOf(part.bulk, isWhole),
      ids: [...part.ids],
      records: records.filter(({ objectId }) => part.ids.includes(objectId)),
      ...within(part.bulk),
    }),
  );
  assertBack(outcome, chosen);
}

/** The members that a change names, as a record has them; null for those it has not. */
export function former(change: Plain, record: Plain, isWhole = false): Plain {
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => {
      const had = record[name] ?? null;
      return [name, !isWhole && isPlain(value) && isPlain(had) ? former(value, had) : had];
    }),
  );
}

/** A pointer is one value. */
const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('__type' in value);

interface Plan {
  readonly change: object;
  /** The records that it changes. */
  readonly ids: readonly string[];
  readonly differing: readonly (readonly [string, object])[];
  /** The number of records that have the value already. */
  readonly same: number;
}

/** What giving a field a value does to each of the chosen records. */
export function planOf(
  { path, isWhole }: Pick<AnyBulkField, 'path' | 'isWhole'>,
  value: unknown,
  chosen: Chosen,
): Plan {
  const change = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Plain;
  const differing = [...chosen].filter(([, record]) => !hasAlready(change, record as Plain, isWhole));
  return { change, ids: differing.map(([id]) => id), differing, same: chosen.size - differing.length };
}

function hasAlready(change: Plain, record: Plain, isWhole?: true): boolean {
  const now = former(change, record, isWhole);
  return canonical(now) === canonical(former(change, applied(change, record, isWhole), isWhole));
}

function applied(change: Plain, record: Plain, isWhole?: true): Plain {
  const members = Object.entries(change).map(([name, value]) => {
    const had = record[name] ?? null;
    if (isWhole || !isPlain(value)) return [name, value] as const;
    if (isPlain(had)) return [name, applied(value, had)] as const;
    // Removing a member of an object that is not there changes nothing.
    return [name, Object.values(value).every((one) => one === null) ? had : value] as const;
  });
  return { ...record, ...Object.fromEntries(members) };
}

export const valueAt = (record: object, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Plain | null | undefined)?.[name], record);

export function nameOfRecord(record: object): string {
  const known = record as Plain;
  const inside = typeof known['metadata'] === 'object' ? Object.values(known['metadata'] ?? {}) : [];
  const names = [
    'contentType' in known ? givenName(String(known['name'])) : known['name'],
    known['title'],
    known['description'],
    known['deviceName'],
    `${known['firstname'] ?? ''} ${known['lastname'] ?? ''}`.trim(),
    known['email'],
    ...inside,
    known['url'],
    known['objectId'],
  ];
  return String(names.find((name) => typeof name === 'string' && name !== ''));
}
