/** The building: where its beacons are, how many visitors pass each of them, and how long they usually stay. */

export interface Hall {
  /** The hall's name in this folder; the beacon's name is `name`. */
  readonly key: string;
  readonly name: string;
  /** Metres from the south-west corner; floor 0 is the ground floor, and 2 is below the lantern. */
  readonly x: number;
  readonly y: number;
  readonly floor: 0 | 1 | 2;
  /** The share of visitors who come by, 0 to 1. */
  readonly appeal: number;
  /** The median stay in seconds. */
  readonly stay: number;
  readonly capacity?: number;
}

const hall = (
  [key, name]: readonly [string, string],
  [x, y, floor]: readonly [number, number, Hall['floor']],
  [appeal, stay]: readonly [number, number],
  capacity?: number,
): Hall => ({ key, name, x, y, floor, appeal, stay, ...(capacity === undefined ? {} : { capacity }) });

/** In the order of a tour; the first is the entrance. */
export const halls: readonly Hall[] = [
  hall(['entrance', 'Main entrance'], [2, 10, 0], [0.98, 45]),
  hall(['tickets', 'Ticket desk'], [9, 12, 0], [0.86, 70], 12),
  hall(['cloakroom', 'Cloakroom'], [9, 4, 0], [0.28, 50]),
  hall(['whale', 'Whale Hall'], [18, 10, 0], [0.9, 250]),
  hall(['tidepool', 'Tide Pool'], [18, 19, 0], [0.78, 280]),
  hall(['seabirds', 'Seabird Cliff'], [27, 20, 0], [0.66, 190]),
  hall(['wreck', 'Wreck Room'], [27, 11, 0], [0.61, 210]),
  hall(['lens', 'First-Order Lens'], [36, 10, 0], [0.83, 230]),
  hall(['clockwork', 'Clockwork Drive'], [36, 3, 0], [0.42, 110]),
  hall(['foghorn', 'Bell and Fog Horn'], [36, 19, 0], [0.5, 95]),
  hall(['kitchen', "Keeper's Kitchen"], [27, 3, 0], [0.55, 150]),
  hall(['harbour', 'Harbour Model'], [18, 2, 0], [0.33, 115]),
  hall(['stairs', 'Stair landing'], [9, 10, 1], [0.6, 25]),
  hall(['maps', 'Map Room'], [9, 19, 1], [0.24, 130]),
  hall(['radio', 'Radio Room'], [18, 19, 1], [0.4, 165]),
  hall(['storm', 'Storm Gallery'], [18, 10, 1], [0.48, 170]),
  hall(['cinema', 'Night Sky Cinema'], [27, 19, 1], [0.31, 760], 24),
  hall(['fossils', 'Fossil Cabinet'], [27, 10, 2], [0.25, 140]),
  hall(['herbarium', 'Seaweed Herbarium'], [36, 19, 2], [0.11, 80]),
  hall(['bedroom', "Keeper's Bedroom"], [27, 2, 1], [0.34, 90]),
  hall(['lantern', 'Lantern Gallery'], [36, 9, 2], [0.68, 270], 15),
  hall(['workshop', "Children's Workshop"], [18, 2, 1], [0.17, 1300], 20),
  hall(['cafe', 'Lantern Café'], [9, 20, 0], [0.36, 1100], 40),
  hall(['shop', 'Museum Shop'], [2, 18, 0], [0.49, 190]),
];

export const hallOf = (key: string): Hall => {
  const found = halls.find((one) => one.key === key);
  if (!found) throw new Error(`There is no hall "${key}".`);
  return found;
};

/** The exhibition that changes: one hall shows one after the other, and is closed while it is rebuilt. Days before the demo was made. */
export const exhibition = {
  hall: 'storm',
  /** The last day of the one before. */
  until: 30,
  /** The first day of the one that is on. */
  from: 17,
  name: 'Ships in the ice',
} as const;
/** So many times as many come to see what is new. */
const rush = 1.8;

/** The share of visitors who come by on that day, 0 to 1. */
export function appealOf({ key, appeal }: Hall, daysAgo: number): number {
  if (key !== exhibition.hall || daysAgo >= exhibition.until) return appeal;
  return daysAgo > exhibition.from ? 0 : Math.min(1, rush * appeal);
}

export const floorNames = ['Ground floor', 'First floor', 'Below the lantern'] as const;

export const museum = {
  language: 'en',
  name: 'Skerry Point Lighthouse Museum (demo)',
  shortName: 'Skerry Point',
  timeZone: 'Europe/Copenhagen',
  appIdentifier: 'example.skerrypoint.guide',
  site: 'https://skerrypoint.example',
  uuid: '5F7C2A10-6D3E-4B8A-9C41-2E8D0B6A7F35',
} as const;
