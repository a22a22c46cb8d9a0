import { WorkSlices } from '../base/work-slices.ts';
import { RetryLater } from './job.ts';

/**
 * The result of work that yields between its parts, while others have their turn.
 *
 * @throws RetryLater when the job no longer counts
 */
export async function inSlices<T>(steps: Generator<void, T>, signal: AbortSignal): Promise<T> {
  const slices = new WorkSlices();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (signal.aborted) throw new RetryLater('the service stops', 1);
    await slices.rest();
  }
}
