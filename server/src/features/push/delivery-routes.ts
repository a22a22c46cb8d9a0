import { Type } from 'typebox';
import { type FindHeld, ownTraces } from '../../access/caller.ts';
import { isProven, notProven, type Provable, proofOf } from '../../access/installation-proof.ts';
import { fail } from '../../base/errors.ts';
import type { Database, Db } from '../../db/db.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { parseInstant } from '../../query/instant.ts';
import { getEndpoint, listEndpoint } from '../../resources/read-endpoints.ts';
import { mayBePacked, noteReceipt, noteReceiptsOfPacked, type PushReceipt } from './delivery-store.ts';
import { deliveries } from './resource.ts';
import { receiptsExample, receiptsShape } from './schemas.ts';

export interface DeliveryRouteDeps {
  readonly db: Database;
  /** The objectId of an installation, by that or by the client's own id. */
  readonly findInstallationId: (db: Db, appId: string, id: string) => Promise<string | undefined>;
  readonly findProvable: (db: Db, appId: string, objectId: string) => Promise<Provable | undefined>;
  readonly findHeld: FindHeld;
  /** Told in the transaction of each receipt that was noted. */
  readonly noteReceipt: (db: Db, appId: string, receipt: ReceiptOf) => Promise<void>;
}

interface ReceiptOf {
  readonly deliveryId: string;
  readonly installationId: string;
  readonly event: 'received' | 'opened';
  readonly at: number;
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

/** Answers those whose deliveries are not stored. */
async function noteStored(
  receipts: readonly PushReceipt[],
  {
    db,
    appId,
    note,
  }: { readonly db: Database; readonly appId: string; readonly note: DeliveryRouteDeps['noteReceipt'] },
): Promise<readonly PushReceipt[]> {
  return db.transaction(async (db) => {
    const missed: PushReceipt[] = [];
    for (const receipt of receipts) {
      if (await noteReceipt(db, appId, receipt)) await note(db, appId, receipt);
      else missed.push(receipt);
    }
    return missed;
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

function report({ db, findInstallationId, findProvable, noteReceipt: note }: DeliveryRouteDeps): Endpoint {
  return endpoint<Receipts>({
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
    handle: async (call) => {
      const { app, body, now } = call;
      const installationId = await findInstallationId(db, app.appId, body.installationId);
      if (installationId === undefined) throw fail('ObjectNotFound', 'There is no such installation.');
      const provable = await findProvable(db, app.appId, installationId);
      if (provable && !isProven(provable, proofOf(call))) throw notProven();
      const receipts = body.receipts.map(({ deliveryId, event, at }) => {
        // A clock that is ahead must not put receipts into the future.
        const time = Math.min(now, at === undefined ? now : (parseInstant(at) ?? now));
        return { deliveryId, installationId, event, at: time, now };
      });
      const { appId } = app;
      const stored = (asked: readonly PushReceipt[]) => noteStored(asked, { db, appId, note });
      let missed = await stored(receipts);
      if (missed.length > 0) {
        const also = (db: Db, receipt: PushReceipt) => note(db, appId, receipt);
        const packed = await noteReceiptsOfPacked(db, { appId, installationId, receipts: missed }, also);
        missed = missed.filter(({ deliveryId }) => !packed.has(deliveryId));
        // One that was unpacked in between.
        if (missed.length > 0 && (await mayBePacked(db, appId))) missed = await stored(missed);
      }
      const unknown = missed.map(({ deliveryId }) => deliveryId);
      return { result: { accepted: body.receipts.length - unknown.length, unknown } };
    },
  });
}
