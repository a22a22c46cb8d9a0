import { Type } from 'typebox';
import type { Database } from '../../../../db/db.ts';
import { recordAnswer } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../../http/console/console-endpoint.ts';
import { countSensing } from './fleet.ts';

const phones = Type.Integer({ minimum: 0 });
const causes = Type.Array(
  Type.Object({ cause: Type.String({ description: 'As the client’s doctor names it, such as bluetoothOff' }), phones }),
  { description: 'The commonest first' },
);
const schema = Type.Object({
  phones: Type.Integer({ minimum: 0, description: 'Those that have reported how they can sense in the last 30 days' }),
  causes,
  versions: Type.Array(
    Type.Object({
      appVersion: Type.Union([Type.String(), Type.Null()]),
      phones,
      causes,
    }),
    { description: 'The eight versions of the app that most phones have' },
  ),
});
/** What keeps the phones of an app from hearing beacons. Names nobody. */
export function sensingConsoleEndpoints(db: Database): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/sensing',
      operationId: 'countSensing',
      summary: 'Count the phones by why they hear no beacons, and by version of the app',
      permission: 'installations.read',
      answer: recordAnswer(schema),
      handle: async ({ params: { appId = '' }, now }) => ({ result: await countSensing(db, appId, now) }),
    }),
  ];
}
