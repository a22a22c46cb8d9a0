/** A message that was shown, or would have been but for the holdout, as the engine reports it to the counting. */
export interface Showing {
  readonly appId: string;
  /** The id of the delivery: a message reported again has the same one. */
  readonly deliveryId: string;
  readonly installationId: string;
  readonly triggerId: string;
  /** At which it was decided. */
  readonly beaconId: string;
  /** A variant, the group of those who get nothing, or empty. */
  readonly group: string;
  /** Epoch ms. */
  readonly at: number;
}
