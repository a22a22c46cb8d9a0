import { parseInstant } from '@pharos/query';

export interface ValidTimes {
  /** Epoch ms; undefined: no matter how early or late. */
  readonly from: number | undefined;
  readonly until: number | undefined;
}

/** When a message may be shown, by its delivery rules as they are stored; undefined where that has no end. */
export function validTimes(delivery: string): ValidTimes | undefined {
  const { validFrom, validUntil } = JSON.parse(delivery) as Stored;
  if (!validFrom && !validUntil) return undefined;
  const at = (time: string | null | undefined) => (time ? parseInstant(time) : undefined);
  return { from: at(validFrom), until: at(validUntil) };
}

interface Stored {
  readonly validFrom?: string | null;
  readonly validUntil?: string | null;
}
