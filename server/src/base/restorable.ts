/**
 * How long removed, replaced or switched-off credentials can be restored: long enough for a slip, and short enough for leaked
 * ones.
 */
export const restorableMs = 3_600_000;
