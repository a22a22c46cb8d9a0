/**
 * How long credentials that somebody has removed, replaced or switched off can be brought back: long enough for a slip, and short
 * enough for what has leaked.
 */
export const restorableMs = 3_600_000;
