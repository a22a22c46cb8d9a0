import type { EventKind, PresenceEvent } from '../presence/types.ts';
import type { VenueHours } from './hours.ts';

export interface ShownDay {
  readonly dayName: string;
  readonly checked: boolean;
}

/** A notification, or a storyline's scenario, as far as the question "does it fire?" is concerned. */
export interface Trigger {
  readonly id: string;
  readonly kind: 'notification' | 'scenario';
  /** The notification's, or the storyline header's, `isEnabled`. */
  readonly enabled: boolean;
  readonly event: EventKind;
  /** objectIds of the beacons it belongs to. */
  readonly beaconIds: readonly string[];
  /** A scenario's weekly schedule; a notification has none and runs every day. `[]` never runs. */
  readonly showOn?: readonly ShownDay[];
  /** The scenario's own time zone (IANA). */
  readonly timeZone?: string;
  /** Overrides members of the app's policy; null switches one off. */
  readonly policy?: PolicyOverride;
  /** Percent of visitors who get nothing, for comparison. */
  readonly holdout?: number;
  /** Each visitor gets one of them, always the same. */
  readonly variants?: readonly Variant[];
}

export interface Variant {
  readonly name: string;
  /** Its part of all weights. */
  readonly weight: number;
}

export interface CoolDown {
  readonly seconds: number;
  /** Counted since this trigger last fired for the installation, or since any trigger of the app did. */
  readonly per: 'trigger' | 'app';
}

export interface Cap {
  readonly count: number;
  readonly per: 'trigger' | 'app';
  /** A sliding window in seconds, or the calendar day in the site's time zone. */
  readonly window: number | 'day';
}

export interface QuietHours {
  /** "HH:MM" in the site's time zone; `from` after `until` spans midnight. `from` is quiet, `until` is not. */
  readonly from: string;
  readonly until: string;
}

export interface NthVisit {
  readonly n: number;
  /** Only visit n; visit n and later; every n-th visit. Visits of this installation at this beacon, counted from 1. */
  readonly mode: 'only' | 'from' | 'every';
}

/** Only while the venue is open, or at any time of a day on which it opens. Without known hours it is always open. */
export interface DuringHours {
  readonly during: 'open' | 'openDays';
  /** Visitors who are inside when the venue opens get it then, instead of never. */
  readonly alreadyInside?: boolean;
}

/** Optional politeness, per app and overridable per trigger. Everything off by default, except once a visit. */
export interface Policy {
  readonly oncePer?: 'visit' | 'event';
  readonly coolDown?: CoolDown;
  readonly caps?: readonly Cap[];
  /** How long the visitor must stay before it fires; at an EXIT, how long the visitor must have stayed. */
  readonly dwellSeconds?: number;
  readonly nthVisit?: NthVisit;
  readonly quietHours?: QuietHours;
  readonly venueHours?: DuringHours;
  /** Epoch ms; `validFrom` is in, `validUntil` is out. */
  readonly validFrom?: number;
  readonly validUntil?: number;
}

export type PolicyOverride = { readonly [K in keyof Policy]?: Policy[K] | null };

/** Everything that decides about an event besides the event and the past. */
export interface Rules {
  readonly triggers: readonly Trigger[];
  readonly policy?: PolicyOverride;
  /** Starts from POLITE instead of from nothing; members of `policy` still win. */
  readonly polite?: boolean;
  /** The beacon's `metadata.timeZone`, else that of its venue, and the app's, IANA names; wrong or missing ones are passed over. */
  readonly beaconTimeZone?: string;
  readonly appTimeZone?: string;
  readonly hours?: VenueHours;
  /** Whether the installation can be reached: a live push token, or an app in the foreground that reads the answer. */
  readonly hasTarget: boolean;
  /** False: the visitor has not agreed to messages. */
  readonly hasConsent?: boolean;
  /** How old an event may be and still be shown, in seconds; default 120, the push's time to live. */
  readonly timeToLive?: number;
}

/**
 * What the past says, for one installation. The service reads it from its verdicts; an empty one is `{}`. Times in ms.
 * `fired` needs to reach back over the longest cool-down and cap window in use (a calendar day: 25 h).
 */
export interface History {
  readonly fired?: readonly Firing[];
  /** Visits of this installation at this beacon that began before the current one. */
  readonly earlierVisits?: number;
}

export interface Firing {
  readonly triggerId: string;
  readonly visitId: string;
  readonly at: number;
  /** On another phone of the person. */
  readonly isElsewhere?: true;
}

/** In the order of evaluation; the first that says no is the verdict's reason. */
export type Reason =
  | 'disabled'
  | 'event'
  | 'beacon'
  | 'schedule'
  | 'no_consent'
  | 'stale'
  | 'repeat'
  | 'cool_down'
  | 'cap'
  | 'dwell'
  | 'nth_visit'
  | 'quiet_hours'
  | 'closed'
  | 'validity'
  | 'no_target'
  | 'holdout'
  | 'fired';

/**
 * The outcome of one trigger at one event. `pending` (reason `dwell` or `closed`) is followed by a final verdict of the same
 * trigger and event at `dueAt`, or when the visitor leaves first; it replaces the pending one.
 */
export interface Verdict {
  readonly triggerId: string;
  readonly kind: Trigger['kind'];
  readonly eventId: string;
  readonly visitId: string;
  readonly event: EventKind;
  /** When it was decided, by the corrected clock of the sender: the event's time, or the end of the wait. */
  readonly at: number;
  readonly outcome: 'fired' | 'stopped' | 'pending';
  readonly reason: Reason;
  /** One sentence for the people who write the messages. */
  readonly text: string;
  /** The variant that was shown, or the group of those who get nothing. */
  readonly group?: string;
  /** Pending only: when the visitor will have stayed long enough, by the sender's clock (ms). */
  readonly dueAt?: number;
}

/** One question: may this trigger fire at this event? */
export interface Question {
  readonly trigger: Trigger;
  readonly event: PresenceEvent;
  /** When it is asked, by the sender's clock: the event's time, or the end of the wait. */
  readonly at: number;
  /** The service's clock. */
  readonly now: number;
  /** How the wait for dwell ended, where there was one. */
  readonly stayed?: boolean;
  /** When the visitor left, where they did not stay long enough. */
  readonly leftAt?: number;
}
