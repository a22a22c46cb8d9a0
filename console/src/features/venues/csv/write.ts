import { writeCsv } from '../../../lib/text/csv.ts';
import type { Point } from '../geojson/read.ts';
import type { Site } from '../geojson/write.ts';
import { dayCell, weekCell } from './hours.ts';

/**
 * A venue as a table for spreadsheets: a line for the venue, each day with its own hours, floor, wall, gateway and zone. Beacons have their
 * own table.
 */

export const planColumns = [
  'type',
  'objectId',
  'name',
  'level',
  'kind',
  'capacity',
  'north',
  /** `x y; x y; …` in metres, y downwards as in the interface. */
  'corners',
  'timeZone',
  'address',
  /** Of a day: 2026-12-25. */
  'date',
  /** See `hours.ts`. */
  'hours',
  /** Of a gateway: the secret key that it sends. */
  'keyId',
] as const;
export type PlanColumn = (typeof planColumns)[number];

export const planTypes = ['venue', 'day', 'floor', 'wall', 'gateway', 'zone'] as const;
export type PlanType = (typeof planTypes)[number];

type Line = Partial<Record<PlanColumn, string | number | null | undefined>> & { readonly type: PlanType };

export function writePlanCsv({ venue, floors, zones }: Omit<Site, 'beacons'>): string {
  const levels = new Map(floors.map(({ objectId, level }) => [objectId, level]));
  const { objectId, name, timeZone, address, capacity, openingHours, exceptions } = venue;
  const lines: readonly Line[] = [
    { type: 'venue', objectId, name, capacity, timeZone, address, hours: weekCell(openingHours) },
    ...exceptions.map((day) => ({ type: 'day' as const, name: day.name, date: day.date, hours: dayCell(day) })),
    ...floors.map(({ objectId, name, level, north }) => ({ type: 'floor' as const, objectId, name, level, north })),
    ...floors.flatMap(({ level, walls = [] }) =>
      walls.map(({ points }) => ({ type: 'wall' as const, level, corners: cornersText(points) })),
    ),
    ...floors.flatMap(({ level, gateways = [] }) =>
      gateways.map(({ name, x, y, keyId }) => ({
        type: 'gateway' as const,
        name,
        level,
        corners: cornersText([{ x, y }]),
        keyId,
      })),
    ),
    ...zones.map(({ objectId, name, kind, capacity, floorId, polygon }) => ({
      type: 'zone' as const,
      objectId,
      name,
      level: levels.get(floorId.objectId),
      kind,
      capacity,
      corners: cornersText(polygon),
    })),
  ];
  return writeCsv([[...planColumns], ...lines.map((line) => planColumns.map((column) => String(line[column] ?? '')))]);
}

const cornersText = (points: readonly Point[]) => points.map(({ x, y }) => `${x} ${y}`).join('; ');
