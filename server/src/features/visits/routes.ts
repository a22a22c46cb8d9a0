import { type FindHeld, ownTraces } from '../../access/caller.ts';
import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { getEndpoint, listEndpoint, type ReadOptions } from '../../resources/read-endpoints.ts';
import { visitRecord } from './schemas.ts';
import { visitTable } from './store.ts';

export function visitEndpoints(db: Db, findHeld: FindHeld): Endpoint[] {
  const visits: ReadOptions = {
    db,
    table: visitTable,
    noun: ['visit', 'visits'],
    title: ['Visit', 'Visits'],
    tag: 'Visits',
    path: '/visits',
    record: visitRecord,
    grants: { read: 'user' },
    narrow: ownTraces(findHeld, 'visits_installation_entered', ['created_at', 'entered_at']),
    defaultLimit: 100,
  };
  const description =
    'Newest first. A visit runs from ENTER to EXIT of one installation at one beacon. Users see those of their own ' +
    'installations; managers see all.';
  return [listEndpoint(visits, { description, defaultOrder: '-enteredAt' }), getEndpoint(visits)];
}
