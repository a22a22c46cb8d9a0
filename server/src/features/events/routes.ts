import type { Db, Row } from '../../db/db.ts';
import type { Table } from '../../db/table.ts';
import { fail } from '../../errors.ts';
import { listAnswer, recordAnswer } from '../../http/answers.ts';
import { type Endpoint, endpoint, JsonText } from '../../http/endpoint.ts';
import { listParameters, listRecords } from '../../http/list.ts';
import { eventRecord, judgedEventRecord, verdictRecord } from './schemas.ts';
import { eventTable, findVerdicts, verdictTable } from './store.ts';

const tag = 'Events';

export function eventEndpoints(db: Db): Endpoint[] {
  return [
    list(db, eventTable, {
      path: '/events',
      operationId: 'listEvents',
      summary: 'List confirmed events',
      description: 'Newest first: ENTER, EXIT and the changes of zone that the engine has confirmed.',
      record: eventRecord,
    }),
    get(db),
    list(db, verdictTable, {
      path: '/verdicts',
      operationId: 'listVerdicts',
      summary: 'List verdicts',
      description:
        'Newest first: for every event and each notification or scenario of its beacon, whether it was shown, and if ' +
        'not, why. Ask by `triggerId`, `installationId`, `eventId`, `reason` and so on.',
      record: verdictRecord,
    }),
  ];
}

interface Listed extends Pick<Endpoint, 'path' | 'operationId' | 'summary'> {
  readonly description: string;
  readonly record: { readonly schema: Parameters<typeof listAnswer>[0]; readonly example: unknown };
}

function list(db: Db, table: Table, { record, ...listed }: Listed): Endpoint {
  return endpoint({
    ...listed,
    method: 'GET',
    tag,
    grant: 'user',
    query: listParameters,
    answer: listAnswer(record.schema, record.example),
    errors: ['InvalidQuery', 'Timeout'],
    handle: ({ app, query }) =>
      listRecords(db, table, {
        scope: table.match({ app_id: app.appId }),
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
    path: '/events/:objectId',
    operationId: 'getEvent',
    tag,
    summary: 'Get an event and why each message was shown or not',
    grant: 'user',
    answer: recordAnswer(judgedEventRecord.schema, judgedEventRecord.example),
    errors: ['ObjectNotFound'],
    locate: async ({ app, params }) => {
      const row = await eventTable.find(db, { app_id: app.appId, object_id: params['objectId'] ?? '' });
      if (!row) throw fail('ObjectNotFound', 'There is no event with this objectId.');
      return row;
    },
    handle: async ({ app, params, located }) => {
      const verdicts = await findVerdicts(db, app.appId, params['objectId'] ?? '');
      return new JsonText(`{"result":${eventTable.render(located).slice(0, -1)},"verdicts":[${verdicts.join(',')}]}}`);
    },
  });
}
