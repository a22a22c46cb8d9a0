import { hash } from 'node:crypto';
import {
  type PresenceSettings,
  type SignalMap,
  type Survey,
  signalMapSteps,
  type Trial,
  trialSteps,
} from '@pharos/engine';
import { readSamples } from '@pharos/engine/decide';
import type { Db } from '../../../db/db.ts';
import type { JobHandler } from '../../../jobs/job.ts';
import { inSlices } from '../../../jobs/slices.ts';
import type { Context } from '../../context.ts';
import type { HeardBeacon, StoredPoint } from './read.ts';
import { findFloorMap, findSurvey, type ListedSurvey, listSurveyedFloors, listSurveys, saveFloorMap } from './store.ts';

/** The map that all surveys of a floor make, and whether it helps: worked out alongside everything else. */

export const mapJob = 'surveys.map';

/** What a map is made from, without the samples. */
export interface Basis {
  readonly level: number;
  readonly surveys: readonly ListedSurvey[];
  /** Where each beacon that was heard hangs now, and how it is configured. */
  readonly settings: ReadonlyMap<string, PresenceSettings>;
  readonly digest: string;
}

/** Undefined: there is no such floor. */
export async function findBasis(
  { findDrawnFloor, findBeaconsById }: Pick<Context, 'findDrawnFloor' | 'findBeaconsById'>,
  db: Db,
  appId: string,
  floorId: string,
): Promise<Basis | undefined> {
  const floor = await findDrawnFloor(db, appId, floorId);
  if (!floor) return undefined;
  const surveys = await listSurveys(db, appId, floorId);
  const ids = [...new Set(surveys.flatMap((one) => heardOf(one).map(({ beaconId }) => beaconId)))].sort();
  const settings = new Map((await findBeaconsById(db, appId, ids)).map((one) => [one.objectId, one.settings]));
  const known = ids.map((id) => {
    const { learned, ...own } = settings.get(id) ?? {};
    return [id, own];
  });
  const digest = hash('sha256', JSON.stringify([floor.level, surveys.map(({ object_id }) => object_id), known]));
  return { level: floor.level, surveys, settings, digest };
}

export const heardOf = ({ heard }: Pick<ListedSurvey, 'heard'>) => JSON.parse(heard) as readonly HeardBeacon[];

/** What was heard of a beacon counts while it hangs where it hung. */
export const isWhereItHung = ({ location }: HeardBeacon, settings: PresenceSettings | undefined): boolean =>
  location !== null && JSON.stringify(location) === JSON.stringify(settings?.location);

export function mapHandler(deps: Context): JobHandler {
  return {
    concurrency: 1,
    perApp: 1,
    maxAttempts: 5,
    baseDelayMs: 10_000,
    maxDelayMs: 600_000,
    async run({ appId, payload }, { signal, assertHeld }) {
      const { db, now, replaceSignals, noteChange } = deps;
      const { floorId } = payload as { readonly floorId: string };
      const basis = await findBasis(deps, db, appId, floorId);
      if (!basis || (await findFloorMap(db, appId, floorId))?.basis === basis.digest) return;
      const { trial, map } = await worked(db, appId, { floorId, basis, signal });
      await db.transaction(async (db) => {
        await assertHeld(db);
        if (!(await deps.findDrawnFloor(db, appId, floorId))) return;
        await saveFloorMap(db, {
          app_id: appId,
          floor_id: floorId,
          basis: basis.digest,
          trial: trial && JSON.stringify(trial),
          beacons: Object.keys(map).length,
          made_at: now(),
        });
        await replaceSignals(db, appId, floorId, map);
        await noteChange(db, { app_id: appId });
      });
    },
  };
}

interface Asked {
  readonly floorId: string;
  readonly basis: Basis;
  readonly signal: AbortSignal;
}

/** The map is empty where it does not help. */
async function worked(
  db: Db,
  appId: string,
  { floorId, basis, signal }: Asked,
): Promise<{ readonly trial: Trial | null; readonly map: SignalMap }> {
  const surveys: Survey[] = [];
  for (const listed of basis.surveys) {
    const row = await findSurvey(db, { appId, floorId, objectId: listed.object_id });
    if (row) surveys.push(surveyOf(row, basis));
  }
  const settingsOf = (id: string) => basis.settings.get(id) ?? {};
  const trial = await inSlices(trialSteps(surveys, settingsOf), signal);
  return { trial, map: trial?.helps ? await inSlices(signalMapSteps(surveys, settingsOf), signal) : {} };
}

function surveyOf(
  row: ListedSurvey & { readonly samples: string },
  { level, settings }: Pick<Basis, 'level' | 'settings'>,
): Survey {
  const here = new Set(
    heardOf(row).flatMap((one) => (isWhereItHung(one, settings.get(one.beaconId)) ? [one.beaconId] : [])),
  );
  const way = JSON.parse(row.way) as readonly StoredPoint[];
  return {
    id: row.object_id,
    way: way.map(({ x, y, at = row.started_at }) => ({ x, y, at, floor: level })),
    samples: readSamples(row.samples).filter(({ beaconId }) => here.has(beaconId)),
  };
}

/** Changes of beacons within this time are looked at once, ms. */
const togetherMs = 10_000;

/** In the transaction that changes a beacon: maps of the app may no longer be right. */
export async function checkMaps(
  { now, enqueue }: Pick<Context, 'now' | 'enqueue'>,
  db: Db,
  appId: string,
): Promise<void> {
  const runAt = Math.ceil((now() + 1) / togetherMs) * togetherMs;
  for (const floorId of await listSurveyedFloors(db, appId)) {
    const jobId = `map-${floorId}-${runAt}`;
    await enqueue(db, { appId, kind: mapJob, payload: { floorId }, subject: floorId, jobId, runAt });
  }
}
