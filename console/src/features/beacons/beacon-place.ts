export interface BeaconPlace {
  readonly venueId: string;
  readonly floorId: string;
  readonly level: number;
  readonly x: number;
  readonly y: number;
}

/** Whether what an address says is one. */
export function isPlace(on: unknown): on is BeaconPlace {
  if (typeof on !== 'object' || on === null) return false;
  const { venueId, floorId, level, x, y } = on as Readonly<Record<string, unknown>>;
  return [venueId, floorId].every((id) => typeof id === 'string') && [level, x, y].every(Number.isFinite);
}
