import { Type } from 'typebox';
import type { Db, Row } from '../../db/db.ts';
import { fail } from '../../errors.ts';
import { listAnswer, recordAnswer } from '../../http/answers.ts';
import { type Endpoint, endpoint, JsonText } from '../../http/endpoint.ts';
import { listParameters, listRecords } from '../../http/list.ts';
import { parseInstant } from '../../query/instant.ts';
import { noteReceipt } from './delivery-store.ts';
import { deliveryTable } from './delivery-table.ts';
import { deliveryRecord, receiptsExample, receiptsShape } from './schemas.ts';

export interface DeliveryRouteDeps {
  readonly db: Db;
  /** The objectId of an installation, by that or by the client's own id. */
  readonly findInstallationId: (db: Db, appId: string, id: string) => Promise<string | undefined>;
}

const tag = 'Deliveries';

export function deliveryEndpoints(deps: DeliveryRouteDeps): Endpoint[] {
  return [list(deps), get(deps), report(deps)];
}

function list({ db }: DeliveryRouteDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/deliveries',
    operationId: 'listDeliveries',
    tag,
    summary: 'List deliveries',
    description:
      'Newest first: what became of each message for each recipient. Ask by `pushId`, `triggerId`, `installationId`, `state` and so on.',
    grant: 'user',
    query: listParameters,
    answer: listAnswer(deliveryRecord.schema, deliveryRecord.example),
    errors: ['InvalidQuery', 'Timeout'],
    handle: ({ app, query }) =>
      listRecords(db, deliveryTable, {
        scope: deliveryTable.match({ app_id: app.appId }),
        query,
        defaultLimit: 100,
        defaultOrder: '-objectId',
        share: app.appId,
      }),
  });
}

function get({ db }: DeliveryRouteDeps): Endpoint {
  return endpoint<undefined, Row>({
    method: 'GET',
    path: '/deliveries/:objectId',
    operationId: 'getDelivery',
    tag,
    summary: 'Get a delivery',
    grant: 'user',
    answer: recordAnswer(deliveryRecord.schema, deliveryRecord.example),
    errors: ['ObjectNotFound'],
    locate: async ({ app, params }) => {
      const row = await deliveryTable.find(db, { app_id: app.appId, object_id: params['objectId'] ?? '' });
      if (!row) throw fail('ObjectNotFound', 'There is no delivery with this objectId.');
      return row;
    },
    handle: async ({ located }) => new JsonText(`{"result":${deliveryTable.render(located)}}`),
  });
}

interface Receipts {
  readonly installationId: string;
  readonly receipts: readonly {
    readonly deliveryId: string;
    readonly event: 'received' | 'opened';
    readonly at?: string;
  }[];
}

function report({ db, findInstallationId }: DeliveryRouteDeps): Endpoint {
  return endpoint<Receipts>({
    method: 'POST',
    path: '/receipts',
    operationId: 'reportReceipts',
    tag,
    summary: 'Report that messages came or were opened',
    description:
      'Sent by the app with the `deliveryId` that a message carries, as often as it likes: the first report counts. ' +
      "Ids that are unknown, or not this installation's, are listed and do not stop the others.",
    grant: 'app',
    body: {
      schema: receiptsShape.schema,
      example: receiptsExample,
      read: (body) => receiptsShape.readCreate(body) as Receipts,
    },
    answer: {
      status: 200,
      description: 'Noted.',
      schema: Type.Object({
        result: Type.Object({ accepted: Type.Integer({ minimum: 0 }), unknown: Type.Array(Type.String()) }),
      }),
      example: { result: { accepted: 1, unknown: [] } },
    },
    errors: ['ValidationError', 'ObjectNotFound'],
    handle: async ({ app, body, now }) => {
      const installationId = await findInstallationId(db, app.appId, body.installationId);
      if (installationId === undefined) throw fail('ObjectNotFound', 'There is no such installation.');
      const unknown = await db.transaction(async (db) => {
        const missed: string[] = [];
        for (const { deliveryId, event, at } of body.receipts) {
          // A clock that is ahead must not put receipts into the future.
          const time = Math.min(now, at === undefined ? now : (parseInstant(at) ?? now));
          const receipt = { deliveryId, installationId, event, at: time, now };
          if (!(await noteReceipt(db, app.appId, receipt))) missed.push(deliveryId);
        }
        return missed;
      });
      return { result: { accepted: body.receipts.length - unknown.length, unknown } };
    },
  });
}
