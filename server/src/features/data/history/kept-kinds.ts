import { recordChange } from '../../../access/audit.ts';
import type { Permission } from '../../../access/roles.ts';
import { findVenuesOf } from '../../../access/venue-limit.ts';
import type { Db } from '../../../db/db.ts';
import { auditedHandle } from '../../../http/audited-handle.ts';
import { carryOut, dataCall } from '../../../http/console/data-call.ts';
import { JsonText } from '../../../http/endpoint.ts';
import type { PastRecord } from '../../../resources/past.ts';
import type { PutBack } from '../../../resources/restore.ts';
import type { Context } from '../../context.ts';
import type { Deleted, HistoryCall, KeptKind } from './kinds.ts';

/** The kinds of records that have earlier versions: how each is changed back and restored. */
export function keptKinds(context: Context): readonly KeptKind[] {
  const { db, apps, appTag, blobs, buckets, findVenueOf, putFileBack, storylineParts } = context;
  const content = { read: 'content.read', write: 'content.write' } as const;
  return [
    {
      ...resourceKind(context, 'notifications', context.notificationParts.putBack, 'updateNotification', content),
      async venueOf({ appId, state }) {
        const beaconId = idIn(state, 'beaconId');
        return (await findVenuesOf(db, appId, [beaconId])).get(beaconId);
      },
    },
    {
      ...resourceKind(context, 'storylines', storylineParts.storylines, 'updateStoryline', content),
      putBack: (call, deleted, take) => inTransaction(context, take, (db) => storyline(context, db, call, deleted)),
    },
    resourceKind(
      context,
      'scenarios',
      storylineParts.scenarios,
      'updateStorylineDetail',
      content,
      ({ withinId, objectId }) => ({
        objectId: withinId,
        detailId: objectId,
      }),
    ),
    {
      ...resourceKind(context, 'beacons', context.beaconParts.putBack, 'updateBeacon', {
        read: 'beacons.read',
        write: 'beacons.write',
      }),
      venueOf: async ({ state }) => idIn(state, 'venueId'),
    },
    {
      ...resourceKind(context, 'zones', context.venueParts.putBack, 'updateZone', {
        read: 'venues.read',
        write: 'venues.write',
      }),
      venueOf: ({ appId, state }) => findVenueOf(db, appId, { dimension: 'floor', id: idIn(state, 'floorId') }),
    },
    resourceKind(context, 'devices', context.deviceParts.putBack, 'updateDevice', {
      read: 'devices.read',
      write: 'devices.write',
    }),
    recordKind(context),
    {
      name: 'files',
      read: 'files.read',
      write: 'files.write',
      putBack: ({ call }, deleted, take) => putFileBack({ db, blobs }, deleted, { now: call.now, take }),
    },
    {
      name: 'buckets',
      read: 'buckets.read',
      write: 'buckets.write',
      putBack: (_call, deleted, take) => buckets.putBucketBack(deleted, take),
    },
    {
      name: 'schemas',
      read: 'schemas.read',
      write: 'schemas.write',
      putBack: (_call, deleted, take) => buckets.putSchemaBack(deleted, take),
    },
    {
      name: 'settings',
      read: 'apps.read',
      write: 'apps.change',
      bringBack: async ({ call }, { objectId, state }) => {
        return appTag(await apps.change(objectId, state, call.by, call.assertUnchanged));
      },
    },
  ];
}

/** The id that a member of a deleted record pointed to; '' without one. */
const idIn = (state: object, member: string): string =>
  (state as Record<string, { readonly objectId: string } | undefined>)[member]?.objectId ?? '';

type ParamsOf = (past: PastRecord) => Readonly<Record<string, string>>;

const ownId: ParamsOf = ({ objectId }) => ({ objectId });

function resourceKind(
  context: Context,
  name: string,
  putBack: PutBack,
  operationId: string,
  permissions: { readonly read: Permission; readonly write: Permission },
  paramsOf = ownId,
): KeptKind {
  return {
    name,
    ...permissions,
    bringBack: (call, past) => {
      const { properties = {} } = (context.endpointNamed(operationId).body?.schema ?? {}) as { properties?: object };
      const cleared = Object.fromEntries(Object.keys(properties).map((member) => [member, null]));
      return change(context, call, { operationId, params: paramsOf(past), body: { ...cleared, ...past.state } });
    },
    putBack: (call, deleted, take) =>
      inTransaction(context, take, (db) => putBack(db, callerOf(call), deleted, call.call.now)),
  };
}

function recordKind(context: Context): KeptKind {
  const { db, findBucketName, findRecords, putRecordBack } = context;
  return {
    name: 'records',
    read: 'records.read',
    write: 'records.write',
    bringBack: async (call, { appId, withinId, objectId, state }) => {
      const bucketName = (await findBucketName(db, appId, withinId)) ?? '';
      return change(context, call, {
        operationId: 'updateRecord',
        params: { bucketName, objectId },
        body: { metadata: state },
      });
    },
    putBack: ({ app, call }, deleted, take) => putRecordBack(app, deleted, { now: call.now, take }),
    findExisting: (appId, withinId, ids) => findRecords(db, { appId, bucketId: withinId }, ids),
  };
}

interface Wanted {
  readonly operationId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Changes a record as a request would, with an entry in the audit. Answers its tag. */
async function change(
  context: Context,
  { call, app }: HistoryCall,
  { operationId, params, body }: Wanted,
): Promise<string | undefined> {
  const endpoints = context.endpoints();
  const early = dataCall(call, app, { params, headers: call.headers });
  const answer = await carryOut(context.endpointNamed(operationId), early, body, (endpoint, data) =>
    auditedHandle(endpoint, data, {
      endpoints,
      record: (entry) => recordChange(context.db, entry),
      by: call.by,
      action: 'version.restore',
    }),
  );
  return answer instanceof JsonText ? answer.headers?.['etag'] : undefined;
}

const callerOf = ({ call, app }: HistoryCall) => dataCall(call, app, { params: {} });

function inTransaction(
  { db }: Context,
  take: (db: Db) => Promise<void>,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  return db.transaction(async (db) => {
    await take(db);
    await work(db);
  });
}

async function storyline(
  { storylineParts: { storylines, scenarios } }: Context,
  db: Db,
  call: HistoryCall,
  deleted: Deleted,
): Promise<void> {
  const caller = callerOf(call);
  const { now } = call.call;
  await storylines(db, caller, deleted, now);
  for (const { hasSameOwner, ...child } of deleted.children) {
    const createdBy = hasSameOwner ? deleted.createdBy : null;
    const scenario = {
      ...child,
      appId: deleted.appId,
      withinId: deleted.objectId,
      title: '',
      createdBy,
      updatedAt: now,
    };
    await scenarios(db, caller, scenario, now);
  }
}
