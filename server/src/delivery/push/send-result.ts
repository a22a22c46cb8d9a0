/** Results are values: a sender throws only when it is broken itself. */
export type SendResult =
  /** The provider has accepted it. */
  | { readonly outcome: 'sent'; readonly providerId?: string }
  /** The provider will never accept this message for this recipient. */
  | { readonly outcome: 'failed'; readonly reason: string }
  /**
   * The token no longer reaches anybody. `since` (epoch ms), if the provider reports it: a token that was registered
   * later is alive.
   */
  | { readonly outcome: 'dead'; readonly reason: string; readonly since?: number }
  /**
   * Not now. `scope` says whether only this message has to wait, or everything that goes to the provider (429, 503, a
   * connection that cannot be made). After a time-out the outcome is unknown: the message is sent again with the same
   * ids.
   */
  | {
      readonly outcome: 'retry';
      readonly reason: string;
      readonly afterMs?: number;
      readonly scope: 'message' | 'provider';
    };
