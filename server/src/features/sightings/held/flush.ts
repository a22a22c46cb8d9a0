import type { AppPolicy } from '../../../access/policy.ts';
import { Failure } from '../../../base/errors.ts';
import type { TrackKey } from '../traces/told-store.ts';
import type { HeldTracks } from './held-tracks.ts';

/** Writes what is held in memory, in time. */

export interface Flushing {
  readonly held: HeldTracks;
  readonly now: () => number;
  /** @throws Failure ObjectNotFound when the installation is gone */
  readonly write: (key: TrackKey, at: { readonly policy: AppPolicy; readonly now: number }) => Promise<void>;
  /** Undefined when the app is gone. */
  readonly findPolicy: (appId: string) => Promise<AppPolicy | undefined>;
}

/** Written at once; the writer batches those that wait. */
const atOnce = 128;

/** Writes what is due by now, and all with `isLast`. Answers for how many installations. */
export async function flush(
  flushing: Flushing,
  { isLast = false }: { readonly isLast?: boolean } = {},
): Promise<number> {
  const due = flushing.held.due(flushing.now(), { isLast });
  await flushAll(flushing, due);
  return due.length;
}

/** Writes these. One that cannot be written does not hold back others, unless none can. */
export async function flushAll({ held, now, write, findPolicy }: Flushing, keys: readonly TrackKey[]): Promise<void> {
  const policies = new Map<string, AppPolicy | undefined>();
  for (const { appId } of keys) if (!policies.has(appId)) policies.set(appId, await findPolicy(appId));
  const writeOne = async (key: TrackKey) => {
    const policy = policies.get(key.appId);
    if (policy === undefined) return held.forget(key);
    try {
      await write(key, { policy, now: now() });
    } catch (error) {
      if (!(error instanceof Failure && error.name === 'ObjectNotFound')) throw error;
      held.forget(key);
    }
  };
  let failed: PromiseRejectedResult | undefined;
  for (let start = 0; start < keys.length; start += atOnce) {
    const written = await Promise.allSettled(keys.slice(start, start + atOnce).map(writeOne));
    const failures = written.filter((one) => one.status === 'rejected');
    failed ??= failures[0];
    // The rest would fail alike; it is tried again with the next round.
    if (failures.length === written.length) break;
  }
  if (failed) throw failed.reason;
}
