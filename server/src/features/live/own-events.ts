import type { FindHeld } from '../../access/caller.ts';
import type { LiveEvent } from './store.ts';

interface Said {
  readonly timestamp: string;
  readonly data: { readonly installationId?: { readonly objectId: string }; readonly enteredAt?: string };
}

/**
 * Leaves the events of a user's own installations, from the moment on at which they became hers. They are looked up for
 * each portion of events, so that an installation that has gone to somebody else is heard of no more.
 */
export function ownEvents(findHeld: FindHeld, appId: string, userId: string) {
  return async (events: readonly LiveEvent[]): Promise<readonly LiveEvent[]> => {
    const held = new Map((await findHeld(appId, userId)).map((one) => [one.objectId, one.heldSince]));
    if (held.size === 0) return [];
    return events.filter((event) => {
      const { timestamp, data } = JSON.parse(event.data) as Said;
      const since = held.get(data.installationId?.objectId ?? '');
      if (since === undefined) return false;
      return Date.parse(timestamp) >= since && Date.parse(data.enteredAt ?? timestamp) >= since;
    });
  };
}
