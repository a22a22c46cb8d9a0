import { Type } from 'typebox';
import type { Database } from '../../../db/db.ts';
import { recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import { IdempotencyKeys } from '../../../limits/idempotency.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { fileErasureHandlers } from './erasure.ts';
import { type FileDeps, fileIntake } from './intake.ts';
import { checkContent } from './missing-content.ts';
import { fileEndpoints } from './routes.ts';
import { registerFileServing } from './serve.ts';
import { measureFiles } from './store.ts';
import { sweepOwnOrphans } from './sweep.ts';
import { forgottenFileHandlers } from './trash.ts';

declare module '../../context.ts' {
  interface Context {
    /** For others that keep what a request carries as a file. */
    readonly fileIntake: ReturnType<typeof fileIntake>;
  }
}

export const makers: Makers<Context, 'fileIntake'> = { fileIntake: (context) => fileIntake(fileDeps(context)) };

function fileDeps({ db, blobs, config, room, publicUrl, usage, quotas, userExists, inBackground }: Context): FileDeps {
  return {
    db,
    blobs,
    publicUrl,
    usage,
    quotas,
    userExists,
    keys: new IdempotencyKeys(db),
    maxFileBytes: config.maxFileBytes,
    claimRoom: (bytes) => room.claim(blobs.needsOnDisk(bytes)),
    attempt: (what, work) => new Promise((resolve) => inBackground(what, () => work().finally(resolve))),
  };
}

const everyMs = 3_600_000;
/** The walk over all files is long, and what it finds has waited for a day already. */
const hoursBetweenWalks = 24;

/** Files that apps upload and visitors download, and keeping records and bytes consistent. */
export function fileFeature(context: Context): Feature {
  const { db, blobs, now, inBackground, log, past, config } = context;
  let hasStopped = false;
  const keeping = { db, blobs, now, isStopping: () => hasStopped, log };
  const sweepUnfinished = () => blobs.sweepUnfinished(now());
  let hours = 0;
  return {
    endpoints: fileEndpoints({ ...fileDeps(context), past }),
    consoleEndpoints: fileConsoleEndpoints(db),
    register: (server) => registerFileServing(server, { db, blobs, redirects: config.filesRedirect }),
    jobs: { ...fileErasureHandlers(db, blobs), ...forgottenFileHandlers(context) },
    start() {
      inBackground('sweeping unfinished uploads', sweepUnfinished);
      inBackground('looking for files without bytes', () => checkContent(keeping, true));
    },
    repeats: {
      'sweeping unfinished uploads': { everyMs, work: sweepUnfinished },
      'looking for files without bytes': {
        everyMs,
        work: () => checkContent(keeping, hours % hoursBetweenWalks === 0),
      },
      'sweeping files without a record': {
        everyMs,
        work: async () => hours++ % hoursBetweenWalks === 0 && sweepOwnOrphans(keeping),
      },
    },
    stop() {
      hasStopped = true;
    },
  };
}

/** What the console asks about files beyond the interface for apps. */
function fileConsoleEndpoints(db: Database): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/files/usage',
      operationId: 'getFileUsage',
      summary: 'How much space the files of an app take',
      permission: 'files.read',
      answer: recordAnswer(Type.Object({ files: Type.Integer({ minimum: 0 }), bytes: Type.Integer({ minimum: 0 }) })),
      handle: async ({ params }) => ({ result: await measureFiles(db, params['appId'] ?? '') }),
    }),
  ];
}
