import type { FloorPlan, PlannedBeacon, Spot, Wall, Waypoint } from './plan.ts';
import { Routes } from './routes.ts';

/**
 * Reads floor plans, and makes one from an app's own beacons. The file is JSON, all in metres, `floor` 0 where it is
 * missing; only `waypoints` is required:
 *
 *     { "pathLossExponent": 2,
 *       "rooms": [{ "name": "Hall", "x": 0, "y": 0, "width": 10, "height": 8, "doors": [{ "x": 10, "y": 4 }] }],
 *       "walls": [{ "from": { "x": 3, "y": 0 }, "to": { "x": 3, "y": 5 }, "loss": 6 }],
 *       "waypoints": [{ "name": "entrance", "x": -5, "y": 4 }, { "name": "owl", "x": 2, "y": 2, "stay": [20, 60] }],
 *       "paths": [["entrance", "owl"]],
 *       "beacons": [{ "beacon": "OBJECTID", "x": 2, "y": 1, "measuredPower": -59, "interval": 300 }] }
 *
 * The first waypoint is the entrance. A room is four walls with gaps at its doors, which also stand for waypoints. Without
 * `paths` people walk wherever no wall is in the way. A beacon is named by `beacon` or by `uuid`, `major` and `minor`;
 * without `beacons` the app's own with a location are taken.
 */

export class PlanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PlanError';
  }
}

type Raw = Readonly<Record<string, unknown>>;

const doorWidth = 1.2;
/**
 * A light wall. Source: COST Action 231, "Digital mobile radio towards future generation systems", 1999, §4.7: 3.4 dB.
 */
const wallLoss = 3.4;
const defaultPower = -59;
const defaultInterval = 300;
const maxWaypoints = 500;
const maxBeacons = 2_000;

const isObject = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);

function list(plan: Raw, name: string, most = maxBeacons): readonly Raw[] {
  const value = plan[name] ?? [];
  if (!Array.isArray(value) || !value.every(isObject)) throw new PlanError(`${name} is a list of objects.`);
  if (value.length > most) throw new PlanError(`${name} has ${value.length} entries; at most ${most} are possible.`);
  return value;
}

function number(raw: Raw, member: string, where: string, fallback?: number): number {
  const value = raw[member] ?? fallback;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new PlanError(`${where}: ${member} is a number${fallback === undefined ? '' : `, ${fallback} without it`}.`);
}

function spot(value: unknown, where: string, floor = 0): Spot {
  if (!isObject(value)) throw new PlanError(`${where} is an object with x and y.`);
  return { x: number(value, 'x', where), y: number(value, 'y', where), floor: number(value, 'floor', where, floor) };
}

/** @throws PlanError that says which entry is wrong and what it should look like */
export function readPlan(text: string, ownBeacons: readonly PlannedBeacon[]): FloorPlan {
  const plan = parse(text);
  const rooms = list(plan, 'rooms').map(readRoom);
  const doors = rooms.flatMap((room) => room.doors);
  const walls = [...rooms.flatMap((room) => room.walls), ...list(plan, 'walls').map(readWall)].flatMap((wall) =>
    withGaps(wall, doors),
  );
  const waypoints = list(plan, 'waypoints', maxWaypoints).map(readWaypoint);
  if (waypoints.length < 2) throw new PlanError('waypoints needs at least two entries; the first is the entrance.');
  const named = plan['beacons'] === undefined ? ownBeacons : list(plan, 'beacons').map(readBeacon);
  if (named.length === 0) throw new PlanError('beacons is empty: nobody would hear anything.');
  const paths = readPaths(plan['paths'], waypoints);
  const passages = paths ? [] : doors.map((door, index) => ({ ...door, name: `door ${index + 1}` }));
  return reachable({
    beacons: named,
    walls,
    waypoints: [...waypoints.map((waypoint) => facing(waypoint, named)), ...passages],
    paths,
    pathLossExponent: number(plan, 'pathLossExponent', 'plan', 2),
  });
}

function parse(text: string): Raw {
  try {
    const plan: unknown = JSON.parse(text);
    if (isObject(plan)) return plan;
  } catch (error) {
    throw new PlanError(`It is not JSON: ${(error as Error).message}`);
  }
  throw new PlanError('It is not a JSON object with waypoints.');
}

function readRoom(raw: Raw, index: number): { readonly walls: readonly Wall[]; readonly doors: readonly Spot[] } {
  const where = `rooms[${index}]`;
  const { x, y, floor } = spot(raw, where);
  const [width, height] = [number(raw, 'width', where), number(raw, 'height', where)];
  const loss = number(raw, 'loss', where, wallLoss);
  const corners = [
    { x, y, floor },
    { x: x + width, y, floor },
    { x: x + width, y: y + height, floor },
    { x, y: y + height, floor },
  ];
  return {
    walls: corners.map((from, corner) => ({ from, to: corners[(corner + 1) % 4] as Spot, loss })),
    doors: list(raw, 'doors').map((door, at) => spot(door, `${where}.doors[${at}]`, floor)),
  };
}

function readWall(raw: Raw, index: number): Wall {
  const where = `walls[${index}]`;
  const floor = number(raw, 'floor', where, 0);
  return {
    from: spot(raw['from'], `${where}.from`, floor),
    to: spot(raw['to'], `${where}.to`, floor),
    loss: number(raw, 'loss', where, wallLoss),
  };
}

/** The wall without the openings of the doors on it. */
function withGaps(wall: Wall, doors: readonly Spot[]): Wall[] {
  const { from, to } = wall;
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) return [];
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const gaps = doors
    .filter(({ x, y, floor }) => floor === from.floor && Math.abs((x - from.x) * uy - (y - from.y) * ux) < 0.3)
    .map(({ x, y }) => (x - from.x) * ux + (y - from.y) * uy)
    .filter((at) => at > -doorWidth / 2 && at < length + doorWidth / 2)
    .sort((a, b) => a - b);
  const parts: Wall[] = [];
  let start = 0;
  const at = (metres: number): Spot => ({ x: from.x + ux * metres, y: from.y + uy * metres, floor: from.floor });
  for (const gap of [...gaps, length + doorWidth / 2]) {
    const end = gap - doorWidth / 2;
    if (end > start) parts.push({ ...wall, from: at(start), to: at(end) });
    start = Math.max(start, gap + doorWidth / 2);
  }
  return parts;
}

function readWaypoint(raw: Raw, index: number): Waypoint {
  const where = `waypoints[${index}]`;
  const { name, stay } = raw;
  if (typeof name !== 'string' || name === '') throw new PlanError(`${where}: name is a text.`);
  const isPair = Array.isArray(stay) && stay.length === 2 && stay.every((value) => typeof value === 'number');
  if (stay !== undefined && !isPair) throw new PlanError(`${where}: stay is [least, most] in seconds.`);
  return { ...spot(raw, where), name, ...(isPair ? { stay: stay as [number, number] } : {}) };
}

function readPaths(value: unknown, waypoints: readonly Waypoint[]): FloorPlan['paths'] {
  if (value === undefined) return undefined;
  const names = new Set(waypoints.map(({ name }) => name));
  const isPath = (path: unknown): path is [string, string] => Array.isArray(path) && path.length === 2;
  if (!Array.isArray(value) || !value.every(isPath)) throw new PlanError('paths is a list of ["from", "to"].');
  const unknown = value.flat().find((name) => !names.has(name));
  if (unknown !== undefined) throw new PlanError(`paths: there is no waypoint "${String(unknown)}".`);
  return value;
}

function readBeacon(raw: Raw, index: number): PlannedBeacon {
  const where = `beacons[${index}]`;
  const { beacon, uuid, major, minor } = raw;
  if (typeof beacon !== 'string' && typeof uuid !== 'string')
    throw new PlanError(`${where}: name it by beacon, its objectId, or by uuid, major and minor.`);
  return {
    ...spot(raw, where),
    address: typeof beacon === 'string' ? { beacon } : { uuid, major, minor },
    measuredPower: number(raw, 'measuredPower', where, defaultPower),
    interval: Math.max(100, number(raw, 'interval', where, defaultInterval)),
  };
}

/** Visitors look at the nearest thing within three metres. */
function facing(waypoint: Waypoint, beacons: readonly PlannedBeacon[]): Waypoint {
  const near = beacons
    .filter(({ floor }) => floor === waypoint.floor)
    .map((beacon) => ({ beacon, metres: Math.hypot(beacon.x - waypoint.x, beacon.y - waypoint.y) }))
    .sort((a, b) => a.metres - b.metres)[0];
  return near && near.metres <= 3 ? { ...waypoint, faces: near.beacon } : waypoint;
}

function reachable(plan: FloorPlan): FloorPlan {
  const [lost] = new Routes(plan).unreachable();
  if (lost) throw new PlanError(`No way leads from the entrance to "${lost.name}". Give paths, or doors in the rooms.`);
  return plan;
}

export interface OwnBeacon {
  readonly objectId: string;
  readonly location?: Raw;
  readonly measuredPower?: number;
}

/** Those that have a location with x and y. */
export function plannedBeacons(beacons: readonly OwnBeacon[]): PlannedBeacon[] {
  return beacons.slice(0, maxBeacons).flatMap(({ objectId, location = {}, measuredPower = defaultPower }) => {
    const { x, y, floor } = location;
    if (typeof x !== 'number' || typeof y !== 'number') return [];
    const level = typeof floor === 'number' ? floor : 0;
    return [{ x, y, floor: level, address: { beacon: objectId }, measuredPower, interval: defaultInterval }];
  });
}

/** One open space: visitors come from outside and stop in front of the beacons. */
export function openPlan(beacons: readonly PlannedBeacon[]): FloorPlan {
  const ground = Math.min(...beacons.map(({ floor }) => floor));
  const [left, middle] = [Math.min(...beacons.map(({ x }) => x)), mean(beacons.map(({ y }) => y))];
  const entrance: Waypoint = { name: 'entrance', x: left - 12, y: middle, floor: ground };
  const stops = beacons.map((beacon, index): Waypoint => {
    const { x, y, floor } = beacon;
    return { name: `beacon ${index + 1}`, x: x + 0.8, y, floor, stay: [10, 90], faces: beacon };
  });
  return { beacons, walls: [], waypoints: [entrance, ...stops], paths: undefined, pathLossExponent: 2 };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
