import type { Caller } from '../../access/caller.ts';
import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { listAnswer } from '../../http/answers.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { allowedTo } from '../../resources/allowed.ts';
import { listParameters, listRecords } from '../../resources/list.ts';
import { resourceEndpoints } from '../../resources/resource.ts';
import { details, looseDetailRecord, looseDetails, storylines } from './resource.ts';
import { deleteDetailsOf, holdStoryline, linkBeacons } from './store.ts';

export interface StorylineDeps {
  readonly db: Db;
  readonly findUnreadableBeacons: (db: Db, caller: Caller, ids: readonly string[]) => Promise<string[]>;
  /** Called in the transaction of every write: cached scenarios are no longer right. */
  readonly noteChange: (db: Db) => Promise<void>;
}

export function storylineEndpoints(deps: StorylineDeps): Endpoint[] {
  const headers = resourceEndpoints(storylines, {
    db: deps.db,
    onWrite: deps.noteChange,
    onRemove: async (db, key) => {
      await deleteDetailsOf(db, String(key['app_id']), String(key['object_id']));
      await deps.noteChange(db);
    },
  });
  return [allDetails(deps), ...headers, ...detailEndpoints(deps)];
}

function detailEndpoints({ db, findUnreadableBeacons, noteChange }: StorylineDeps): Endpoint[] {
  return resourceEndpoints(details, {
    db,
    parentKey: (params) => ({ storyline_id: params['objectId'] ?? '' }),
    locateParent: async (appId, params) => {
      const header = await storylines.records.find(db, { app_id: appId, object_id: params['objectId'] ?? '' });
      if (!header) throw noStoryline();
    },
    holdParent: async (db, key) => {
      if (!(await holdStoryline(db, String(key['app_id']), String(key['storyline_id'])))) throw noStoryline();
    },
    onWrite: async (db, key, { beacons }) => {
      if (beacons) await linkBeacons(db, String(key['app_id']), String(key['object_id']), beacons);
      await noteChange(db);
    },
    onRemove: async (db, key) => {
      await linkBeacons(db, String(key['app_id']), String(key['object_id']), []);
      await noteChange(db);
    },
    verify: async (db, caller, { beacons = [] }) => {
      const missing = await findUnreadableBeacons(db, caller, beacons);
      if (missing.length > 0)
        throw fail('ObjectNotFound', `beacons: there is no beacon ${missing.slice(0, 5).join(', ')}.`);
    },
  });
}

const noStoryline = () => fail('ObjectNotFound', 'There is no storyline with this objectId.');

/** Beyond the specification: clients look scenarios up by beacon and event across all headers. */
function allDetails({ db }: StorylineDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/storylines/details',
    operationId: 'listAllStorylineDetails',
    tag: details.tag,
    summary: 'List the scenarios of all storylines',
    description:
      'Takes the query parameters of lists, such as where={"beacons":"<objectId>","event":"ENTER"}. Each record also names its storyline.',
    grant: { of: 'scenarios', verb: 'list' },
    query: listParameters,
    answer: listAnswer(looseDetailRecord.schema, looseDetailRecord.example),
    errors: ['InvalidQuery', 'Timeout'],
    handle: async (call) => {
      const { app, query } = call;
      const scope = looseDetails.match({ app_id: app.appId });
      return listRecords(db, looseDetails, {
        allowed: await allowedTo({ rules: 'scenarios', records: looseDetails }, 'list', call),
        scope,
        query,
        defaultLimit: 1000,
        idsFollowCreation: true,
        tenant: app.appId,
      });
    },
  });
}
