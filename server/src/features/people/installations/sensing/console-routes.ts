import type { Database } from '../../../../db/db.ts';
import { recordAnswer } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../../http/console/console-endpoint.ts';
import { countSensing, sensingSchema } from './fleet.ts';

/** What keeps the phones of an app from hearing beacons. Names nobody. */
export function sensingConsoleEndpoints(db: Database): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/sensing',
      operationId: 'countSensing',
      summary: 'Count the phones by why they hear no beacons, and by version of the app',
      permission: 'installations.read',
      answer: recordAnswer(sensingSchema),
      handle: async ({ params: { appId = '' }, now }) => ({ result: await countSensing(db, appId, now) }),
    }),
  ];
}
