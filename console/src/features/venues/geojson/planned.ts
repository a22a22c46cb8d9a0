import type { Beacon, Floor, Venue, Zone } from '@pharos/sdk';
import { comparedWith } from '../../../components/import/as-previewed.ts';
import type { ImportRow } from '../../../components/import/import-rows.ts';
import type { Gateway } from '../floor/gateways.ts';
import type { Exception } from '../venue-fields.ts';
import { type Found, labelOf } from './read.ts';
import type { Site } from './write.ts';

/** Zones of one name on a floor. */
export const maxAlike = 100;

export interface Into extends Site {
  /** Of the app's secret keys; without them only the service says which are unknown. */
  readonly keyIds?: ReadonlySet<string> | undefined;
  /** Whether beacons come along with a floor; yes unless given. */
  readonly mayPlace?: boolean;
  /** Rows go in without what cannot be read. */
  readonly isLenient?: boolean;
}

/** What a file is taken into. */
export interface Target {
  readonly appId: string;
  readonly into: Into;
}

export type Members = Readonly<Record<string, unknown>>;

/** What a file would change in a venue, feature by feature; nothing is deleted. */
export interface PlannedFeature extends ImportRow {
  readonly apply: () => Promise<unknown>;
}

export const rowOf = ({ line, properties }: Found) => ({ line, name: labelOf(properties['name']), differences: [] });

/** Degrees clockwise from upwards. */
export const isNorth = (north: unknown): north is number => typeof north === 'number' && north >= 0 && north <= 360;

export const isCapacity = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1;

/** Of a zone or a venue. */
export function capacityOf({ properties: { capacity } }: Found): { readonly capacity?: number } {
  return isCapacity(capacity) ? { capacity } : {};
}

export const refused = (found: Found, problem: string): PlannedFeature => ({
  ...rowOf(found),
  kind: 'refused',
  problem,
  apply: async () => undefined,
});

/** What would change of a record that is there. `change` is given only that, and what the record has there. */
export function compared(
  found: Found,
  known: Venue | Exception | Floor | Zone | Beacon | Gateway,
  wanted: object,
  change: (members: never, before: Readonly<Record<string, unknown>>) => Promise<unknown>,
): PlannedFeature {
  const { kind, differences, before, after } = comparedWith(known, wanted);
  return { ...rowOf(found), kind, differences, apply: () => change(after as never, before) };
}
