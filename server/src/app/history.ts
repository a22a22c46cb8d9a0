import { recordChange } from '../access/audit.ts';
import type { AppContext } from '../access/context.ts';
import type { Permission } from '../access/roles.ts';
import { findVenuesOf } from '../access/venue-limit.ts';
import { fail } from '../base/errors.ts';
import type { Database, Db } from '../db/db.ts';
import { findBucket, findBucketName } from '../features/data/buckets/definition/bucket-store.ts';
import { findRecords } from '../features/data/buckets/definition/record-store.ts';
import type { BucketFeature } from '../features/data/buckets/feature.ts';
import type { BucketService } from '../features/data/buckets/service.ts';
import { bulkConsoleEndpoints } from '../features/data/bulk/console-routes.ts';
import type { BulkDeps } from '../features/data/bulk/target.ts';
import type { FileFeature } from '../features/data/files/feature.ts';
import type { Deleted, HistoryCall, KeptKind } from '../features/data/history/kinds.ts';
import { historyEndpoints } from '../features/data/history/routes.ts';
import { HistoryService } from '../features/data/history/service.ts';
import type { Feature } from '../features/feature.ts';
import { type AppService, appTag } from '../features/operate/apps/service.ts';
import { asking } from '../features/operate/apps/store.ts';
import { findVenueOf } from '../features/places/venues/store.ts';
import { auditedHandle } from '../http/audited-handle.ts';
import { carryOut, dataCall } from '../http/console/data-call.ts';
import { type Endpoint, JsonText } from '../http/endpoint.ts';
import { readIfMatch } from '../resources/entity-tag.ts';
import type { PastRecord } from '../resources/past.ts';
import type { PutBack } from '../resources/restore.ts';
import type { Platform } from './platform.ts';

/** Earlier states of records, those that were deleted, and changes of many at once. */
export function historyFeature(
  platform: Platform,
  kinds: Pick<KindDeps, 'putBack' | 'buckets' | 'files' | 'endpoints'> & Pick<BulkDeps, 'managed'>,
): Feature {
  const { db, now, apps, past, usage, assertRoom } = platform;
  const service = new HistoryService({
    db,
    now,
    past,
    usage,
    kinds: keptKinds({ db, apps, bucketService: platform.buckets, ...kinds }),
    appsWith: asking(db),
  });
  return {
    consoleEndpoints: [
      ...bulkConsoleEndpoints({
        ...platform,
        findApp: consoleApp(platform),
        endpoints: kinds.endpoints,
        managed: kinds.managed,
        async restoring(call, { app, kind, bucketName }) {
          const bucket = bucketName === undefined ? undefined : await findBucket(db, app.appId, bucketName);
          if (bucketName !== undefined && !bucket) throw fail('ObjectNotFound', 'There is no bucket with this name.');
          return service.restoring({ call, app }, kind, bucket?.object_id);
        },
      }),
      ...historyEndpoints({ service, findApp: consoleApp(platform), assertRoom }),
    ],
    sweeps: { 'emptying the trash': () => service.sweep() },
  };
}

/** Finds an app for the console, also one that is switched off. @throws Failure ObjectNotFound */
export function consoleApp({ cacheVersion, guard }: Platform): (appId: string) => Promise<AppContext> {
  return async (appId) => {
    await cacheVersion.fresh();
    return guard.appOfConsole(appId);
  };
}

export interface KindDeps {
  readonly db: Database;
  readonly apps: AppService;
  readonly endpoints: () => readonly Endpoint[];
  readonly buckets: Pick<BucketFeature, 'putBack'>;
  readonly bucketService: Pick<BucketService, 'putBucketBack' | 'putSchemaBack'>;
  readonly files: Pick<FileFeature, 'putBack'>;
  readonly putBack: Readonly<
    Record<'notifications' | 'storylines' | 'scenarios' | 'beacons' | 'zones' | 'devices', PutBack>
  >;
}

/** The kinds of records that have earlier versions: how each is changed back and restored. */
function keptKinds(deps: KindDeps): readonly KeptKind[] {
  const { db, apps, files, bucketService } = deps;
  const content = { read: 'content.read', write: 'content.write' } as const;
  return [
    {
      ...resourceKind(deps, 'notifications', 'updateNotification', content),
      async venueOf({ appId, state }) {
        const beaconId = idIn(state, 'beaconId');
        return (await findVenuesOf(db, appId, [beaconId])).get(beaconId);
      },
    },
    {
      ...resourceKind(deps, 'storylines', 'updateStoryline', content),
      putBack: (call, deleted, take) => inTransaction(deps, take, (db) => storyline(deps, db, call, deleted)),
    },
    resourceKind(deps, 'scenarios', 'updateStorylineDetail', content, ({ withinId, objectId }) => ({
      objectId: withinId,
      detailId: objectId,
    })),
    {
      ...resourceKind(deps, 'beacons', 'updateBeacon', { read: 'beacons.read', write: 'beacons.write' }),
      venueOf: async ({ state }) => idIn(state, 'venueId'),
    },
    {
      ...resourceKind(deps, 'zones', 'updateZone', { read: 'venues.read', write: 'venues.write' }),
      venueOf: ({ appId, state }) => findVenueOf(db, appId, { dimension: 'floor', id: idIn(state, 'floorId') }),
    },
    resourceKind(deps, 'devices', 'updateDevice', { read: 'devices.read', write: 'devices.write' }),
    recordKind(deps),
    {
      name: 'files',
      read: 'files.read',
      write: 'files.write',
      putBack: ({ call }, deleted, take) => files.putBack(deleted, { now: call.now, take }),
    },
    {
      name: 'buckets',
      read: 'buckets.read',
      write: 'buckets.write',
      putBack: (_call, deleted, take) => bucketService.putBucketBack(deleted, take),
    },
    {
      name: 'schemas',
      read: 'schemas.read',
      write: 'schemas.write',
      putBack: (_call, deleted, take) => bucketService.putSchemaBack(deleted, take),
    },
    {
      name: 'settings',
      read: 'apps.read',
      write: 'apps.change',
      bringBack: async ({ call }, { objectId, state }) => {
        return appTag(await apps.change(objectId, state, call.by, readIfMatch(call.headers)));
      },
    },
  ];
}

/** The id that a member of a deleted record pointed to; '' without one. */
const idIn = (state: object, member: string): string =>
  (state as Record<string, { readonly objectId: string } | undefined>)[member]?.objectId ?? '';

type ResourceKind = keyof KindDeps['putBack'];
type ParamsOf = (past: PastRecord) => Readonly<Record<string, string>>;

const ownId: ParamsOf = ({ objectId }) => ({ objectId });

function resourceKind(
  deps: KindDeps,
  name: ResourceKind,
  operationId: string,
  permissions: { readonly read: Permission; readonly write: Permission },
  paramsOf = ownId,
): KeptKind {
  return {
    name,
    ...permissions,
    bringBack: (call, past) => {
      const { properties = {} } = (endpointOf(deps, operationId).body?.schema ?? {}) as { properties?: object };
      const cleared = Object.fromEntries(Object.keys(properties).map((member) => [member, null]));
      return change(deps, call, { operationId, params: paramsOf(past), body: { ...cleared, ...past.state } });
    },
    putBack: (call, deleted, take) =>
      inTransaction(deps, take, (db) => deps.putBack[name](db, callerOf(call), deleted, call.call.now)),
  };
}

function recordKind(deps: KindDeps): KeptKind {
  const { db, buckets } = deps;
  return {
    name: 'records',
    read: 'records.read',
    write: 'records.write',
    bringBack: async (call, { appId, withinId, objectId, state }) => {
      const bucketName = (await findBucketName(db, appId, withinId)) ?? '';
      return change(deps, call, {
        operationId: 'updateRecord',
        params: { bucketName, objectId },
        body: { metadata: state },
      });
    },
    putBack: ({ app, call }, deleted, take) => buckets.putBack(app, deleted, { now: call.now, take }),
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
  deps: KindDeps,
  { call, app }: HistoryCall,
  { operationId, params, body }: Wanted,
): Promise<string | undefined> {
  const endpoints = deps.endpoints();
  const early = dataCall(call, app, { params, headers: call.headers });
  const answer = await carryOut(endpointOf(deps, operationId), early, body, (endpoint, data) =>
    auditedHandle(endpoint, data, {
      endpoints,
      record: (entry) => recordChange(deps.db, entry),
      by: call.by,
      action: 'version.restore',
    }),
  );
  return answer instanceof JsonText ? answer.headers?.['etag'] : undefined;
}

function endpointOf({ endpoints }: KindDeps, operationId: string): Endpoint {
  const found = endpoints().find((one) => one.operationId === operationId);
  if (!found) throw new Error(`There is no endpoint ${operationId}.`);
  return found;
}

const callerOf = ({ call, app }: HistoryCall) => dataCall(call, app, { params: {} });

function inTransaction(
  { db }: KindDeps,
  take: (db: Db) => Promise<void>,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  return db.transaction(async (db) => {
    await take(db);
    await work(db);
  });
}

async function storyline({ putBack }: KindDeps, db: Db, call: HistoryCall, deleted: Deleted): Promise<void> {
  const caller = callerOf(call);
  const { now } = call.call;
  await putBack.storylines(db, caller, deleted, now);
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
    await putBack.scenarios(db, caller, scenario, now);
  }
}
