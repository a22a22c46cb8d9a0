/**
 * The words of the engine. Every shape here is plain JSON, so that a state can live in a database row and a replay or a
 * simulation can be written to a file. Times are epoch milliseconds, distances metres, powers dBm, durations seconds.
 */

/** What the interface calls events: presence in the beacon's radius, and the three zones around it. */
export type EventKind = 'ENTER' | 'EXIT' | Zone;
/** IMMEDIATE < 1 m, NEAR 1–3 m, FAR > 3 m; fixed by the interface, whatever a beacon's radius is. */
export type Zone = 'IMMEDIATE' | 'NEAR' | 'FAR';
export type Sensitivity = 'stable' | 'fast';
export type SenderKind = 'phone' | 'androidBackground' | 'espresense' | 'openmqttgateway';

/** A beacon as a radio packet names it: uuid in lower case without dashes, major and minor 0–65535. */
export interface BeaconAddress {
  readonly uuid: string;
  readonly major: number;
  readonly minor: number;
  /** The sender watches a region and may write 0 for "any": look up the exact address first, then the uuid alone. */
  readonly region?: true;
}

/** Who met whom. A phone hears a beacon; a gateway, which stands for a beacon, hears a tag, which stands for a visitor. */
export type Subject =
  | { readonly direction: 'phone'; readonly beaconId?: string; readonly address?: BeaconAddress }
  | { readonly direction: 'gateway'; readonly gateway: string; readonly tag: string; readonly address?: BeaconAddress };

/** One thing that a sender reports, in the one form that the engine reads. `normalise` in wire.ts makes it. */
export interface Observation {
  readonly occurredAt: number;
  /** Present when the phone's operating system has decided; then there is no sample to weigh. */
  readonly event?: 'ENTER' | 'EXIT';
  /** Received power in dBm, negative. */
  readonly rssi?: number;
  /** Measured power at one metre as the packet or the gateway states it, in dBm. */
  readonly txPower?: number;
  /** The sender's own estimate in metres; used only where there is no rssi, or where the sender has smoothed it. */
  readonly distance?: number;
  /** The sender has smoothed the value already, so the engine does not smooth it again. */
  readonly smoothed?: true;
  /** Which of several receivers of one beacon heard it; phones leave it out. */
  readonly receiver?: string;
  readonly sender?: SenderKind;
  /** How often the sender reports, in seconds; overrides its kind's profile for the silence that means EXIT. */
  readonly interval?: number;
}

/** What is configured for one beacon. All members optional; the defaults are the design's. */
export interface PresenceSettings {
  readonly sensitivity?: Sensitivity;
  /** The radius of ENTER and EXIT in metres, default 3. */
  readonly radius?: number;
  /** The beacon's own calibration: RSSI at one metre in dBm. */
  readonly measuredPower?: number;
  /** Added to the measured power for what a receiver hears too loud (+) or too quiet (−), in dB, by receiver. */
  readonly receiverOffsets?: Readonly<Record<string, number>>;
}

/** A scalar filter over path loss in dB (see filter.ts); `variance` is meaningless for the moving average. */
export interface FilterState {
  receiver: string;
  mean: number;
  variance: number;
  at: number;
}

/** One boundary with hysteresis. `inside` null: not known yet, which counts as outside for the way in. */
export interface GateState {
  inside: boolean | null;
  toward: 'in' | 'out' | null;
  since: number;
  count: number;
}

/** An open visit. `source` device: a phone's operating system said so and is the one to end it. */
export interface OpenVisit {
  id: string;
  enteredAt: number;
  confirmedAt: number;
  source: 'samples' | 'device';
}

/** A trigger that waits until the visitor has stayed long enough. */
export interface Wait {
  readonly triggerId: string;
  readonly event: PresenceEvent;
  readonly dueAt: number;
}

/** Presence of one installation at one beacon: what is stored between two calls. Treat it as opaque and keep it whole. */
export interface PresenceState {
  filters: FilterState[];
  radius: GateState;
  near: GateState;
  immediate: GateState;
  zone: Zone | null;
  /** The pass under way: from the first confirmed event to EXIT or silence. Its id becomes the visit's id. */
  passId: string | null;
  visit: OpenVisit | null;
  /** The newest time applied; what is older is late. */
  lastAt: number;
  /** The newest sample applied: the last moment the installation was heard. */
  heardAt: number;
  /** The newest phone decision applied, as 2 × time + (EXIT ? 1 : 0). */
  decidedKey: number;
  /** A phone's EXIT that came while nobody was inside: its ENTER may have been overtaken on the way. */
  exitAhead: number | null;
  /** When silence ends the contact, by the sender's clock. */
  quietAt: number;
  /** Arrival minus occurrence of the newest observation, never negative; moves deadlines to the service's clock. */
  lag: number;
  /** No visit may begin before this: the end of the one before. */
  leftAt: number;
  waits: Wait[];
}

/** A confirmed transition. */
export interface PresenceEvent {
  /** Derived from visit, kind and time, so that a repeated calculation finds the same id. */
  readonly id: string;
  readonly event: EventKind;
  readonly installationId: string;
  readonly beaconId: string;
  /** The unit of deduplication. A FAR or NEAR on the way in carries the id that the visit will have. */
  readonly visitId: string;
  /** When it was confirmed, by the sender's (corrected) clock. */
  readonly at: number;
  /** Estimated distance in metres at that moment; absent for what a phone or silence decided. */
  readonly distance?: number;
  /** ENTER and EXIT: when the visitor came in: the start of the hold, not its end. */
  readonly enteredAt?: number;
  /** EXIT: when the visitor was last in the radius. Dwell is leftAt − enteredAt. */
  readonly leftAt?: number;
  readonly cause: 'samples' | 'device' | 'silence' | 'timeout';
  /** EXIT after twelve hours without a word: a guess, never pushed. */
  readonly inferred?: true;
}
