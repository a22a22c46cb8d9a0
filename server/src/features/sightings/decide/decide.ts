import { hash } from 'node:crypto';
import type { AppPolicy } from '../../../access/policy.ts';
import {
  advance,
  type Firing,
  type History,
  type Observation,
  type Observed,
  type Outcome,
  observe,
  type PresenceSettings,
  type Rules,
  remember,
  type Verdict,
} from '../../../proximity/index.ts';
import type { SiteTrigger } from '../site/site-store.ts';
import { appRules, historyMs } from '../site/trigger-policy.ts';
import type { Stored } from './presence-store.ts';

/** What one call of the engine is given and what follows from its answer; the same for a report, a deadline and a rehearsal. */

/** Where presence, triggers and history come from: the transaction, or the memory of a simulation. */
export interface Reads {
  presence(beaconId: string): Promise<Stored | undefined>;
  triggers(beaconId: string): Promise<readonly SiteTrigger[]>;
  firings(since: number): Promise<readonly Firing[]>;
}

export interface Turn {
  readonly installationId: string;
  readonly policy: AppPolicy;
  /** The service's clock. */
  readonly now: number;
  /** Whether the installation can be shown anything: it reads the answer, or has a live push token. */
  readonly hasTarget: boolean;
  /** A client that decides and shows by itself: there are events and visits and nothing is triggered. */
  readonly isSilent?: true;
}

/** Where it happens; a beacon that was deleted has only its id. */
export interface Place {
  readonly objectId: string;
  readonly timeZone?: string | undefined;
  readonly settings?: PresenceSettings;
}

/** What happened at one beacon. */
export interface Decision {
  readonly beaconId: string;
  readonly outcome: Outcome;
  readonly visitCount: number;
  readonly fired: readonly Fired[];
  readonly triggers: readonly SiteTrigger[];
  /** Indexes into the observations that changed nothing, with the reason. */
  readonly skipped: Observed['skipped'];
  /** False when nothing has changed that would have to be stored. */
  readonly hasChanged: boolean;
}

/** A verdict that lets a message go, under the id by which its delivery is known everywhere. */
export interface Fired {
  readonly verdict: Verdict;
  readonly deliveryId: string;
  readonly shown: SiteTrigger;
}

/** What was shown to one installation, read at most once and kept up to date over several beacons. */
export class Past {
  #fired: readonly Firing[] = [];
  #since = Number.POSITIVE_INFINITY;
  readonly #reads: Reads;

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  async fired(since: number): Promise<readonly Firing[]> {
    if (since < this.#since) {
      const known = new Set(this.#fired.map(firingKey));
      const stored = await this.#reads.firings(since);
      this.#fired = [...stored.filter((firing) => !known.has(firingKey(firing))), ...this.#fired];
      this.#since = since;
    }
    return this.#fired;
  }

  add(verdicts: readonly Verdict[]): void {
    const before: History = { fired: this.#fired };
    this.#fired = verdicts.reduce(remember, before).fired ?? [];
  }
}

const firingKey = ({ triggerId, visitId, at }: Firing) => `${triggerId} ${visitId} ${at}`;

/** One id for each trigger, installation, visit and event: what makes a delivery that delivery. */
export function deliveryIdOf(verdict: Verdict, installationId: string): string {
  const { triggerId, visitId, eventId } = verdict;
  const digest = hash('sha256', JSON.stringify([triggerId, installationId, visitId, eventId]), 'base64url');
  // The event's time in front: new jobs then land at the end of the index.
  return eventId.slice(0, 8) + digest.slice(0, 24);
}

/** Weighs the observations at one beacon; null: only time has passed. */
export async function decide(
  { reads, past }: { readonly reads: Reads; readonly past: Past },
  turn: Turn,
  place: Place,
  observations: readonly Observation[] | null,
): Promise<Decision> {
  const stored = await reads.presence(place.objectId);
  const situation = {
    installationId: turn.installationId,
    beaconId: place.objectId,
    state: stored?.state ?? null,
    settings: { sensitivity: turn.policy.sensitivity, ...place.settings },
    now: turn.now,
  };
  const run = (judging: { readonly rules?: Rules; readonly history?: History }): Observed =>
    observations === null
      ? { ...advance({ ...situation, ...judging }), skipped: [] }
      : observe({ ...situation, ...judging, observations });
  // Most reports confirm nothing: rules and history are read only when there is something to judge.
  let outcome = run({});
  const isQuiet = outcome.events.length === 0 && (stored?.state.waits.length ?? 0) === 0;
  const triggers = isQuiet || turn.isSilent ? [] : await reads.triggers(place.objectId);
  if (triggers.length > 0) {
    const fired = needsPast({ stored, outcome, turn, triggers })
      ? await past.fired(sinceFor(outcome, turn, triggers))
      : [];
    outcome = run({
      rules: rulesOf(turn, place, triggers),
      history: { fired, earlierVisits: stored?.visitCount ?? 0 },
    });
    past.add(outcome.verdicts);
  }
  const ended = outcome.events.filter(({ event }) => event === 'EXIT').length;
  return {
    beaconId: place.objectId,
    outcome,
    visitCount: (stored?.visitCount ?? 0) + ended,
    fired: firedOf(outcome.verdicts, triggers, turn.installationId),
    triggers,
    skipped: outcome.skipped,
    hasChanged: observations === null || outcome.skipped.length < observations.length,
  };
}

function rulesOf(turn: Turn, place: Place, triggers: readonly SiteTrigger[]): Rules {
  return {
    ...appRules(turn.policy),
    triggers: triggers.map(({ trigger }) => trigger),
    ...(place.timeZone === undefined ? {} : { beaconTimeZone: place.timeZone }),
    hasTarget: turn.hasTarget,
  };
}

interface Judging {
  readonly stored: Stored | undefined;
  /** As it is without rules. */
  readonly outcome: Outcome;
  readonly turn: Turn;
  readonly triggers: readonly SiteTrigger[];
}

/**
 * The past is asked for only where a gate can ask: some trigger waits for what happened, and there are pauses or caps, or
 * the pass has begun before.
 */
function needsPast({ stored, outcome, turn, triggers }: Judging): boolean {
  const kinds = new Set([
    ...outcome.events.map(({ event }) => event),
    ...(stored?.state.waits ?? []).map(({ event }) => event.event),
  ]);
  if (!triggers.some(({ trigger }) => trigger.enabled && kinds.has(trigger.event))) return false;
  if (typeof stored?.state.passId === 'string' || turn.policy.polite) return true;
  const policies = [appRules(turn.policy).policy, ...triggers.map(({ trigger }) => trigger.policy)];
  return policies.some((policy) => Boolean(policy?.coolDown) || (policy?.caps?.length ?? 0) > 0);
}

function sinceFor(outcome: Outcome, turn: Turn, triggers: readonly SiteTrigger[]): number {
  const earliest = outcome.events.reduce((least, { at }) => Math.min(least, at), turn.now);
  const policies = [appRules(turn.policy).policy, ...triggers.map(({ trigger }) => trigger.policy)];
  return earliest - historyMs(policies);
}

function firedOf(verdicts: readonly Verdict[], triggers: readonly SiteTrigger[], installationId: string): Fired[] {
  return verdicts.flatMap((verdict) => {
    const shown = triggers.find(({ trigger }) => trigger.id === verdict.triggerId);
    if (verdict.outcome !== 'fired' || !shown) return [];
    return [{ verdict, shown, deliveryId: deliveryIdOf(verdict, installationId) }];
  });
}
