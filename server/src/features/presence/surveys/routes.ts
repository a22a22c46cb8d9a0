import { readSamples } from '@pharos/engine/decide';
import { Type } from 'typebox';
import { seesAll } from '../../../access/caller.ts';
import { fail } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import {
  created,
  createdAnswer,
  deletedAnswer,
  exampleCreated,
  exampleId,
  exampleUpdated,
  isoTime,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  recordAnswer,
  timestampSchema,
} from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import type { Context } from '../../context.ts';
import { accuracyEndpoint } from './accuracy.ts';
import { floorParameter, locateFloor, type SurveyedFloor, surveyGrant, surveyTag } from './floor.ts';
import { heardOf, mapJob } from './map.ts';
import { maxSamples, readSurvey, type StoredPoint, type SurveyBody, surveyShape } from './read.ts';
import {
  countSurveys,
  deleteSurvey,
  findSame,
  findSurvey,
  insertSurvey,
  type ListedSurvey,
  listSurveys,
  type SurveyRow,
} from './store.ts';

const maxSurveys = 50;
const maxSamplesOfFloor = 100_000;

const point = Type.Object({ x: Type.Number(), y: Type.Number(), at: Type.Optional(timestampSchema) });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const members = {
  objectId: objectIdSchema,
  floorId: pointerSchema('Floor'),
  way: Type.Array(point),
  startedAt: timestampSchema,
  endedAt: timestampSchema,
  sampleCount: count('Samples that count'),
  unknown: count('Samples of beacons that the app does not have, which were left out'),
  unusable: count('Samples without a signal, without a time, or outside the time of the way, which were left out'),
  heard: Type.Array(Type.Object({ beaconId: pointerSchema('Beacon'), samples: Type.Integer() })),
  deviceModel: Type.Optional(Type.String()),
  surveyedBy: Type.Optional(Type.String({ description: 'The e-mail of the administrator, for managers' })),
  createdBy: Type.Optional(pointerSchema('_User')),
  createdAt: timestampSchema,
};
const sample = Type.Object({
  beacon: objectIdSchema,
  rssi: Type.Number(),
  txPower: Type.Optional(Type.Number()),
  occurredAt: timestampSchema,
});
const exampleWay = [
  { x: 2, y: 1.5, at: exampleCreated },
  { x: 14, y: 1.5, at: '2026-05-04T09:30:14.000Z' },
];
const example = {
  objectId: exampleId,
  floorId: pointerExample('Floor', otherExampleId),
  way: exampleWay,
  startedAt: exampleCreated,
  endedAt: '2026-05-04T09:30:13.800Z',
  sampleCount: 96,
  unknown: 4,
  unusable: 0,
  heard: [{ beaconId: pointerExample('Beacon'), samples: 96 }],
  deviceModel: 'Pixel 8',
  surveyedBy: 'installer@museum.example',
  createdAt: exampleUpdated,
};
const exampleSample = { beacon: exampleId, rssi: -67, occurredAt: exampleCreated };

const path = '/floors/:objectId/surveys';
const parameters = floorParameter;
const grant = surveyGrant;

export function surveyEndpoints(deps: Context): Endpoint[] {
  return [list(deps), create(deps), get(deps), remove(deps), accuracyEndpoint(deps)];
}

function list(deps: Context): Endpoint {
  return endpoint<undefined, SurveyedFloor>({
    method: 'GET',
    path,
    operationId: 'listSurveys',
    tag: surveyTag,
    summary: 'List the surveys of a floor, the oldest first',
    description: `At most ${maxSurveys}. Like all about surveys, for those who may change the floor.`,
    grant,
    parameters,
    answer: {
      status: 200,
      description: 'The surveys.',
      schema: Type.Object({ results: Type.Array(Type.Object(members)) }),
      example: { results: [example] },
    },
    errors: ['ObjectNotFound'],
    locate: locateFloor(deps),
    handle: async (call) => {
      const rows = await listSurveys(deps.db, call.app.appId, call.located.objectId);
      return { results: rows.map((row) => shown(row, seesAll(call))) };
    },
  });
}

function shown(row: ListedSurvey, isOfHouse: boolean) {
  return {
    objectId: row.object_id,
    floorId: { __type: 'Pointer' as const, className: 'Floor' as const, objectId: row.floor_id },
    way: (JSON.parse(row.way) as readonly StoredPoint[]).map(({ at, ...place }) => ({
      ...place,
      ...(at === undefined ? {} : { at: isoTime(at) }),
    })),
    startedAt: isoTime(row.started_at),
    endedAt: isoTime(row.ended_at),
    sampleCount: row.counted,
    unknown: row.unknown,
    unusable: row.unusable,
    heard: heardOf(row).map(({ beaconId, samples }) => ({
      beaconId: { __type: 'Pointer' as const, className: 'Beacon' as const, objectId: beaconId },
      samples,
    })),
    ...(row.device_model === null ? {} : { deviceModel: row.device_model }),
    ...(row.by_admin === null || !isOfHouse ? {} : { surveyedBy: row.by_admin }),
    ...(row.created_by === null
      ? {}
      : { createdBy: { __type: 'Pointer' as const, className: '_User' as const, objectId: row.created_by } }),
    createdAt: isoTime(row.created_at),
  };
}

function create(deps: Context): Endpoint {
  const { db, enqueue } = deps;
  return endpoint<SurveyBody, SurveyedFloor>({
    method: 'POST',
    path,
    operationId: 'createSurvey',
    tag: surveyTag,
    summary: 'Add a survey of a floor',
    description:
      'A walk through the floor with a phone, of which it is known where it was when, or a spot where somebody stood for ten seconds. ' +
      `At most ${maxSamples} samples, ${maxSurveys} surveys of a floor, and ${maxSamplesOfFloor} samples of these together. From two surveys on a map ` +
      'of the signals is made of them, and used if `GET /floors/{objectId}/accuracy` says so.',
    grant,
    parameters,
    body: surveyShape.body({ way: exampleWay, samples: [exampleSample], deviceModel: 'Pixel 8' }),
    answer: createdAnswer,
    errors: ['ValidationError', 'ObjectNotFound', 'DuplicateValue'],
    repeat: created,
    locate: locateFloor(deps),
    handle: async (call) => {
      const { app, body, located, now, user, administrator } = call;
      const { appId } = app;
      const read = await readSurvey(deps, db, { appId, body, edges: located.extent, now });
      const { objectId = newObjectId(now) } = call;
      const row: SurveyRow = {
        ...read,
        app_id: appId,
        floor_id: located.objectId,
        object_id: objectId,
        device_model: body.deviceModel ?? null,
        by_admin: administrator ?? null,
        created_by: user?.userId ?? null,
        created_at: now,
      };
      await db.transaction(async (db) => {
        await deps.holdFloorToSurvey(db, appId, located);
        await assertNew(db, row);
        await insertSurvey(db, row);
        await enqueue(db, { appId, kind: mapJob, payload: { floorId: row.floor_id }, subject: row.floor_id });
      });
      return created({ objectId, now });
    },
  });
}

/** @throws Failure DuplicateValue, ValidationError */
async function assertNew(db: Db, { app_id: appId, floor_id: floorId, digest, counted }: SurveyRow): Promise<void> {
  const same = await findSame(db, { appId, floorId, digest });
  if (same !== undefined) throw fail('DuplicateValue', `This survey is there already: ${same}.`);
  const before = await countSurveys(db, appId, floorId);
  if (before.surveys >= maxSurveys)
    throw fail('ValidationError', `The floor has ${maxSurveys} surveys already. Remove an older one first.`);
  if (before.samples + counted > maxSamplesOfFloor)
    throw fail(
      'ValidationError',
      `The surveys of the floor would have more than ${maxSamplesOfFloor} samples. Remove an older one first.`,
    );
}

const ofOne = {
  path: `${path}/:surveyId`,
  tag: surveyTag,
  grant,
  parameters: { ...parameters, surveyId: 'The objectId of the survey' },
  errors: ['ObjectNotFound'],
} as const;
const keyOf = (call: { app: { appId: string }; located: SurveyedFloor; params: Readonly<Record<string, string>> }) => ({
  appId: call.app.appId,
  floorId: call.located.objectId,
  objectId: call.params['surveyId'] ?? '',
});
const noSurvey = () => fail('ObjectNotFound', 'The floor has no survey with this objectId.');

function get(deps: Context): Endpoint {
  return endpoint<undefined, SurveyedFloor>({
    ...ofOne,
    method: 'GET',
    operationId: 'getSurvey',
    summary: 'Get a survey with its samples',
    answer: recordAnswer(Type.Object({ ...members, samples: Type.Array(sample) }), {
      ...example,
      samples: [exampleSample],
    }),
    locate: locateFloor(deps),
    handle: async (call) => {
      const row = await findSurvey(deps.db, keyOf(call));
      if (!row) throw noSurvey();
      const samples = readSamples(row.samples).map(({ beaconId, rssi = 0, txPower, occurredAt }) => ({
        beacon: beaconId,
        rssi,
        ...(txPower === undefined ? {} : { txPower }),
        occurredAt: isoTime(occurredAt),
      }));
      return { result: { ...shown(row, seesAll(call)), samples } };
    },
  });
}

function remove(deps: Context): Endpoint {
  const { db, enqueue } = deps;
  return endpoint<undefined, SurveyedFloor>({
    ...ofOne,
    method: 'DELETE',
    operationId: 'deleteSurvey',
    summary: 'Delete a survey',
    description: 'The map of the floor is made again without it.',
    answer: deletedAnswer,
    locate: locateFloor(deps),
    handle: async (call) => {
      const key = keyOf(call);
      await db.transaction(async (db) => {
        if (!(await deleteSurvey(db, key))) throw noSurvey();
        const { appId, floorId } = key;
        await enqueue(db, { appId, kind: mapJob, payload: { floorId }, subject: floorId });
      });
      return { result: {} };
    },
  });
}
