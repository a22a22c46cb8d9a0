import { expireBy, nextDeadline } from './presence/expiry.ts';
import { applyObservation, type Skip } from './presence/presence.ts';
import { copyPresence, newPresence } from './presence/state.ts';
import type { Observation, PresenceEvent, PresenceSettings, PresenceState, Wait } from './presence/types.ts';
import type { Run } from './presence/visits.ts';
import type { History, Rules, Trigger, Verdict } from './rules/rule-types.ts';
import { judge, remember } from './rules/rules.ts';

/** A sender's clock may differ so much from ours before it is corrected. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** What both calls need. All of it plain values: the service, the simulator and a replay pass the same. */
export interface Situation {
  readonly installationId: string;
  readonly beaconId: string;
  /** As the last call returned it; null for the first meeting of the two. */
  readonly state: PresenceState | null;
  readonly settings?: PresenceSettings;
  /** Without rules there are events and no verdicts. */
  readonly rules?: Rules;
  readonly history?: History;
  /** The service's clock when the report arrived, ms. A replay passes the recorded arrival. */
  readonly now: number;
}

export interface Observing extends Situation {
  /** Reports about this installation at this beacon, in any order. */
  readonly observations: readonly Observation[];
  /** The sender's clock when it sent the batch (ms), if it says so: then any error of its clock is known exactly. */
  readonly sentAt?: number;
}

export interface Outcome {
  /** To be stored in place of the state passed in, which is left untouched. */
  readonly state: PresenceState;
  /** Confirmed events in order of time. */
  readonly events: readonly PresenceEvent[];
  /** One for each event and trigger, and the final ones of waits that ended, in the order in which they were decided. */
  readonly verdicts: readonly Verdict[];
  /** When to call `advance`, by the service's clock (ms); null: not before the next report. */
  readonly deadline: number | null;
}

export interface Observed extends Outcome {
  /** Reports that changed nothing, by their index in `observations`: late, duplicate, no_measurement. */
  readonly skipped: readonly { readonly index: number; readonly reason: Skip }[];
}

/**
 * (state, observations, rules, history, now) → (state, events, verdicts): the one function that decides.
 *
 * Reports are sorted by time; exact duplicates and reports older than what the state has seen change nothing, so a batch
 * may be sent twice. How one ordered stream is cut into batches makes no difference to the visits.
 */
export function observe(input: Observing): Observed {
  const calculation = begin(input);
  const skipped: { index: number; reason: Skip }[] = [];
  for (const { observation, index } of inOrder(correctClock(input))) {
    const reason = applyObservation(calculation.run, observation, input.now);
    if (reason !== null) skipped.push({ index, reason });
  }
  return { ...finish(calculation), skipped };
}

/**
 * What time alone brings about until `now`: EXIT by silence, the end of a trigger's wait, a visit of twelve hours. To be
 * called at `deadline`; calling it earlier, later or twice does no harm, because things happen at the time they were due.
 */
export function advance(input: Situation): Outcome {
  const calculation = begin(input);
  if (input.state !== null) expireBy(calculation.run, input.now);
  return finish(calculation);
}

interface Calculation {
  readonly run: Run;
  readonly events: PresenceEvent[];
  readonly verdicts: Verdict[];
}

function begin(input: Situation): Calculation {
  const { installationId, beaconId, settings = {}, rules, now } = input;
  const state = input.state === null ? newPresence() : copyPresence(input.state);
  const events: PresenceEvent[] = [];
  const verdicts: Verdict[] = [];
  let history = input.history ?? {};
  const ask = (trigger: Trigger, event: PresenceEvent, at: number, stayed?: boolean): void => {
    if (rules === undefined) return;
    const verdict = judge({ trigger, event, at, now, ...(stayed === undefined ? {} : { stayed }) }, rules, history);
    verdicts.push(verdict);
    history = remember(history, verdict);
    if (verdict.dueAt !== undefined) state.waits.push({ triggerId: trigger.id, event, dueAt: verdict.dueAt });
  };
  const emit = (event: PresenceEvent): void => {
    events.push(event);
    for (const trigger of rules?.triggers ?? []) ask(trigger, event, event.at);
    if (event.event === 'EXIT') history = { ...history, earlierVisits: (history.earlierVisits ?? 0) + 1 };
  };
  const settle = (wait: Wait, at: number, stayed: boolean): void => {
    const trigger = rules?.triggers.find((candidate) => candidate.id === wait.triggerId);
    // A trigger that was deleted meanwhile has nobody left who could ask why.
    if (trigger !== undefined) ask(trigger, wait.event, at, stayed);
  };
  return { run: { installationId, beaconId, state, settings, emit, settle }, events, verdicts };
}

function finish({ run, events, verdicts }: Calculation): Outcome {
  return { state: run.state, events, verdicts, deadline: nextDeadline(run.state) };
}

/**
 * How far a sender's clock is off (ms, positive: ahead), 0 when it is within five minutes. With `sentAt` the error is known.
 * Without it a clock that runs ahead shows, since nothing is heard in the future: the newest report is taken for now. A past
 * time may as well be a phone that was offline: it keeps its own time, and the verdicts call it stale.
 */
export function clockError(times: Iterable<number>, now: number, sentAt?: number): number {
  let error = sentAt === undefined ? 0 : sentAt - now;
  if (sentAt === undefined) for (const occurredAt of times) error = Math.max(error, occurredAt - now);
  return Math.abs(error) <= CLOCK_TOLERANCE_MS ? 0 : error;
}

/**
 * Brings the reports to the service's clock. The batch is moved and not each report, which keeps the seconds between them,
 * on which the gates depend.
 */
function correctClock({ observations, sentAt, now }: Observing): readonly Observation[] {
  const times = observations.map(({ occurredAt }) => occurredAt);
  const error = clockError(times, now, sentAt);
  if (error === 0) return observations;
  return observations.map((observation) => ({ ...observation, occurredAt: observation.occurredAt - error }));
}

interface Indexed {
  readonly observation: Observation;
  readonly index: number;
}

function inOrder(observations: readonly Observation[]): readonly Indexed[] {
  const indexed = observations.map((observation, index) => ({ observation, index }));
  return indexed.length < 2 ? indexed : indexed.sort((a, b) => compare(a.observation, b.observation));
}

/** A total order over all that matters, so that any order of arrival gives one order of work. Decisions come last. */
function compare(a: Observation, b: Observation): number {
  return (
    a.occurredAt - b.occurredAt ||
    compareText(a.event ?? '', b.event ?? '') ||
    compareText(a.receiver ?? '', b.receiver ?? '') ||
    (a.rssi ?? 0) - (b.rssi ?? 0) ||
    (a.distance ?? 0) - (b.distance ?? 0)
  );
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
