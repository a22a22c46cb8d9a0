import type { Zone } from '@pharos/sdk';

/** The IMDF 1.0.0 (OGC 20-094) categories of zones, and those of units where nobody can be. */

export const categoryOf: Readonly<Record<Zone['kind'], string>> = {
  room: 'room',
  exhibition: 'room',
  queue: 'waitingroom',
  shop: 'room',
  cafe: 'foodservice',
  entrance: 'lobby',
  passage: 'walkway',
  stairs: 'stairs',
  lift: 'elevator',
  toilets: 'restroom',
  staff: 'nonpublic',
  outdoors: 'unenclosedarea',
  other: 'unspecified',
};

const kinds: Readonly<Record<string, Zone['kind']>> = {
  waitingroom: 'queue',
  foodservice: 'cafe',
  kitchen: 'staff',
  lobby: 'entrance',
  walkway: 'passage',
  footbridge: 'passage',
  ramp: 'passage',
  steps: 'stairs',
  escalator: 'stairs',
  stairs: 'stairs',
  elevator: 'lift',
  restroom: 'toilets',
  nonpublic: 'staff',
  office: 'staff',
  unenclosedarea: 'outdoors',
  terrace: 'outdoors',
  vegetation: 'outdoors',
  road: 'outdoors',
  parking: 'outdoors',
  unspecified: 'other',
};

/** `restroom.female` is a restroom. */
const whole = (category: string) => category.split('.')[0] ?? '';

/** A zone that is exported as this keeps its kind: a shop is a room there. */
export const kindOf = (category: string, known: Zone['kind'] | undefined): Zone['kind'] =>
  known && categoryOf[known] === category ? known : (kinds[whole(category)] ?? 'room');

const matter = new Set(['brick', 'column', 'concrete', 'drywall', 'glass', 'opentobelow', 'structure', 'wood']);
export const isMatter = (category: string) => matter.has(whole(category));

export const venueCategories = [
  'museum',
  'aquarium',
  'airport',
  'businesscampus',
  'casino',
  'communitycenter',
  'conventioncenter',
  'governmentfacility',
  'healthcarefacility',
  'hotel',
  'parkingfacility',
  'resort',
  'retailstore',
  'shoppingcenter',
  'stadium',
  'theater',
  'themepark',
  'trainstation',
  'transitstation',
  'university',
] as const;
