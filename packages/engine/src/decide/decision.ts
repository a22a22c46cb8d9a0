import type { Retimed } from '../clock.ts';
import type { Evidence, Pass, PresenceEvent, PresenceSettings, ReceiverOffset } from '../presence/types.ts';
import type { Seeding } from '../presence/visits.ts';
import type { VenueHours } from '../rules/hours.ts';
import type { Firing, Verdict } from '../rules/rule-types.ts';
import type { BeaconMap } from '../survey/signal-map.ts';
import type { DecidedOnPhone, Shown } from './on-phone.ts';
import type { DecidingPolicy } from './policy.ts';
import type { StoredSegment, TrackRecord, WrittenSamples } from './record.ts';
import type { SiteTrigger } from './triggers.ts';
import type { Whereabouts } from './whereabouts.ts';

/** Where the track, triggers and history come from: the transaction, or the memory of a simulation. */
export interface Reads {
  record(): Promise<TrackRecord | undefined>;
  /** How the installation is known to hear; asked once, when its record begins. */
  receiverOffset?(): Promise<ReceiverOffset | null>;
  /** Beacons that were deleted are left out. */
  places(beaconIds: readonly string[]): Promise<readonly ReportedPlace[]>;
  triggers(beaconId: string): Promise<readonly SiteTrigger[]>;
  firings(since: number): Promise<readonly Firing[]>;
  /** Visits at a beacon that are over. */
  visitCount(beaconId: string): Promise<number>;
  readonly kept: HistoryReads;
}

export interface DecisionContext extends Seeding {
  readonly installationId: string;
  readonly policy: DecidingPolicy;
  /** The service's clock. */
  readonly now: number;
  /** Whether the installation can be shown anything: it reads the answer, or has a live push token. */
  readonly hasTarget: boolean;
  /** Times of earlier samples that turned out to be wrong. */
  readonly retimed?: Retimed | undefined;
  /** Since when (ms) the same person carries it; without it, always. */
  readonly heldSince?: number | undefined;
  /** Whether a push can reach it, so that a message may go out although nothing is delivered. */
  readonly hasPushTarget: boolean;
  /** What the visitor has agreed to; without it, to everything. */
  readonly permissions?: { readonly messages: boolean; readonly analytics: boolean };
  /** What the phone has decided by itself. */
  readonly decided?: DecidedOnPhone | undefined;
  /** The language and region of the phone, which choose the language of messages. */
  readonly locale?: string | null;
  readonly model?: string | null;
}

/** Where it happens; a beacon that was deleted has only its id. */
export interface ReportedPlace {
  readonly objectId: string;
  readonly timeZone?: string | undefined;
  readonly hours?: VenueHours | undefined;
  readonly settings?: PresenceSettings;
  /** What surveys say about its signal. */
  readonly map?: BeaconMap | undefined;
}

/** What happened to one installation. */
export interface Decision {
  readonly installationId: string;
  readonly sensed: Sensed;
  /** Reported now, in order of time. */
  readonly events: readonly PresenceEvent[];
  readonly verdicts: readonly JudgedAt[];
  readonly fired: readonly Fired[];
  /** Of the verdicts, those about messages that the phone had shown by itself; they are not sent. */
  readonly shown: readonly JudgedAt[];
  /** What it has shown at events that are not known yet. */
  readonly awaited: readonly Shown[];
  /** By beacon; empty where nothing was judged. */
  readonly triggers: ReadonlyMap<string, readonly SiteTrigger[]>;
  readonly record: TrackRecord;
  /** Where the installation is now, if it was heard lately. */
  readonly whereabouts: Whereabouts | undefined;
  /** Whether a push of what fired is being sent. */
  readonly isPushed: boolean;
  /** When time alone brings something about, by the service's clock (ms). */
  readonly deadline: number | null;
  /** False when nothing has changed that must be stored. */
  readonly hasChanged: boolean;
}

export interface JudgedAt {
  readonly beaconId: string;
  readonly verdict: Verdict;
}

/** A verdict that releases a message, under the id by which its delivery is known everywhere. */
export interface Fired extends JudgedAt {
  readonly deliveryId: string;
  /** With its content in the visitor's language. */
  readonly shown: SiteTrigger;
  /** The language of the content, where the message says it. */
  readonly language: string | null;
}

/** What is stored of a visit, with its events. */
export interface StoredVisit {
  readonly id: string;
  readonly beaconId: string;
  readonly enteredAt: number;
  readonly leftAt: number | null;
  readonly isOpen: boolean;
  readonly source: 'samples' | 'device';
  readonly createdAt: number;
}

export interface VisitScope {
  /** Visits open at some moment of this period (ms), or first reported to begin after its start. */
  readonly from: number;
  readonly until: number;
  /** And these, whenever they were. */
  readonly ids: readonly string[];
}

/** What is read of the past if something arrives late. */
export interface HistoryReads {
  segments(from: number): Promise<readonly StoredSegment[]>;
  visits(scope: VisitScope): Promise<readonly StoredVisit[]>;
  events(scope: { readonly after: number; readonly visitIds: readonly string[] }): Promise<readonly PresenceEvent[]>;
}

export interface Sensed extends Corrections {
  readonly record: TrackRecord;
  /** To be reported, in order of time. */
  readonly events: readonly PresenceEvent[];
  /** How many of the samples were known. */
  readonly duplicates: number;
  readonly written: readonly WrittenSamples[];
  readonly dropped: readonly number[];
  /** What new samples in order say about the radio of beacons; late samples have been counted already. */
  readonly evidence: Readonly<Record<string, Evidence>>;
  /** The beacons that new samples in order have passed. */
  readonly passes: readonly Pass[];
  /** Some of it is older than what was known: what is reported may have been reported before. */
  readonly isLate: boolean;
}

/** A visit that has become another one. */
export interface VisitChange {
  readonly id: string;
  readonly beaconId: string;
  readonly change: 'corrected' | 'reopened' | 'merged' | 'removed';
  readonly enteredAt: number;
  /** The previously reported beginning, if it may have been different. */
  readonly wasEnteredAt?: number;
  /** Null: it is open. */
  readonly exit: PresenceEvent | null;
  /** The visit that it has become a part of. */
  readonly mergedInto?: string;
}

/** A part of a reported visit that has become a visit of its own. */
export interface PartedVisit {
  readonly id: string;
  readonly from: string;
  /** When it began, ms. */
  readonly since: number;
}

export interface Corrections {
  readonly changedEvents: readonly PresenceEvent[];
  readonly removedEvents: readonly PresenceEvent[];
  readonly visits: readonly VisitChange[];
  readonly parted: readonly PartedVisit[];
}

export const noCorrections: Corrections = { changedEvents: [], removedEvents: [], visits: [], parted: [] };
