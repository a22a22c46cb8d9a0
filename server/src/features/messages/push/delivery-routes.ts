import { parseInstant } from '@pharos/query';
import { type Static, Type } from 'typebox';
import { ownTraces } from '../../../access/caller.ts';
import { isProven, notProven, proofOf } from '../../../access/installation-proof.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { getEndpoint, listEndpoint } from '../../../resources/read-endpoints.ts';
import type { Context } from '../../context.ts';
import { noteReceipt } from './delivery-store.ts';
import { deliveries } from './resource.ts';
import { receiptsExample, receiptsShape } from './schemas.ts';

export interface DeliveryRouteDeps extends Pick<Context, 'findInstallationId' | 'findProvable' | 'findHeld'> {
  readonly db: Db;
  /** Told in the transaction of each receipt that was noted. */
  readonly noteReceipt: Context['noteReceiptOfShowing'];
}

const { tag } = deliveries;

export function deliveryEndpoints(deps: DeliveryRouteDeps): Endpoint[] {
  const options = {
    ...deliveries,
    db: deps.db,
    // The id of a delivery of a push has that of the phone in it.
    ownOnly: 'push_id',
    narrow: ownTraces(deps.findHeld, 'deliveries_installation', ['created_at']),
  };
  const description =
    'Newest first: what became of each message for each recipient. Ask by `pushId`, `triggerId`, `installationId`, `state` and so on. ' +
    'Users see those to their own installations; managers see all.';
  return [listEndpoint(options, { description, defaultOrder: '-objectId' }), getEndpoint(options), report(deps)];
}

function report({ db, findInstallationId, findProvable, noteReceipt: note }: DeliveryRouteDeps): Endpoint {
  return endpoint<Static<typeof receiptsShape.schema>>({
    method: 'POST',
    path: '/receipts',
    operationId: 'reportReceipts',
    needsNoRoom: true,
    tag,
    summary: 'Report that messages came or were opened',
    description:
      'Sent by the app with the `deliveryId` that a message carries, as often as it likes: the first report counts. ' +
      "Ids that are unknown, or not this installation's, are listed and do not stop the others.",
    grant: 'app',
    scopes: [{ of: 'receipts', verb: 'create' }],
    takesInstallationSecret: true,
    body: receiptsShape.body(receiptsExample),
    answer: {
      status: 200,
      description: 'Noted.',
      schema: Type.Object({
        result: Type.Object({ accepted: Type.Integer({ minimum: 0 }), unknown: Type.Array(Type.String()) }),
      }),
      example: { result: { accepted: 1, unknown: [] } },
    },
    errors: ['ValidationError', 'ObjectNotFound'],
    handle: async (call) => {
      const { app, body, now } = call;
      const installationId = await findInstallationId(db, app.appId, body.installationId);
      if (installationId === undefined) throw fail('ObjectNotFound', 'There is no such installation.');
      const provable = await findProvable(db, app.appId, installationId);
      if (provable && !isProven(provable, proofOf(call))) throw notProven();
      const unknown = await db.transaction(async (db) => {
        const missed: string[] = [];
        for (const { deliveryId, event, at } of body.receipts) {
          // A clock that is ahead must not put receipts into the future.
          const time = Math.min(now, at === undefined ? now : (parseInstant(at) ?? now));
          const receipt = { deliveryId, installationId, event, at: time, now };
          if (await noteReceipt(db, app.appId, receipt)) await note(db, app.appId, receipt);
          else missed.push(deliveryId);
        }
        return missed;
      });
      return { result: { accepted: body.receipts.length - unknown.length, unknown } };
    },
  });
}
