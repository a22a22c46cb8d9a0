import { PharosError } from '@pharos/sdk';
import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DeletedKind, KeptKind } from '../../lib/data/history.ts';
import { givenName } from '../../lib/data/own-files.ts';
import { canonical } from '../../lib/text/json-compare.ts';
import { t } from '../../lib/words/words.ts';
import type { AnyBulkField } from './bulk-fields.tsx';
import { type Body, type Outcome, send, whyNotBack } from './bulk-pieces.ts';

/** What can be done with the chosen records of a list. */
export interface Bulk {
  readonly kind: KeptKind | DeletedKind | 'venues' | 'users';
  /** Changes a record, as its PATCH does. */
  readonly change?: Body['operation'];
  /** Its PUT, which replaces the members that it names. */
  readonly replace?: Body['operation'];
  /** Puts them into the trash. */
  readonly remove?: Body['operation'];
  /**
   * In place of an operation of many: changes one, if the members that the change names are still those of `seen`.
   *
   * @throws PharosError PreconditionFailed if they are not
   */
  readonly each?: (seen: Named, change: Plain) => Promise<unknown>;
  readonly bucketName?: string;
  /** They can be switched on and off. */
  readonly hasSwitch?: true;
  /** What switching them off means; by default that nobody is shown them. */
  readonly offText?: string;
  /** To somewhere else. */
  readonly move?: Move;
  /** The fields that can be set to one value in all records. */
  readonly fields?: readonly AnyBulkField[];
  readonly refresh: readonly QueryKey[];
}

export interface Move {
  /** On the button: `Move to a beacon`. */
  readonly label: string;
  readonly control: (value: string, onChange: (value: string) => void) => ReactNode;
  readonly changeOf: (value: string) => object;
}

/** One change of many records. */
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

/** Records as they were selected: one that has changed since is skipped. */
const asChosen = (ids: readonly string[], chosen: Chosen) =>
  ids.map((objectId) => ({
    objectId,
    updatedAt: (chosen.get(objectId) as { readonly updatedAt: string }).updatedAt,
  }));

/** Deletes the records that are still as they were chosen. The others are refused, one by one. */
export async function removeMany(appId: string, bulk: Bulk, chosen: Chosen): Promise<Outcome> {
  const ids = [...chosen.keys()];
  if (!bulk.remove) throw new Error(t('These records are not deleted at once.'));
  return send(appId, { operation: bulk.remove, ids, records: asChosen(ids, chosen), ...within(bulk) });
}

/** Changes one after the other. What the service refuses of one does not stop the others. */
async function oneByOne(
  change: NonNullable<Bulk['each']>,
  wanted: readonly { readonly seen: Named; readonly change: Plain }[],
): Promise<Outcome> {
  const done: string[] = [];
  const failed: Outcome['failed'][number][] = [];
  for (const [place, one] of wanted.entries()) {
    const { objectId } = one.seen;
    try {
      await change(one.seen, one.change);
      done.push(objectId);
    } catch (error) {
      if (!(error instanceof PharosError)) throw error;
      const { name, message } = error;
      const cannotGoOn = error.status >= 500 || error.status === 0;
      if (cannotGoOn && done.length === 0) throw error;
      // The records changed so far are reported, and can be undone.
      const left = cannotGoOn ? wanted.slice(place) : [one];
      failed.push(...left.map(({ seen }) => ({ objectId: seen.objectId, error: name, message })));
      if (cannotGoOn) break;
    }
  }
  return { done, changed: done.map((objectId) => ({ objectId, updatedAt: '' })), failed };
}

function operationOf({ change, replace }: Bulk, isWhole: boolean | undefined): Body['operation'] {
  const operation = isWhole ? replace : change;
  if (!operation) throw new Error(t('These records are only deleted at once.'));
  return operation;
}

/** Changes the records that are still as they were chosen. The others are refused, one by one. */
export async function changeMany(
  appId: string,
  bulk: Bulk,
  { change, ids, isWhole }: BulkChange,
  chosen: Chosen,
): Promise<Outcome> {
  const { each } = bulk;
  if (each) {
    const wanted = ids.map((id) => ({ seen: chosen.get(id) as Named, change: change as Plain }));
    return oneByOne(each, wanted);
  }
  const operation = operationOf(bulk, isWhole);
  const records = asChosen(ids, chosen);
  return send(appId, { operation, ids: [...ids], change: change as never, records, ...within(bulk) });
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
  const records = changed.map(({ objectId, updatedAt }) => ({
    objectId,
    updatedAt,
    change: former(change as Plain, (chosen.get(objectId) ?? {}) as Plain, isWhole) as never,
  }));
  const ids = changed.map(({ objectId }) => objectId);
  const { each } = bulk;
  const back = (objectId: string) => {
    const had = chosen.get(objectId) as Named;
    return { seen: { ...had, ...change }, change: former(change as Plain, had, isWhole) };
  };
  const { failed } = each
    ? await oneByOne(each, ids.map(back))
    : await send(appId, { operation: operationOf(bulk, isWhole), ids, records, ...within(bulk) });
  if (failed.length === 0) return;
  throw new Error(whyNotBack(failed, (objectId) => nameOfRecord(chosen.get(objectId) ?? { objectId })));
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

/** A record after a change. */
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

/** What a person calls a record. */
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
    known['objectId'],
  ];
  return String(names.find((name) => typeof name === 'string' && name !== ''));
}
