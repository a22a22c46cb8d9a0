import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../lib/data/api.ts';
import type { KeptKind } from '../../lib/data/history.ts';
import type { Operations } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';

type Body = Operations['changeMany']['body'];
export type Outcome = Operations['changeMany']['answer']['result'];

/** What can be done with the chosen records of a list. */
export interface Bulk {
  readonly kind: KeptKind;
  /** Changes a record, as its PATCH does. */
  readonly change?: Body['operation'];
  readonly remove: Body['operation'];
  readonly bucketName?: string;
  /** They can be switched on and off. */
  readonly hasSwitch?: true;
  /** To somewhere else. */
  readonly move?: Move;
  readonly refresh: readonly QueryKey[];
}

export interface Move {
  /** On the button: `Move to a beacon`. */
  readonly label: string;
  readonly control: (value: string, onChange: (value: string) => void) => ReactNode;
  readonly changeOf: (value: string) => object;
}

type Plain = Readonly<Record<string, unknown>>;

/** Most that the service takes at once. */
const most = 500;

async function send(appId: string, body: Body): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (let start = 0; start < body.ids.length; start += most) {
    const ids = body.ids.slice(start, start + most);
    outcomes.push((await call('changeMany', { params: { appId }, body: { ...body, ids } })).result);
  }
  return { done: outcomes.flatMap(({ done }) => done), failed: outcomes.flatMap(({ failed }) => failed) };
}

export function removeMany(appId: string, { remove, bucketName }: Bulk, ids: readonly string[]): Promise<Outcome> {
  return send(appId, { operation: remove, ids: [...ids], ...(bucketName === undefined ? {} : { bucketName }) });
}

export function changeMany(appId: string, bulk: Bulk, ids: readonly string[], change: object): Promise<Outcome> {
  if (!bulk.change) throw new Error(t('These records are only deleted at once.'));
  return send(appId, { operation: bulk.change, ids: [...ids], change: change as never });
}

/** Takes a change back: each record gets what it had before, those with the same together. */
export async function changeBack(
  appId: string,
  bulk: Bulk,
  { records, done, change }: { records: ReadonlyMap<string, object>; done: readonly string[]; change: object },
): Promise<void> {
  const groups = Map.groupBy(done, (id) => JSON.stringify(former(change as Plain, (records.get(id) ?? {}) as Plain)));
  for (const [text, ids] of groups) await changeMany(appId, bulk, ids, JSON.parse(text) as object);
}

/** The members that a change names, as a record has them; null for those it has not. */
export function former(change: Plain, record: Plain): Plain {
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => {
      const had = record[name];
      return [name, isPlain(value) ? former(value, isPlain(had) ? had : {}) : (had ?? null)];
    }),
  );
}

/** A pointer is one value. */
const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('__type' in value);
