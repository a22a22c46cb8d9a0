import { PharosError } from '@pharos/sdk';
import type { QueryKey } from '@tanstack/react-query';
import { canonical } from '../../lib/text/json-compare.ts';
import { useOneClick } from '../form/use-one-click.ts';

interface Deletion<Stored extends object> {
  /** What a person calls the record. */
  readonly name: string;
  /** As it is on the page. */
  readonly shown: Stored;
  /** The members that somebody may have changed since; all of them unless given. */
  readonly members?: readonly (keyof Stored)[];
  readonly read: () => Promise<Stored>;
  readonly send: (ifMatch: string | undefined) => Promise<object>;
  readonly refresh: readonly QueryKey[];
}

/** Deletes a record, unless somebody else has changed it since the page was read: then it says so, and shows it. */
export function useDeleteAsShown<Stored extends object>(deletion: Deletion<Stored>): () => Promise<object> {
  const { name, shown, members = Object.keys(shown) as (keyof Stored)[], read, send, refresh } = deletion;
  const { change } = useOneClick<Stored, undefined>({
    name,
    read,
    send: (_nothing, ifMatch) => send(ifMatch),
    refresh,
  });
  const of = (record: Stored) => canonical(members.map((member) => record[member] ?? null));
  return async () => {
    try {
      return await change(undefined, (now) => of(now) === of(shown));
    } catch (error) {
      if (isGone(error)) return {};
      throw error;
    }
  };
}

/** As wanted: the answer to an earlier try was lost, or somebody else has deleted it. */
const isGone = (error: unknown) => error instanceof PharosError && error.status === 404 && error.code === 101;
