import type { Clock } from '../../base/clock.ts';
import type { DiskBlobStore } from '../../blobs/disk.ts';
import type { Database } from '../../db/db.ts';
import type { ClientQuotas } from '../../limits/client-quotas.ts';
import type { UsageMeter } from '../../limits/usage.ts';
import type { AssertApp, Feature, InBackground } from '../feature.ts';
import { fileConsoleEndpoints } from './console-routes.ts';
import { fileErasureHandlers } from './erasure.ts';
import { startFileHousekeeping } from './housekeeping.ts';
import { type FileDeps, fileEndpoints } from './routes.ts';
import { registerFileServing } from './serve.ts';
import { type SettleDeps, settleFiles } from './settle.ts';
import { sweepOrphans } from './sweep.ts';

export interface FileFeatureDeps {
  readonly db: Database;
  readonly blobs: DiskBlobStore;
  readonly now: Clock;
  readonly maxFileBytes: number;
  readonly publicUrl: () => string;
  readonly usage: UsageMeter;
  readonly quotas: ClientQuotas;
  readonly claimRoom: FileDeps['claimRoom'];
  readonly inBackground: InBackground;
  readonly log: SettleDeps['log'];
  readonly assertApp: AssertApp;
}

/** Files that apps upload and visitors download, and keeping records and bytes consistent. */
export function createFileFeature(deps: FileFeatureDeps): Feature {
  const { db, blobs, now, inBackground } = deps;
  let hasStopped = false;
  const isStopping = () => hasStopped;
  const housekeeping = startFileHousekeeping({
    sweepUnfinished: () => blobs.sweepUnfinished(now()),
    sweepOrphans: () => sweepOrphans({ db, blobs, now, isStopping }),
    settle: (all) => settleFiles({ db, blobs, now, isStopping, log: deps.log }, all),
    run: inBackground,
  });
  const attempt: FileDeps['attempt'] = (what, work) =>
    new Promise((resolve) => inBackground(what, () => work().finally(resolve)));
  return {
    endpoints: fileEndpoints({ ...deps, attempt }),
    consoleEndpoints: fileConsoleEndpoints({ db, assertApp: deps.assertApp }),
    register: (server) => registerFileServing(server, { db, blobs }),
    jobs: fileErasureHandlers(db, blobs),
    stop() {
      hasStopped = true;
      housekeeping.stop();
    },
  };
}
