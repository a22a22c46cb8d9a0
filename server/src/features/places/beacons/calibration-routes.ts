import { calibrate } from '@pharos/engine';
import { type Static, Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { exampleUpdated, isoTime, timestampSchema } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import { findAllowed } from '../../../resources/allowed.ts';
import type { Key } from '../../../resources/table.ts';
import { beacons } from './resource.ts';

/** Fewer say nothing (see calibrate); 30 s at ten advertisements a second are 300. */
const fewestSamples = 10;

const schema = Type.Object({
  samples: Type.Array(Type.Number(), {
    maxItems: 10_000,
    description: 'RSSI in dBm, taken for 30 seconds at one metre; at least 10 usable ones',
  }),
});
const shape = defineShape(schema);

const usable = (rssi: number) => rssi < 0 && rssi >= -120;

function refuse(problem: string) {
  return fail('ValidationError', { message: `samples ${problem}`, details: [{ field: 'samples', problem }] });
}

/** @throws Failure ValidationError that tells the person with the phone what to do */
function measure(samples: readonly number[]) {
  const count = samples.filter(usable).length;
  if (count < fewestSamples) {
    throw refuse(
      `must hold at least ${fewestSamples} readings between -120 and -1 dBm, and hold ${count}: stand at one metre for 30 seconds.`,
    );
  }
  const measured = calibrate(samples);
  if (measured) return { ...measured, count };
  throw refuse(
    'differ too much: stand still at one metre, the phone in the open hand and nobody in between, and try again.',
  );
}

export function calibrationEndpoints(db: Db, noteChange: (db: Db, key: Key) => Promise<void>): Endpoint[] {
  return [
    endpoint<Static<typeof schema>, void>({
      method: 'POST',
      path: '/beacons/:objectId/calibration',
      operationId: 'calibrateBeacon',
      tag: beacons.tag,
      summary: 'Calibrate a beacon',
      description:
        'Stand at one metre from the beacon for 30 seconds and send the signal strengths. Their median becomes the ' +
        "beacon's `measuredPower`, from which all distances follow. Setting `measuredPower` to null undoes it.",
      grant: { of: 'beacons', verb: 'update' },
      parameters: { objectId: 'The objectId of the beacon' },
      body: shape.body({ samples: [-61, -60, -62, -61, -59, -61, -63, -60, -61, -62] }),
      answer: {
        status: 200,
        description: 'Calibrated.',
        schema: Type.Object({
          result: Type.Object({
            measuredPower: Type.Integer({ description: 'RSSI at one metre, dBm' }),
            spread: Type.Number({ description: 'Standard deviation of the readings, dB' }),
            samples: Type.Integer({ description: 'How many readings counted' }),
            updatedAt: timestampSchema,
          }),
        }),
        example: { result: { measuredPower: -61, spread: 1, samples: 10, updatedAt: exampleUpdated } },
      },
      writes: ['measuredPower'],
      errors: ['ValidationError', 'ObjectNotFound'],
      locate: async (call) => {
        const key = { app_id: call.app.appId, object_id: call.params['objectId'] ?? '' };
        if (!(await findAllowed(db, beacons, { key, verb: 'update', caller: call })))
          throw fail('ObjectNotFound', 'There is no beacon with this objectId.');
      },
      handle: async ({ app, params, body, now }) => {
        const { measuredPower, spread, count } = measure(body.samples);
        const updatedAt = await db.transaction(async (db) => {
          await noteChange(db, { app_id: app.appId });
          return storeMeasuredPower(db, app.appId, params['objectId'] ?? '', { measuredPower, now });
        });
        return { result: { measuredPower, spread, samples: count, updatedAt: isoTime(updatedAt) } };
      },
    }),
  ];
}

async function storeMeasuredPower(
  db: Db,
  appId: string,
  objectId: string,
  { measuredPower, now }: { readonly measuredPower: number; readonly now: number },
): Promise<number> {
  return db.transaction(async (db) => {
    await db.run(sql`update beacons set measured_power = ${measuredPower},
        updated_at = case when updated_at > ${now} then updated_at else ${now} end
      where app_id = ${appId} and object_id = ${objectId}`);
    const row = await db.one<{ updated_at: number }>(
      sql`select updated_at from beacons where app_id = ${appId} and object_id = ${objectId}`,
    );
    if (!row) throw fail('ObjectNotFound', 'There is no beacon with this objectId.');
    return row.updated_at;
  });
}
