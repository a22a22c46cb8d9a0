import type { AppPolicy } from '../../access/policy.ts';
import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { listAnswer } from '../../http/answers.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { listParameters, listRecords } from '../../resources/list.ts';
import { resourceEndpoints } from '../../resources/resource.ts';
import {
  detailExample,
  detailRecord,
  detailShape,
  looseDetailRecord,
  storylineExample,
  storylineRecord,
  storylineShape,
} from './schemas.ts';
import { deleteDetailsOf, detailTable, holdStoryline, linkBeacons, looseDetailTable, storylineTable } from './store.ts';

export interface StorylineDeps {
  readonly db: Db;
  readonly findMissingBeacons: (db: Db, appId: string, ids: readonly string[]) => Promise<string[]>;
  /** Called in the transaction of every write: cached scenarios are no longer right. */
  readonly noteChange: (db: Db) => Promise<void>;
}

const grants = {
  read: ({ readContent }: AppPolicy) => (readContent === 'app' ? ('visitor' as const) : ('user' as const)),
  create: ({ writeContent }: AppPolicy) => writeContent,
  write: ({ writeContent }: AppPolicy) => writeContent,
};

const tag = 'Storylines';
const parameters = { objectId: 'The objectId of the storyline', detailId: 'The objectId of the scenario' };

export function storylineEndpoints(deps: StorylineDeps): Endpoint[] {
  const headers = resourceEndpoints({
    db: deps.db,
    table: storylineTable,
    noun: ['storyline', 'storylines'],
    title: ['Storyline', 'Storylines'],
    tag,
    path: '/storylines',
    shape: storylineShape,
    example: storylineExample,
    record: storylineRecord,
    grants,
    defaultLimit: 1000,
    onWrite: deps.noteChange,
    onRemove: async (db, key) => {
      await deleteDetailsOf(db, String(key['app_id']), String(key['object_id']));
      await deps.noteChange(db);
    },
  });
  return [allDetails(deps), ...headers, ...detailEndpoints(deps)];
}

function detailEndpoints({ db, findMissingBeacons, noteChange }: StorylineDeps): Endpoint[] {
  return resourceEndpoints({
    db,
    table: detailTable,
    noun: ['scenario', 'scenarios of a storyline'],
    title: ['StorylineDetail', 'StorylineDetails'],
    tag,
    path: '/storylines/:objectId/detail',
    idName: 'detailId',
    parameters,
    shape: detailShape,
    example: detailExample,
    record: detailRecord,
    grants,
    defaultLimit: 1000,
    parentKey: (params) => ({ storyline_id: params['objectId'] ?? '' }),
    locateParent: async (appId, params) => {
      const header = await storylineTable.find(db, { app_id: appId, object_id: params['objectId'] ?? '' });
      if (!header) throw noStoryline();
    },
    holdParent: async (db, key) => {
      if (!(await holdStoryline(db, String(key['app_id']), String(key['storyline_id'])))) throw noStoryline();
    },
    onWrite: async (db, key, values) => {
      const beacons = values['beacons'] as string[] | undefined;
      if (beacons) await linkBeacons(db, String(key['app_id']), String(key['object_id']), beacons);
      await noteChange(db);
    },
    onRemove: async (db, key) => {
      await linkBeacons(db, String(key['app_id']), String(key['object_id']), []);
      await noteChange(db);
    },
    verify: async (db, app, values) => {
      const missing = await findMissingBeacons(db, app.appId, (values['beacons'] as string[] | undefined) ?? []);
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
    tag,
    summary: 'List the scenarios of all storylines',
    description:
      'Takes the query parameters of lists, such as where={"beacons":"<objectId>","event":"ENTER"}. Each record also names its storyline.',
    grant: grants.read,
    query: listParameters,
    answer: listAnswer(looseDetailRecord.schema, looseDetailRecord.example),
    errors: ['InvalidQuery', 'Timeout'],
    handle: ({ app, query }) => {
      const scope = looseDetailTable.match({ app_id: app.appId });
      return listRecords(db, looseDetailTable, {
        scope,
        query,
        defaultLimit: 1000,
        idsFollowCreation: true,
        share: app.appId,
      });
    },
  });
}
