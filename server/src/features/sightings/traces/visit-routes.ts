import { type FindHeld, ownTraces } from '../../../access/caller.ts';
import type { Db } from '../../../db/db.ts';
import type { Endpoint } from '../../../http/endpoint.ts';
import { getEndpoint, listEndpoint } from '../../../resources/read-endpoints.ts';
import { visits } from './visits.ts';

export function visitEndpoints(db: Db, findHeld: FindHeld): Endpoint[] {
  const options = {
    ...visits,
    db,
    narrow: ownTraces(findHeld, 'visits_installation_entered', ['created_at', 'entered_at']),
  };
  const description =
    'Newest first. A visit runs from ENTER to EXIT of one installation at one beacon. Users see those of their own ' +
    'installations; managers see all.';
  return [listEndpoint(options, { description, defaultOrder: '-enteredAt' }), getEndpoint(options)];
}
