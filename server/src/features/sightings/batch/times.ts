import { type ClockState, latestTime, learnClock } from '@pharos/engine';
import type { ItemProblem } from './batch.ts';
import type { Placed } from './placing.ts';

/** What a batch says about one installation, brought to the service's clock. */
export interface Timed {
  readonly placed: readonly Placed[];
  readonly problems: readonly ItemProblem[];
  readonly clock: ClockState;
  /** By how much the times were moved back, ms. */
  readonly error: number;
}

/** How far ahead a clock may be before its sender is told. */
const toldAheadMs = 5 * 60_000;

/**
 * Corrects the sender's clock for the reports about one installation. All of them are moved alike, which keeps the seconds
 * between them, on which the gates depend, unless the clock was set between them; a report whose own time cannot be right is left
 * out.
 */
export function correctTimes(
  placed: readonly Placed[],
  { clock, sentAt, now }: { readonly clock: ClockState; readonly sentAt: number | undefined; readonly now: number },
): Timed {
  const times = placed.flatMap(({ item }) => item.sentTime ?? []);
  if (times.length === 0 && sentAt === undefined) return { placed, problems: [], clock, error: clock.error };
  const learned = learnClock(clock, { sentAt, times, now });
  const { error, errorAt } = learned;
  const problems: ItemProblem[] = [];
  const left = placed.flatMap((one): Placed[] => {
    const { item } = one;
    if (item.sentTime === undefined) return [one];
    const own = errorAt(item.sentTime);
    const occurredAt = item.sentTime - own;
    const latest = learned.latest + own - error;
    const problem = timeProblem(item.sentTime, { occurredAt, latest, error: own });
    if (problem !== undefined) {
      problems.push({ index: item.index, code: 'bad_time', field: 'occurredAt', message: problem });
      return [];
    }
    if (own === 0) return [one];
    if (error > toldAheadMs && sentAt === undefined && item.sentTime > now) problems.push(aheadNote(item.index, error));
    return [{ ...one, item: { ...item, observation: { ...item.observation, occurredAt } } }];
  });
  return { placed: left, problems, clock: learned.clock, error };
}

const secondsOf = (ms: number) => Math.round(ms / 1000);

function timeProblem(
  sentTime: number,
  { occurredAt, latest, error }: { readonly occurredAt: number; readonly latest: number; readonly error: number },
): string | undefined {
  if (sentTime > latest) {
    const ahead = secondsOf(sentTime - latest);
    return `occurredAt lies ${ahead} s in the future of what the sender's clock can say; this sighting was left out.`;
  }
  if (occurredAt >= 0 && occurredAt <= latestTime) return undefined;
  return `The sender's clock is off by ${secondsOf(error)} s. Corrected by this, occurredAt is not between 1970 and 9999.`;
}

const aheadNote = (index: number, error: number): ItemProblem => ({
  index,
  code: 'clock_ahead',
  field: 'occurredAt',
  message: `occurredAt lies in the future; all times of the batch were moved back by ${secondsOf(error)} s and counted. Send sentAt, the time of the phone at sending, to have its clock corrected exactly.`,
});
