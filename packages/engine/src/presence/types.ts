/**
 * The words of the engine. Every shape here is plain JSON, so that a state can live in a database row and a replay or a
 * simulation can be written to a file. Times are epoch milliseconds, distances metres, powers dBm, durations seconds.
 */

/** What the interface calls events: presence in the beacon's radius, and the three zones around it. */
export type EventKind = 'ENTER' | 'EXIT' | Zone;
/** IMMEDIATE < 1 m, NEAR 1–3 m, FAR > 3 m; fixed by the interface, whatever a beacon's radius is. */
export type Zone = 'IMMEDIATE' | 'NEAR' | 'FAR';
export type Sensitivity = 'stable' | 'fast';
export type ReporterKind = 'phone' | 'androidBackground' | 'iosBackground' | 'espresense' | 'openmqttgateway';

/** A beacon as a radio packet names it: uuid in lower case without dashes, major and minor 0–65535. */
export interface BeaconAddress {
  readonly uuid: string;
  readonly major: number;
  readonly minor: number;
  /** The sender watches a region and may write 0 for "any": look up the exact address first, then the uuid alone. */
  readonly region?: true;
}

/**
 * Which installation met which beacon. A phone hears a beacon; a gateway, which represents a beacon, hears a tag, which
 * represents a visitor.
 */
export type Subject =
  | { readonly direction: 'phone'; readonly beaconId?: string; readonly address?: BeaconAddress }
  | GatewaySubject;

export interface GatewaySubject {
  readonly direction: 'gateway';
  readonly gateway: string;
  readonly tag: string;
  readonly address?: BeaconAddress;
  /** What else identifies the tag, in a frame of a vendor. */
  readonly identity?: string;
}

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
  readonly sender?: ReporterKind;
  /** How often the sender reports, in seconds; overrides its kind's profile for the silence that means EXIT. */
  readonly interval?: number;
}

/** An observation of one installation at one beacon, with the sender's clock already corrected. */
export interface Sample extends Observation {
  readonly beaconId: string;
  /** The beacon's configuration when it was taken in; without it, what is configured now. */
  readonly settings?: PresenceSettings;
  /** A client has logged and shown this decision itself: its events are not logged, judged or pushed. */
  readonly logged?: true;
}

/** What is configured for one beacon. All members optional; the defaults are the design's. */
export interface PresenceSettings {
  readonly sensitivity?: Sensitivity;
  /** The radius of ENTER and EXIT in metres, default 3. */
  readonly radius?: number;
  /** The beacon's own calibration: RSSI at one metre in dBm. */
  readonly measuredPower?: number;
  /** Added to the measured power because a receiver hears too loudly (+) or too quietly (−), in dB, by receiver. */
  readonly receiverOffsets?: Readonly<Record<string, number>>;
  /** What traffic has taught about the beacon's radio, on top of the measured power and an exponent of 2. */
  readonly learned?: Learned;
  /** Where it hangs; used only together with `oneZone`. */
  readonly location?: BeaconLocation;
  /** Decided over all beacons of the site: a visitor is in one zone at a time, and locations are metres. */
  readonly oneZone?: true;
}

/** A correction of the path-loss model: how much more loss (dB) and exponent there is than in the model. */
export interface Learned {
  readonly loss: number;
  readonly exponent: number;
}

/** Sums over steps of a position: `l` 10·log10 of the distance (m), `r` path loss beyond the expected (dB); see learning.ts. */
export interface Evidence {
  readonly n: number;
  readonly l: number;
  readonly ll: number;
  readonly r: number;
  readonly rl: number;
  readonly rr: number;
}

/** A place in a building, in metres; `z` is the height above its floor. */
export interface BeaconLocation {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
  readonly floor?: number;
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

/** What a position says about a beacon: how likely its radius holds the visitor (0–1), and the expected distance in metres. */
export interface PositionShare {
  share: number;
  distance: number;
}

/** How much quieter than expected one beacon is heard, dB, with its variance (dB²) and when it was last learned (ms); see bias.ts. */
export interface Bias {
  readonly loss: number;
  readonly variance: number;
  readonly at: number;
}

/** An open visit. `source` device: a phone's operating system said so and is the one to end it. */
export interface OpenVisit {
  id: string;
  enteredAt: number;
  confirmedAt: number;
  source: 'samples' | 'device';
}

/** A visit that a phone's own EXIT has ended, and that its next ENTER soon after continues. */
export interface LeftVisit {
  readonly visit: OpenVisit;
  /** The EXIT event that is then revoked. */
  readonly exitId: string;
  readonly at: number;
}

/** One installation at one beacon. Times are those of sensing. */
export interface PresenceState {
  /** The beacon's configuration when the contact began: later changes apply from the next contact on. */
  settings: PresenceSettings;
  filters: FilterState[];
  radius: GateState;
  near: GateState;
  immediate: GateState;
  zone: Zone | null;
  /** Where the visitor's position is known (see `Fix`); null: only the beacon's own signal speaks. */
  standing: PositionShare | null;
  /** Null until a position has shown one. */
  bias: Bias | null;
  /** The current pass: from the first confirmed event to EXIT or silence. Its id becomes the visit's id. */
  passId: string | null;
  visit: OpenVisit | null;
  left: LeftVisit | null;
  /** Whether it is heard; false once silence has ended the contact. */
  inContact: boolean;
  /** The newest sample. */
  heardAt: number | null;
  /** The newest sample that found the visitor in the radius. */
  insideAt: number | null;
  /** How long silence has to last after the newest sample to end the contact, ms. */
  silence: number;
  /** No visit may begin before this: the end of the one before. */
  leftAt: number | null;
}

/** How fast an installation moves, m/s, with variances and covariance (m²/s²), and its covariance with the place (m²/s); see motion.ts. */
export interface Velocity {
  readonly x: number;
  readonly y: number;
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  /** Of `Fix.x` with the velocity's x and y. */
  readonly placeX: readonly [number, number];
  /** Of `Fix.y`. */
  readonly placeY: readonly [number, number];
}

/**
 * Where an installation is: a normal distribution over x and y (metres), and one over the floors. Its moments are all that
 * is kept between two steps.
 */
export interface Fix {
  /** The newest step, ms. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
  /** Variances and covariance, m². */
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  /** [floor, probability], ascending by floor. */
  readonly floors: readonly (readonly [floor: number, probability: number])[];
  /** Older versions have none. */
  readonly velocity?: Velocity;
}

/** How near an installation seems to come to the beacons that it passes, where no position is known; see passes.ts. */
export interface Passes {
  /** The beacon it is passing, and the one before. */
  readonly nearest: string | null;
  readonly before: string | null;
  /** The least that was lost in this pass beyond what is lost at the edge of the beacon's radius, dB. */
  readonly least: number;
  /** The mean of the passes before, dB. */
  readonly quiet: number;
  readonly count: number;
}

/** A beacon that was passed. */
export interface Pass {
  readonly beaconId: string;
  /** The least that was lost there beyond what is lost at the edge of its radius, dB. */
  readonly excess: number;
  /** How much too little the installation hears, dB, if its position shows it with certainty. */
  readonly receiverOffset?: number;
}

/** How much quieter than expected an installation hears (dB): its antenna, its case, a pocket. Learned as it moves about. */
export interface ReceiverOffset {
  readonly loss: number;
  readonly variance: number;
}

/**
 * One installation at all beacons of a site: a pure function of the samples applied so far. Plain JSON; copy it with
 * `copyTrack`.
 */
export interface TrackState {
  /** The newest instant applied (ms); samples at or before it need a replay. */
  at: number | null;
  /** By objectId of the beacon. A beacon that is out of reach and has nothing left to remember is dropped. */
  beacons: Record<string, PresenceState>;
  /** Nothing falls due before this moment (ms, sensing time); a lower bound that saves looking at each beacon. */
  dueAt: number | null;
  /** Null where too few beacons with a location are heard. */
  fix: Fix | null;
  receiverOffset: ReceiverOffset | null;
  passes: Passes;
  /**
   * Heard since the newest step of the fix, by beacon: sum of the received powers, each as a share of what is received at one
   * metre, and their count. (`pending` of older versions held decibels.)
   */
  powers: Record<string, readonly [sum: number, count: number]>;
  /** The first of them, ms. */
  pendingSince: number | null;
  /** How many events were confirmed at the instant of the newest event: their ids sort in this order. */
  order: { at: number; count: number };
}

/** A beacon in a competition: its expected distance in metres and, where a position is known, how likely its radius holds the visitor. */
export interface Rival {
  readonly beaconId: string;
  readonly distance: number;
  readonly share?: number;
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
  /** Which beacons competed where a site decides over all of them, the likeliest first; this one is among them. */
  readonly rivals?: readonly Rival[];
  /** EXIT after twelve hours without a report: a guess, never pushed. */
  readonly inferred?: true;
  /** A client has logged and shown it itself. */
  readonly logged?: true;
}

/** What one step of a position has heard, for `lookBack`. */
export interface PositionStep {
  /** Sensing time, ms. */
  readonly at: number;
  /** The loss of the installation's receiver by this step, dB. */
  readonly receiverOffset: number;
  readonly heard: readonly HeardBeacon[];
}

/** A beacon with a location, in one step. */
export interface HeardBeacon {
  readonly beaconId: string;
  /** Mean path loss in dB over `count` samples, without the beacon's bias. */
  readonly loss: number;
  readonly count: number;
}
