import type { Clock } from '../../../base/clock.ts';
import type { BlobStorage } from '../../../blobs/blob-store.ts';
import type { Database, Db } from '../../../db/db.ts';
import type { ClientQuotas } from '../../../limits/client-quotas.ts';
import type { IdempotencyKeys } from '../../../limits/idempotency.ts';
import type { UsageMeter } from '../../../limits/usage.ts';
import type { Past, PastRecord } from '../../../resources/past.ts';
import type { AssertApp, Feature, InBackground } from '../../feature.ts';
import { fileConsoleEndpoints } from './console-routes.ts';
import { fileErasureHandlers } from './erasure.ts';
import { startFileHousekeeping } from './housekeeping.ts';
import { type FileDeps, fileIntake } from './intake.ts';
import { fileEndpoints } from './routes.ts';
import { registerFileServing } from './serve.ts';
import { type SettleDeps, settleFiles } from './settle.ts';
import { sweepOwnOrphans } from './sweep.ts';
import { forgottenFileHandlers, putFileBack } from './trash.ts';

export interface FileFeatureDeps {
  readonly db: Database;
  readonly blobs: BlobStorage;
  readonly now: Clock;
  readonly maxFileBytes: number;
  readonly publicUrl: () => string;
  /** Whether apps read files from the storage itself, if it can sign addresses. */
  readonly redirects: boolean;
  readonly usage: UsageMeter;
  readonly quotas: ClientQuotas;
  readonly keys: IdempotencyKeys;
  readonly past: Past;
  readonly claimRoom: FileDeps['claimRoom'];
  readonly userExists: FileDeps['userExists'];
  readonly inBackground: InBackground;
  readonly log: SettleDeps['log'];
  readonly assertApp: AssertApp;
}

export interface FileFeature extends Feature {
  /** For others that keep what a request carries as a file. */
  readonly intake: ReturnType<typeof fileIntake>;
  /** Makes a deleted file again. */
  readonly putBack: (
    past: PastRecord,
    how: { readonly now: number; readonly take: (db: Db) => Promise<void> },
  ) => Promise<void>;
}

/** Files that apps upload and visitors download, and keeping records and bytes consistent. */
export function createFileFeature(deps: FileFeatureDeps): FileFeature {
  const { db, blobs, now, inBackground } = deps;
  let hasStopped = false;
  const isStopping = () => hasStopped;
  const housekeeping = startFileHousekeeping({
    sweepUnfinished: () => blobs.sweepUnfinished(now()),
    sweepOrphans: () => sweepOwnOrphans({ db, blobs, now, isStopping, log: deps.log }),
    settle: (all) => settleFiles({ db, blobs, now, isStopping, log: deps.log }, all),
    run: inBackground,
  });
  const attempt: FileDeps['attempt'] = (what, work) =>
    new Promise((resolve) => inBackground(what, () => work().finally(resolve)));
  return {
    intake: fileIntake({ ...deps, attempt }),
    endpoints: fileEndpoints({ ...deps, attempt }),
    consoleEndpoints: fileConsoleEndpoints({ db, assertApp: deps.assertApp }),
    register: (server) => registerFileServing(server, { db, blobs, redirects: deps.redirects }),
    putBack: (file, how) => putFileBack({ db, blobs }, file, how),
    jobs: { ...fileErasureHandlers(db, blobs), ...forgottenFileHandlers(deps) },
    stop() {
      hasStopped = true;
      housekeeping.stop();
    },
  };
}
