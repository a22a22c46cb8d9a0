import { QueryError } from '@pharos/query';
import type { Caller } from '../../../access/caller.ts';
import { findBeaconsIn, venuesFor } from '../../../access/venue-limit.ts';
import type { Db, Row } from '../../../db/db.ts';
import type { Endpoint } from '../../../http/endpoint.ts';
import { orderedFields, whereFields } from '../../../http/hidden-members.ts';

/** The beacons that competed for a visitor may be those of a neighbouring venue, of which whoever is limited to others is told nothing. */

interface Stored {
  readonly beaconId: { readonly objectId: string };
}

/** How rows of events are shown to the caller; undefined: as they are. */
export async function showingRivals(
  db: Db,
  caller: Caller,
  verb: 'list' | 'get',
): Promise<((row: Row) => Row) | undefined> {
  const venues = venuesFor(caller, 'events', verb);
  if (venues === undefined) return undefined;
  const own = await findBeaconsIn(db, caller.app.appId, venues);
  return (row) => {
    if (row['rivals'] === null) return row;
    const rivals = JSON.parse(String(row['rivals'])) as readonly Stored[];
    return { ...row, rivals: JSON.stringify(rivals.filter(({ beaconId }) => own.has(beaconId.objectId))) };
  };
}

/** A list of events by which nobody finds out about rivals that are not shown. */
export function withoutAskingForRivals(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    handle: async (call) => {
      const asked = [...whereFields(call.query), ...orderedFields(call.query)];
      const field = asked.find((name) => name === 'rivals' || name.startsWith('rivals.'));
      if (field !== undefined && venuesFor(call, 'events', 'list') !== undefined)
        throw new QueryError([{ field, problem: 'is not a field that can be asked for' }]);
      return endpoint.handle(call);
    },
  };
}
