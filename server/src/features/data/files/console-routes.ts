import { Type } from 'typebox';
import type { Database } from '../../../db/db.ts';
import { recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import { measureFiles } from './store.ts';

/** What the console asks about files beyond the interface for apps. */
export function fileConsoleEndpoints(db: Database): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/files/usage',
      operationId: 'getFileUsage',
      tag: 'Files',
      summary: 'How much space the files of an app take',
      permission: 'files.read',
      answer: recordAnswer(Type.Object({ files: Type.Integer({ minimum: 0 }), bytes: Type.Integer({ minimum: 0 }) }), {
        files: 12,
        bytes: 3_481_100,
      }),
      errors: ['ObjectNotFound', 'Timeout'],
      handle: async ({ params }) => ({ result: await measureFiles(db, params['appId'] ?? '') }),
    }),
  ];
}
