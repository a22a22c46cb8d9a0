import { readFile } from 'node:fs/promises';
import { localTime } from '@pharos/engine';
import { closedDays, hours } from './calendar.ts';
import { floorNames, type Hall, halls, museum } from './halls.ts';

/** The museum as a venue: its hours, three floors and a zone for each hall. */

export interface VenueWriter {
  at(daysAgo: number): void;
  // biome-ignore lint/suspicious/noExplicitAny: what the service answers is its interface
  post(path: string, body: object, type?: string): Promise<any>;
}

/** A picture, plan or document of the museum. */
export const readDemoFile = (name: string): Promise<Buffer> => readFile(new URL(`files/${name}`, import.meta.url));

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

const openDays = ['Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

/** The week of the season, and the holidays of the year that is shown and the next. */
function hoursAt(madeAt: number) {
  const { date } = localTime(madeAt, museum.timeZone);
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))];
  const days = month === 7 || month === 8 ? ['Mon', ...openDays] : openDays;
  return {
    openingHours: days.map((dayName) => {
      const [from, until] = hours(dayName, month);
      return { dayName, from: clock(from), until: clock(until) };
    }),
    exceptions: [year - 1, year, year + 1].flatMap((of) =>
      Object.entries(closedDays).map(([day, name]) => ({ date: `${of}-${day}`, name, hours: [] })),
    ),
  };
}

const kinds: Readonly<Record<string, string>> = {
  entrance: 'entrance',
  tickets: 'queue',
  cloakroom: 'room',
  stairs: 'stairs',
  cafe: 'cafe',
  shop: 'shop',
};

/** Returns the id of the venue. */
export async function writeVenue(writer: VenueWriter, madeAt: number): Promise<string> {
  writer.at(0);
  const { result } = await writer.post('/venues', {
    name: museum.shortName,
    timeZone: museum.timeZone,
    address: 'Skerry Point 1, by the old harbour',
    // In the sea off Denmark: the museum is made up.
    location: { latitude: 57.1, longitude: 10.9 },
    capacity: 150,
    ...hoursAt(madeAt),
  });
  for (const level of [0, 1, 2] as const) await writeFloor(writer, result.objectId, level);
  return result.objectId;
}

async function writeFloor(writer: VenueWriter, venueId: string, level: Hall['floor']): Promise<void> {
  const { width, height, origin, pixelsPerMetre } = planOf;
  writer.at(0);
  const file = await writer.post(`/files/plan-${level}.png`, await readDemoFile(`plan-${level}.png`), 'image/png');
  const corner = { x: origin, y: origin };
  writer.at(0);
  const { result } = await writer.post('/floors', {
    venueId: pointer('Venue', venueId),
    name: floorNames[level],
    level,
    plan: { fileId: file.objectId, width, height },
    scale: { from: corner, to: { x: origin + 40 * pixelsPerMetre, y: origin }, metres: 40 },
    origin: corner,
    north: 0,
  });
  for (const hall of halls.filter(({ floor }) => floor === level)) {
    writer.at(0);
    await writer.post('/zones', {
      floorId: pointer('Floor', result.objectId),
      name: hall.name,
      kind: kinds[hall.key] ?? 'exhibition',
      polygon: outlineOf(hall),
      ...(hall.capacity === undefined ? {} : { capacity: hall.capacity }),
    });
  }
}

/** Where the walls of the plans are, in metres: each hall is a cell of a grid. */
const columns = [0, 5.5, 13.5, 22.5, 31.5, 40];
const rows = [0, 7, 15, 23];
const margin = 1;
const pixelsPerMetre = 20;
const wall = 0.15;

const cellAt = (walls: readonly number[], at: number) => walls.findLastIndex((from) => from <= at);

interface Cell {
  readonly column: number;
  readonly row: number;
}

const cellOf = ({ x, y }: Hall): Cell => ({ column: cellAt(columns, x), row: cellAt(rows, y) });

const edge = (walls: readonly number[], index: number) => walls[index] ?? 0;

/** The corners of a hall inside its walls, in metres. */
function outlineOf(hall: Hall): readonly { readonly x: number; readonly y: number }[] {
  const { column, row } = cellOf(hall);
  const [left, right] = [edge(columns, column) + wall, edge(columns, column + 1) - wall];
  const [top, bottom] = [edge(rows, row) + wall, edge(rows, row + 1) - wall];
  return [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
}

/** Pixels of a plan, and the pixel at which x and y are 0. */
const planOf = {
  width: (40 + 2 * margin) * pixelsPerMetre,
  height: (23 + 2 * margin) * pixelsPerMetre,
  origin: margin * pixelsPerMetre,
  pixelsPerMetre,
};
