import { Type } from 'typebox';
import { deletedAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, FileDownload } from '../../../http/console/console-endpoint.ts';
import type { BackupService } from './service.ts';

const backupSchema = Type.Object({
  backupId: Type.String(),
  createdAt: timestampSchema,
  rows: Type.Integer({ minimum: 0 }),
  files: Type.Integer({ minimum: 0, description: 'Uploaded files in it' }),
  filesElsewhere: Type.Union(
    [Type.Object({ place: Type.String(), files: Type.Integer({ minimum: 0 }) }), Type.Null()],
    {
      description: 'Uploaded files that are not in it, because they lie in S3, and where',
    },
  ),
  bytes: Type.Number({ minimum: 0, description: 'On disk' }),
  lost: Type.Object(
    {
      count: Type.Integer({ minimum: 0 }),
      names: Type.Array(Type.String(), { description: 'The first names' }),
    },
    { description: 'Listed files whose content was missing from the storage; they are not in the backup' },
  ),
});
const runningSchema = Type.Object({
  backupId: Type.String(),
  startedAt: timestampSchema,
  part: Type.String({ description: 'What is being copied: a table, or files' }),
  tables: Type.Integer({ minimum: 0, description: 'Completed tables' }),
  ofTables: Type.Integer({ minimum: 0 }),
  rows: Type.Integer({ minimum: 0 }),
  files: Type.Integer({ minimum: 0 }),
});
/** Backups in the management console; the command line has `pharos backup`. */
/** @param assertFree throws for a backup that the next start is to restore */
export function backupConsoleEndpoints(
  service: BackupService,
  assertFree: (backupId: string) => Promise<void>,
): readonly ConsoleEndpoint[] {
  const common = { permission: 'backups.manage' } as const;
  const path = '/system/backups';
  const id = (params: Readonly<Record<string, string>>) => params['backupId'] ?? '';
  return [
    consoleEndpoint({
      ...common,
      method: 'GET',
      path,
      operationId: 'listBackups',
      summary: 'List the backups, newest first, and the one in progress',
      answer: {
        status: 200,
        schema: Type.Object({
          results: Type.Array(backupSchema),
          most: Type.Integer({ description: 'How many are kept' }),
          running: Type.Union([runningSchema, Type.Null()]),
          failure: Type.Union([Type.Object({ at: timestampSchema, message: Type.String() }), Type.Null()]),
        }),
      },
      handle: async () => ({
        results: await service.list(),
        most: await service.most(),
        running: service.running() ?? null,
        failure: service.lastFailure() ?? null,
      }),
    }),
    consoleEndpoint({
      ...common,
      method: 'POST',
      path,
      operationId: 'startBackup',
      summary: 'Begin a backup while the service runs',
      answer: {
        status: 201,
        schema: Type.Object({ result: runningSchema }),
      },
      handle: async ({ by }) => ({ result: await service.start(by) }),
    }),
    consoleEndpoint({
      ...common,
      method: 'GET',
      path: `${path}/:backupId/archive`,
      operationId: 'downloadBackup',
      summary: 'Download a backup',
      description: 'A tar archive with one folder, which `pharos restore` accepts once it is unpacked.',
      answer: {
        status: 200,
        schema: Type.String({ description: 'A tar archive' }),
      },
      needsConfirmation: true,
      handle: async ({ params, by }) =>
        new FileDownload(`pharos-${id(params)}.tar`, 'application/x-tar', await service.archive(id(params), by)),
    }),
    consoleEndpoint({
      ...common,
      method: 'DELETE',
      path: `${path}/:backupId`,
      operationId: 'deleteBackup',
      summary: 'Delete a backup',
      description: 'Not one from which a restore is prepared.',
      answer: deletedAnswer,
      async handle({ params, by }) {
        await assertFree(id(params));
        await service.remove(id(params), by);
      },
    }),
  ];
}
