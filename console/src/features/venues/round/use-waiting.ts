import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSession } from '../../../lib/data/access.ts';
import { placementKeys } from '../../../lib/data/placements.ts';
import { withSession } from '../../../lib/data/signing-in.ts';
import { planKeys } from '../../../lib/data/venue-queries.ts';
import { t } from '../../../lib/words/words.ts';
import { dropWaiting, keepWaiting, listWaiting, photoFrom, replaceWaiting, type Waiting } from './queue.ts';
import { send } from './send.ts';

type Placed = Omit<Waiting, 'id' | 'person' | 'appId' | 'venueId'>;

/** What waits on this device for the service, and sending it: at once, and again when the network is back. */
export function useWaiting(appId: string, venueId: string) {
  const { email: person } = useSession();
  const queries = useQueryClient();
  const [waiting, setWaiting] = useState<readonly Waiting[]>([]);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const last = useRef<Promise<unknown>>(Promise.resolve());

  const read = useCallback(async () => {
    const all = await listWaiting(person, appId, venueId);
    setWaiting(all);
    return all;
  }, [person, appId, venueId]);

  /** One after the other, also when it is asked for twice. */
  const sendAll = useCallback(() => {
    const work = async () => {
      setSending(true);
      setFailure(undefined);
      try {
        for (const one of await read()) {
          if (one.problem) continue;
          if ((await withSession(() => send(one))) === 'later') break;
          await read();
        }
        for (const queryKey of [...placementKeys(appId), ...planKeys(appId)])
          void queries.invalidateQueries({ queryKey });
        await read();
      } catch (error) {
        setFailure(error instanceof DOMException ? cannotKeep() : (error as Error).message);
      } finally {
        setSending(false);
      }
    };
    last.current = last.current.then(work);
    return last.current;
  }, [read, queries, appId]);

  useEffect(() => {
    void sendAll();
    const again = () => void sendAll();
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [sendAll]);

  return {
    waiting,
    isSending,
    failure,
    sendAll,
    add: async (one: Placed) => {
      const id = `${appId} ${person} ${one.beacon.objectId}`;
      try {
        await replaceWaiting(id, (earlier) => ({ ...again(earlier, one), id, person, appId, venueId }));
      } catch {
        return setFailure(cannotKeep());
      }
      await read();
      void sendAll();
    },
    /** Ours counts, whatever somebody else has changed it to. */
    overwrite: async ({ problem, ...one }: Waiting) => {
      await keepWaiting({ ...one, beacon: problem?.theirs ?? one.beacon });
      await sendAll();
    },
    drop: async ({ id }: Waiting) => {
      await dropWaiting(id);
      await read();
    },
  };
}

/** Placed again before it was sent: the photograph is still the newest one, and where it was put first is nobody else's doing. */
function again(earlier: Waiting | undefined, one: Placed): Placed {
  if (!earlier) return one;
  const { location: before, photo, photoId } = earlier;
  return { ...one, before, ...(one.photo ? {} : { photo, photoId, photoFrom: photoFrom(earlier) }) };
}

const cannotKeep = () =>
  t('This browser keeps nothing on the device, so that nothing can be done without a network. Leave its private mode.');

export type WaitingRound = ReturnType<typeof useWaiting>;
