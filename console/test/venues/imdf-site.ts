import type { Site } from '../../src/features/venues/geojson/write.ts';

export const pointer = <Name extends string>(className: Name, objectId: string) =>
  ({ __type: 'Pointer', className, objectId }) as const;
export const stamps = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
export const ids = { venue: '0VnZxSfp2mN4oPqRsTuV', floor: 'zzzzzzzzzzzzzzzzzzzz', zone: '00000000000000000000' };
/** Clockwise for who looks at the plan. */
export const polygon = [
  { x: 0, y: 0 },
  { x: 4.55, y: 0 },
  { x: 4.55, y: 3 },
  { x: 0, y: 3 },
];
export const location = { latitude: 57.72, longitude: 10.58 };
export const site: Site = {
  venue: {
    objectId: ids.venue,
    name: 'Museum',
    location,
    openingHours: [{ dayName: 'Tue', from: '10:00', until: '18:00' }],
    exceptions: [],
    ...stamps,
  },
  floors: [
    {
      objectId: ids.floor,
      venueId: pointer('Venue', ids.venue),
      name: 'Ground floor',
      level: 0,
      north: 30,
      size: { width: 20, height: 10 },
      ...stamps,
    },
  ],
  zones: [
    {
      objectId: ids.zone,
      name: 'Shop',
      kind: 'shop',
      floorId: pointer('Floor', ids.floor),
      venueId: pointer('Venue', ids.venue),
      polygon: [...polygon],
      ...stamps,
    },
  ],
  beacons: [],
};
export const particulars = { category: 'museum', locality: 'Skagen', country: 'dk', language: 'en' };
