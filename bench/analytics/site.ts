/** The museums in which the visits are: three venues of three floors with eight zones and eighteen beacons each. */
import type { Service } from './service.ts';

export interface Spot {
  readonly beaconId: string;
  readonly zoneId: string;
  readonly floorId: string;
  readonly venueId: string;
}

export interface Site {
  /** The spots of each venue, in the order in which somebody walks. */
  readonly venues: readonly (readonly Spot[])[];
  readonly messageIds: readonly string[];
}

const [venueCount, floorCount, zoneCount, beaconCount] = [3, 3, 8, 18];
const messageCount = 20;
/** Metres. */
const [zoneWidth, zoneDepth] = [12, 10];
const hours = ['Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((dayName) => ({ dayName, from: '09:00', until: '18:00' }));
const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

export async function build({ ask }: Service): Promise<Site> {
  const make = async (path: string, body: object) =>
    (await ask<{ readonly result: { readonly objectId: string } }>('POST', path, body)).result.objectId;
  const venues: Spot[][] = [];
  for (let venue = 0; venue < venueCount; venue++) {
    const spots: Spot[] = [];
    const venueId = await make('/venues', { name: `Museum ${venue + 1}`, openingHours: hours });
    for (let level = 0; level < floorCount; level++) spots.push(...(await buildFloor(make, { venueId, venue, level })));
    venues.push(spots);
  }
  const messageIds: string[] = [];
  for (let n = 0; n < messageCount; n++) messageIds.push(await make('/notifications', messageOf(n, venues)));
  return { venues, messageIds };
}

type Make = (path: string, body: object) => Promise<string>;

async function buildFloor(
  make: Make,
  { venueId, venue, level }: { readonly venueId: string; readonly venue: number; readonly level: number },
): Promise<Spot[]> {
  const floorId = await make('/floors', { venueId: pointer('Venue', venueId), name: `Floor ${level}`, level });
  const zoneIds: string[] = [];
  for (let zone = 0; zone < zoneCount; zone++) {
    const [x, y] = cornerOf(zone);
    const corners = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ] as const;
    const polygon = corners.map(([right, down]) => ({
      x: x + right * (zoneWidth - 0.5),
      y: y + down * (zoneDepth - 0.5),
    }));
    const kind = zone === 7 ? 'queue' : 'room';
    zoneIds.push(
      await make('/zones', { floorId: pointer('Floor', floorId), name: `Room ${level}${zone}`, kind, polygon }),
    );
  }
  const spots: Spot[] = [];
  for (let n = 0; n < beaconCount; n++) {
    const zone = n % zoneCount;
    const [x, y] = cornerOf(zone);
    const beaconId = await make('/beacons', {
      uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
      major: venue * floorCount + level,
      minor: n,
      name: `Beacon ${venue}${level} ${n}`,
      venueId: pointer('Venue', venueId),
      location: { x: x + 2 + Math.floor(n / zoneCount) * 3, y: y + 4, floor: level },
    });
    spots.push({ beaconId, zoneId: zoneIds[zone] ?? '', floorId, venueId });
  }
  return spots;
}

const cornerOf = (zone: number): [number, number] => [(zone % 4) * zoneWidth, Math.floor(zone / 4) * zoneDepth];

function messageOf(n: number, venues: readonly (readonly Spot[])[]) {
  const spot = venues[n % venueCount]?.[n];
  const goal = venues[n % venueCount]?.[n + 4];
  return {
    description: `Message ${n}`,
    beaconId: pointer('Beacon', spot?.beaconId ?? ''),
    event: 'ENTER',
    type: 'TEXT',
    message: { alertTitle: `Message ${n}`, alertMessage: 'Come and see.' },
    isEnabled: true,
    holdout: 20,
    goal: { kind: 'visit', beaconId: goal?.beaconId ?? '', withinHours: 3 },
  };
}
