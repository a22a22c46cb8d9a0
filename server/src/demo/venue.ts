import { localTime } from '@pharos/engine';
import { closedDays, hours } from './calendar.ts';
import { floorNames, type Hall, halls, museum } from './halls.ts';
import { png } from './pictures.ts';

/** The museum as a venue: its hours, three floors and a zone for each hall. */

export interface VenueWriter {
  at(daysAgo: number): void;
  // biome-ignore lint/suspicious/noExplicitAny: what the service answers is its interface
  post(path: string, body: object, type?: string): Promise<any>;
}

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
  const file = await writer.post(`/files/plan-${level}.png`, drawPlan(level), 'image/png');
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

/** The plans, drawn here: each hall is a cell of a grid, with walls around it and doors between neighbours. */

/** Where the walls are, in metres. */
const columns = [0, 5.5, 13.5, 22.5, 31.5, 40];
const rows = [0, 7, 15, 23];
const margin = 1;
const pixelsPerMetre = 20;
const wall = 0.15;
const door = 0.9;

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

type Paint = readonly [number, number, number];
const paper: Paint = [252, 251, 247];
const floorPaint: Paint = [238, 233, 222];
const ink: Paint = [70, 78, 90];

/** Pixels of a plan, and the pixel at which x and y are 0. */
const planOf = {
  width: (40 + 2 * margin) * pixelsPerMetre,
  height: (23 + 2 * margin) * pixelsPerMetre,
  origin: margin * pixelsPerMetre,
  pixelsPerMetre,
};

/** Where on its axis a pixel is, as far as the picture is concerned: in a cell or on a wall, and beside a door or not. */
function steps(walls: readonly number[], pixels: number): readonly { readonly at: number; readonly step: string }[] {
  return Array.from({ length: pixels }, (_, pixel) => {
    const at = (pixel + 0.5) / pixelsPerMetre - margin;
    const cell = cellAt(walls, at);
    const isDoor = Math.abs(at - (edge(walls, cell) + edge(walls, cell + 1)) / 2) < door;
    return { at, step: `${cell} ${walls.findIndex((wallAt) => Math.abs(wallAt - at) < wall)} ${isDoor}` };
  });
}

function drawPlan(floor: Hall['floor']): Buffer {
  const rooms = new Set(halls.filter((hall) => hall.floor === floor).map((hall) => key(cellOf(hall))));
  const { width, height } = planOf;
  const [across, down] = [steps(columns, width), steps(rows, height)];
  // Most pixels look like their neighbours.
  const known = new Map<string, Paint>();
  return png(width, height, (right, below) => {
    const [x, y] = [across[Math.round(right * width)], down[Math.round(below * height)]];
    const step = `${x?.step} ${y?.step}`;
    const paint = known.get(step) ?? paintAt(rooms, x?.at ?? 0, y?.at ?? 0);
    known.set(step, paint);
    return paint;
  });
}

const key = ({ column, row }: Cell) => `${column} ${row}`;

function paintAt(rooms: ReadonlySet<string>, x: number, y: number): Paint {
  const here = { column: cellAt(columns, x), row: cellAt(rows, y) };
  const nearX = columns.findIndex((at) => Math.abs(at - x) < wall);
  const nearY = rows.findIndex((at) => Math.abs(at - y) < wall);
  if (nearX < 0 && nearY < 0) return rooms.has(key(here)) ? floorPaint : paper;
  const beside = (column: number, row: number) => rooms.has(key({ column, row }));
  const sides =
    nearX >= 0
      ? [beside(nearX - 1, here.row), beside(nearX, here.row)]
      : [beside(here.column, nearY - 1), beside(here.column, nearY)];
  if (nearX >= 0 && nearY >= 0) return sides.includes(true) ? ink : corner(beside, nearX, nearY);
  if (!sides.includes(true)) return paper;
  const middle =
    nearX >= 0
      ? (edge(rows, here.row) + edge(rows, here.row + 1)) / 2
      : (edge(columns, here.column) + edge(columns, here.column + 1)) / 2;
  const isDoor = !sides.includes(false) && Math.abs((nearX >= 0 ? y : x) - middle) < door;
  return isDoor ? floorPaint : ink;
}

function corner(beside: (column: number, row: number) => boolean, column: number, row: number): Paint {
  const around = [beside(column - 1, row - 1), beside(column, row - 1), beside(column - 1, row), beside(column, row)];
  return around.includes(true) ? ink : paper;
}
