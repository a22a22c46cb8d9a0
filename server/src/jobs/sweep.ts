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
 * Runs each task every hour until `stop`, for the first time after a minute. The timers do not keep the process alive.
 */
export function startSweeping(
  run: (what: string, work: () => Promise<unknown>) => void,
  tasks: Readonly<Record<string, () => Promise<unknown>>>,
): { stop(): void } {
  const sweep = () => {
    for (const [what, work] of Object.entries(tasks)) run(what, work);
  };
  const timers = [setTimeout(sweep, firstMs), setInterval(sweep, everyMs)];
  for (const timer of timers) timer.unref();
  return {
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
