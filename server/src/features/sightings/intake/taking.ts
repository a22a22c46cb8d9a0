import type { Permissions } from '../../../access/consent.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import type { ItemProblem } from '../batch/batch.ts';
import type { Placed } from '../batch/placing.ts';
import type { Timed } from '../batch/times.ts';
import type { NamedLock } from '../decide/installation-locks.ts';
import type { Known } from '../held/held-tracks.ts';
import type { AnsweredEvent, AnsweredMessage, AnsweredNearest } from './answer.ts';

/** A batch being processed: as it arrives, with its installation locked, and its effects. */

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
}

/** What one batch says about one installation. */
export interface Intake {
  readonly sender: Sender;
  /** Our id, or else where it sent the batch itself the client's own, which comes first. */
  readonly id: string;
  /** The installation itself has sent the batch and reads the answer. */
  readonly isOwn: boolean;
  readonly placed: readonly Placed[];
  /** The sender's clock at sending, ms. */
  readonly sentAt: number | undefined;
  readonly batchKey: string | undefined;
  /** Nothing was sent: what is held in memory is to be written. */
  readonly isFlush?: true;
}

/** What a batch did to one installation. */
export interface Effect {
  readonly events: readonly AnsweredEvent[];
  readonly messages: readonly AnsweredMessage[];
  readonly nearest: readonly AnsweredNearest[];
  readonly duplicates: number;
  readonly problems: readonly ItemProblem[];
  /** How far the sender's clock was off and has been corrected, ms; positive: ahead. */
  readonly clockError: number;
  /** It has a secret, which the sender did not present: nothing was done. */
  readonly isUnproven?: true;
}

/** An intake whose installation is locked, and what of it has not been counted yet. */
export interface Held {
  readonly intake: Intake;
  readonly lock: NamedLock;
  readonly permissions: Permissions;
  readonly known: Known;
  readonly timed: Timed;
  readonly fresh: readonly Placed[];
  /** Keys of these. */
  readonly keys: readonly string[];
}

export type Locked = Pick<Held, 'intake' | 'lock' | 'permissions'>;
export type Timely = Omit<Held, 'fresh' | 'keys'>;
