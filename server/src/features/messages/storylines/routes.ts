import { joined, wordingProblems } from '../../../access/experiment.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { listAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { sentence } from '../../../http/shape.ts';
import { allowedTo, findAllowed, listsAny } from '../../../resources/allowed.ts';
import { pastRecord } from '../../../resources/keep-past.ts';
import { type ListOptions, listParameters } from '../../../resources/lists/list.ts';
import { listing } from '../../../resources/lists/listing.ts';
import type { PastRecord } from '../../../resources/past.ts';
import { type PutBack, type Restorable, restorable } from '../../../resources/restore.ts';
import type { Context } from '../../context.ts';
import { details, looseDetailRecord, looseDetails, storylines } from './resource.ts';
import { deleteDetailsOf, holdStoryline, linkBeacons, listDetailsOf } from './store.ts';

export interface StorylineParts {
  readonly endpoints: Endpoint[];
  readonly storylines: PutBack;
  readonly scenarios: PutBack;
}

export function storylineParts(deps: Context): StorylineParts {
  const scenarios = scenarioParts(deps);
  const headers = restorable(storylines, {
    db: deps.db,
    past: {
      kind: 'storylines',
      keep: deps.past,
      children: (db, key) => listPastDetails(db, String(key['app_id']), String(key['object_id'])),
    },
    onWrite: deps.noteChange,
    onRemove: async (db, key) => {
      await deleteDetailsOf(db, String(key['app_id']), String(key['object_id']));
      await deps.noteChange(db, key);
    },
  });
  return {
    endpoints: [allDetails(deps), ...headers.endpoints, ...scenarios.endpoints],
    storylines: headers.putBack,
    scenarios: scenarios.putBack,
  };
}

async function listPastDetails(db: Db, appId: string, storylineId: string): Promise<readonly PastRecord[]> {
  const options = { records: details.records, shape: details.body.shape };
  const rows = await listDetailsOf(db, appId, storylineId);
  return rows.map((row) =>
    pastRecord(options, kept, { app_id: appId, storyline_id: storylineId, object_id: row['object_id'] ?? '' }, row),
  );
}

const kept = { kind: 'scenarios', within: 'storyline_id' } as const;

function scenarioParts({ db, findUnreadableBeacons, noteChange, past, assertGoal }: Context): Restorable {
  return restorable(details, {
    db,
    past: { ...kept, keep: past },
    parentKey: (params) => ({ storyline_id: params['objectId'] ?? '' }),
    locateParent: async (caller, params) => {
      const [app_id, object_id] = [caller.app.appId, params['objectId'] ?? ''];
      if (await findAllowed(db, storylines, { key: { app_id, object_id }, verb: 'get', caller })) return;
      // Of one that somebody may not read, an empty list would tell that it is there; its scenarios do so anyway.
      const scope = details.records.match({ app_id, storyline_id: object_id });
      if (!(await listsAny(db, details, scope, caller))) throw noStoryline();
    },
    holdParent: async (db, key) => {
      if (!(await holdStoryline(db, String(key['app_id']), String(key['storyline_id'])))) throw noStoryline();
    },
    onWrite: async (db, key, { beacons }) => {
      if (beacons) await linkBeacons(db, String(key['app_id']), String(key['object_id']), beacons);
      await noteChange(db, key);
    },
    onRemove: async (db, key) => {
      await linkBeacons(db, String(key['app_id']), String(key['object_id']), []);
      await noteChange(db, key);
    },
    verify: async (db, caller, sent, stored) => {
      const { beacons = [], goal } = sent;
      const mixed = wordingProblems(joined(sent, stored));
      if (mixed.length > 0) throw fail('ValidationError', { message: sentence(mixed), details: mixed });
      const missing = await findUnreadableBeacons(db, caller, beacons);
      if (missing.length > 0)
        throw fail('ObjectNotFound', `beacons: there is no beacon ${missing.slice(0, 5).join(', ')}.`);
      if (goal) await assertGoal(db, caller, goal);
    },
  });
}

const noStoryline = () => fail('ObjectNotFound', 'There is no storyline with this objectId.');

/** Beyond the specification: clients look scenarios up by beacon and event across all headers. */
function allDetails({ db }: Context): Endpoint {
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
    ...listing(async (call) => {
      const { app, query } = call;
      const scope = looseDetails.match({ app_id: app.appId });
      const options: ListOptions = {
        allowed: await allowedTo({ rules: 'scenarios', records: looseDetails }, 'list', call),
        scope,
        query,
        defaultLimit: 1000,
        idsFollowCreation: true,
        tenant: app.appId,
      };
      return { db, table: looseDetails, options };
    }),
  });
}
