import type { ClockState, Observation, Retimed, Subject } from '@pharos/engine';
import type { DecidedOnPhone, Decision, DecisionContext, Shown } from '@pharos/engine/decide';
import type { Telemetry } from '@pharos/gateways';
import type { Permissions } from '../../../../access/consent.ts';
import type { AppPolicy } from '../../../../access/policy.ts';
import type { Motion } from '../../../motion.ts';
import type { SiteBeacon } from '../site/site.ts';
import type { KnownTrack, StoredBatch } from './track.ts';

/**
 * The stages between a batch of sightings and its answer. Each type is made by one room only, and brings what that room has made sure of:
 *
 *     batch ─ read ─▶ Report, Intake ─ lock ─▶ Locked, Fresh ─ decide ─▶ Decided ─ record ─▶ rows
 *                                                                           └──── answer ─▶ Effect
 */

/** Read: a report that can be used. The app has its beacon. */
export interface Report {
  /** Which of the batch's sightings it is. */
  readonly index: number;
  readonly subject: Subject;
  readonly observation: Observation;
  readonly eventId: string | undefined;
  /** The time as it was sent; undefined when the report has none. */
  readonly sentTime: number | undefined;
  readonly telemetry?: Telemetry;
  /** How the phone moved. */
  readonly motion?: Motion;
  /** As the sender named it, or ours where a gateway has heard a tag. */
  readonly installationId: string;
  readonly beacon: SiteBeacon;
}

/** Read: what one batch says about one installation. All its reports are about that one. */
export interface Intake {
  readonly sender: Sender;
  /** Our id, or else where it sent the batch itself the client's own, which comes first. */
  readonly id: string;
  /** The installation itself has sent the batch and reads the answer. */
  readonly isOwn: boolean;
  readonly reports: readonly Report[];
  /** The sender's clock at sending, ms. */
  readonly sentAt: number | undefined;
  /** What the phone has decided by itself, by its own clock. */
  readonly decided?: ReportedDecisions | undefined;
  /** Identifies the batch, so that it is answered alike when it is sent again. */
  readonly batchKey: string | undefined;
}

/**
 * Lock: until the end of the transaction, nobody else acts for the installation or for the person who carries it, and the sender has
 * proven that it may.
 */
export interface Locked {
  readonly intake: Intake;
  readonly lock: NamedLock;
  readonly permissions: Permissions;
  readonly track: KnownTrack;
}

/** Lock: the times are the service's, and no report was counted before. */
export interface Fresh extends Locked {
  readonly reports: readonly Report[];
  readonly keys: readonly string[];
  /** How many others had been counted. */
  readonly repeated: number;
  readonly problems: readonly ItemProblem[];
  /** What the phone has decided by itself, by the service's clock and within bounds of time. */
  readonly decided: ReportedDecisions | undefined;
  readonly clock: ClockState;
  /** By how much the times were moved back, ms. */
  readonly clockError: number;
  /** Times that were corrected wrongly before. */
  readonly retimed?: Retimed | undefined;
}

/** Decide: what follows is known, and whether the track is written with it or stays in the cache. Nothing is written yet. */
export interface Decided {
  readonly appId: string;
  readonly context: DecisionContext;
  readonly decision: Decision;
  /** The batch, if it is all that is written: nothing follows from it, and the track stays as it was written. */
  readonly batch: StoredBatch | undefined;
  /** Batches may be stored beside the track, and go when it is written. */
  readonly hasBatches: boolean;
  /** Of this writing of the track. */
  readonly version: number;
  /** Keys of sightings that are to be written. */
  readonly keys: readonly string[];
  readonly duplicates: number;
  readonly afterCommit: () => void;
}

/** Answer: what a batch did to one installation, as far as the sender may know it. */
export interface Effect {
  readonly events: readonly AnsweredEvent[];
  readonly messages: readonly AnsweredMessage[];
  readonly nearest: readonly AnsweredNearest[];
  readonly duplicates: number;
  readonly problems: readonly ItemProblem[];
  /** How far the sender's clock was off and has been corrected, ms; positive: ahead. */
  readonly clockError: number;
  /** What other phones of the person were shown, for one that decides by itself. */
  readonly elsewhere?: readonly Elsewhere[];
  /** It has a secret, which the sender did not present: nothing was done. */
  readonly isUnproven?: true;
}

// What they are made of.

export interface Sender {
  readonly appId: string;
  readonly policy: AppPolicy;
  /** When the batch arrived, ms. */
  readonly now: number;
  /** The signed-in user, if any. */
  readonly userId: string | undefined;
  /** A manager of the app, a secret key, or an administrator. */
  readonly seesAll: boolean;
  /** The answer may say where other people's phones are. */
  readonly seesWhereabouts: boolean;
  /** The secret of an installation, as it was sent. */
  readonly secret: string | undefined;
  /** It may report only what these gateways have heard; undefined: everything. */
  readonly gateways?: ReadonlySet<string> | undefined;
}

export interface ItemProblem {
  readonly index: number;
  readonly code: string;
  readonly field?: string;
  readonly message: string;
}

export interface InstallationLock {
  readonly hasPushTarget: boolean;
  /** The user that it is linked to; null too while nobody has shown that it is still the same phone. */
  readonly userId: string | null;
  /** Since when (ms) the same person carries it, as far as that is known. */
  readonly heldSince: number | undefined;
  /** What its visitor has decided, as it is stored. */
  readonly consents: string | null;
  /** The language and region of the phone, as it reported them. */
  readonly locale: string | null;
  /** The model of the phone, as it reported it. */
  readonly model: string | null;
  /** How it was last said to move, and since when (ms). */
  readonly moving: { readonly motion: string; readonly at: number } | undefined;
}

export interface NamedLock extends InstallationLock {
  readonly objectId: string;
  /** The user that it is linked to. */
  readonly userId: string | null;
  /** The last registration did not prove that it is the same phone. */
  readonly isUnproven: boolean;
  readonly secretHash: string | null;
  /** Named by the id that only its own phone knows, or without such an id. */
  readonly isByOwnId: boolean;
}

export interface ReportedShowing extends Shown {
  /** Which of those that were sent. */
  readonly index: number;
}

/** The decisions that a phone reports, with the place of each in the batch for problems. */
export interface ReportedDecisions extends DecidedOnPhone {
  readonly shown: readonly ReportedShowing[];
}

export interface Elsewhere {
  readonly triggerId: string;
  /** ISO 8601. */
  readonly shownAt: string;
}

export interface AnsweredEvent {
  readonly objectId: string;
  readonly [member: string]: unknown;
}

export interface AnsweredMessage {
  readonly deliveryId: string;
  readonly triggerId: string;
  readonly [member: string]: unknown;
}

export interface AnsweredNearest {
  readonly distance: number;
  readonly [member: string]: unknown;
}
