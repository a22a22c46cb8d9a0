/** A message that was shown, or would have been but for the holdout: what its counting is told by the engine that decides it. */
export interface Showing {
  readonly appId: string;
  /** The id of the delivery: a message that is told again is the same one. */
  readonly deliveryId: string;
  readonly installationId: string;
  readonly triggerId: string;
  /** A variant, the group of those who get nothing, or empty. */
  readonly group: string;
  /** Epoch ms. */
  readonly at: number;
}
