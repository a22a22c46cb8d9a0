/** What decides over beacons together; see position/zones.ts. The bench tries others. */
export interface Thresholds {
  /** How likely the radius must hold the visitor to enter, and how unlikely to leave. */
  readonly likely: number;
  readonly unlikely: number;
  /** How many times as likely another beacon takes over. */
  readonly takeover: number;
  /** Variance near a beacon that no number of samples takes away (a standing wave, a turn of the body), dB². */
  readonly slowVariance: number;
}

export const THRESHOLDS: Thresholds = Object.freeze({ likely: 0.52, unlikely: 0.15, takeover: 1.5, slowVariance: 8 });
