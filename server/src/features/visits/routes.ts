import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { getEndpoint, listEndpoint, type ReadOptions } from '../../http/read-endpoints.ts';
import { visitRecord } from './schemas.ts';
import { visitTable } from './store.ts';

export function visitEndpoints(db: Db): Endpoint[] {
  const visits: ReadOptions = {
    db,
    table: visitTable,
    noun: ['visit', 'visits'],
    title: ['Visit', 'Visits'],
    tag: 'Visits',
    path: '/visits',
    record: visitRecord,
    grants: { read: 'user' },
    defaultLimit: 100,
  };
  const description = 'Newest first. A visit runs from ENTER to EXIT of one installation at one beacon.';
  return [listEndpoint(visits, { description, defaultOrder: '-enteredAt' }), getEndpoint(visits)];
}
