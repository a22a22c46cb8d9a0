import type { Db, Row } from '../../db/db.ts';
import { fail } from '../../errors.ts';
import { listAnswer, recordAnswer } from '../../http/answers.ts';
import { type Endpoint, endpoint, JsonText } from '../../http/endpoint.ts';
import { listParameters, listRecords } from '../../http/list.ts';
import { visitRecord } from './schemas.ts';
import { visitTable } from './store.ts';

const tag = 'Visits';

export function visitEndpoints(db: Db): Endpoint[] {
  return [list(db), get(db)];
}

function list(db: Db): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/visits',
    operationId: 'listVisits',
    tag,
    summary: 'List visits',
    description: 'Newest first. A visit runs from ENTER to EXIT of one installation at one beacon.',
    grant: 'user',
    query: listParameters,
    answer: listAnswer(visitRecord.schema, visitRecord.example),
    errors: ['InvalidQuery', 'Timeout'],
    handle: ({ app, query }) =>
      listRecords(db, visitTable, {
        scope: visitTable.match({ app_id: app.appId }),
        query,
        defaultLimit: 100,
        defaultOrder: '-objectId',
        share: app.appId,
      }),
  });
}

function get(db: Db): Endpoint {
  return endpoint<undefined, Row>({
    method: 'GET',
    path: '/visits/:objectId',
    operationId: 'getVisit',
    tag,
    summary: 'Get a visit',
    grant: 'user',
    answer: recordAnswer(visitRecord.schema, visitRecord.example),
    errors: ['ObjectNotFound'],
    locate: async ({ app, params }) => {
      const row = await visitTable.find(db, { app_id: app.appId, object_id: params['objectId'] ?? '' });
      if (!row) throw fail('ObjectNotFound', 'There is no visit with this objectId.');
      return row;
    },
    handle: async ({ located }) => new JsonText(`{"result":${visitTable.render(located)}}`),
  });
}
