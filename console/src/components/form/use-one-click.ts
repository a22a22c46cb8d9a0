import { entityTag, PharosError } from '@pharos/sdk';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { t } from '../../lib/words/words.ts';

interface OneClick<Stored extends object, Change> {
  /** What a person calls the record. */
  readonly name: string;
  readonly read: () => Promise<Stored>;
  /** Changes it if it still has the tag. Returns the answer with the new tag. */
  readonly send: (change: Change, ifMatch: string | undefined) => Promise<object>;
  /** What has to be read again when somebody else has changed it. */
  readonly refresh: readonly QueryKey[];
}

/** Somebody has changed the record since it was read. */
export const isChanged = (error: unknown) => error instanceof PharosError && error.name === 'PreconditionFailed';

const maxTries = 4;

/** Reads a record and changes it as it is then, again if somebody else has changed it in between. */
export async function asItIsNow<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await change();
    } catch (error) {
      if (tries === maxTries || !isChanged(error)) throw error;
    }
  }
}

/**
 * Changes a record with one click. If somebody else has changed the same member since the page was read, it says so and shows that instead.
 */
export function useOneClick<Stored extends object, Change>({ name, read, send, refresh }: OneClick<Stored, Change>) {
  const queries = useQueryClient();
  const refused = async () => {
    await Promise.all(refresh.map((queryKey) => queries.invalidateQueries({ queryKey })));
    return new Error(
      t('Somebody else has changed {name} meanwhile. Nothing was changed: look at what is there now, and try again.', {
        name,
      }),
    );
  };
  return {
    /** Returns the answer with the tag of the changed record. @throws Error when what `isAsShown` compares has changed */
    async change(body: Change, isAsShown: (now: Stored) => boolean): Promise<object> {
      const now = await read();
      if (!isAsShown(now)) throw await refused();
      try {
        return await send(body, entityTag(now));
      } catch (error) {
        throw isChanged(error) ? await refused() : error;
      }
    },
    /** @throws Error when somebody has changed the record since */
    async takeBack(changed: object, body: Change): Promise<void> {
      try {
        await send(body, entityTag(changed));
      } catch (error) {
        if (!isChanged(error)) throw error;
        throw new Error(t('Somebody has changed it since, so it stays as it is now.'));
      }
    },
  };
}
