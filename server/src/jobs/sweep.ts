import type { Database } from '../db/db.ts';
import { deleteDeadJobs, endExpiredJobs } from './store.ts';

const dayMs = 86_400_000;
/** How long a dead job can be inspected. */
const keptMs = 30 * dayMs;
const stepSize = 500;
/** A worker ends a job that expires while it works on it; this is for jobs that no worker takes. */
const unclaimedMs = 3_600_000;

/** Ends expired jobs that no worker takes, and removes dead ones after a month, a few at a time. */
export async function sweepDeadJobs(db: Database, now: number): Promise<void> {
  while ((await endExpiredJobs(db, { before: now - unclaimedMs, now, limit: stepSize })) === stepSize);
  while ((await deleteDeadJobs(db, now - keptMs, stepSize)) === stepSize);
}

const firstMs = 60_000;
const everyMs = 3_600_000;

/**
 * Runs each task that is `isOurs` then every hour until `stop`, for the first time after a minute; `sweep` runs all at once. The timers do not keep the process alive.
 */
export function startSweeping(
  run: (what: string, work: () => Promise<unknown>) => void,
  tasks: Readonly<Record<string, () => Promise<unknown>>>,
  isOurs: (what: string) => boolean = () => true,
): { sweep(): void; stop(): void } {
  const sweep = (isAsked: (what: string) => boolean) => {
    for (const [what, work] of Object.entries(tasks)) if (isAsked(what)) run(what, work);
  };
  const sweepOurs = () => sweep(isOurs);
  const timers = [setTimeout(sweepOurs, firstMs), setInterval(sweepOurs, everyMs)];
  for (const timer of timers) timer.unref();
  return {
    sweep: () => sweep(() => true),
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
