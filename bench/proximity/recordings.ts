import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Reads the public recordings with the roles swapped, as their README says: each fixed receiver plays a Beacon, the moving
 * tag plays the Installation.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export interface Sample {
  /** Epoch ms. */
  readonly at: number;
  readonly beacon: string;
  readonly rssi: number;
  readonly position?: Point;
}

export interface Walk {
  readonly name: string;
  readonly samples: readonly (Sample & { readonly position: Point })[];
}

/** One beacon and one visitor at a distance that does not change. */
export interface Stream {
  readonly name: string;
  readonly beacon: string;
  readonly samples: readonly Sample[];
  /** Where the visitor stood; absent where only the distance is known. */
  readonly position?: Point;
}

export interface Recordings {
  /** False: the folder is missing, and the signals are generated. */
  readonly recorded: boolean;
  readonly beacons: ReadonlyMap<string, Point>;
  readonly walks: readonly Walk[];
  readonly stills: readonly Stream[];
  /** Half hours standing still at further positions, 0.9 to 4.5 m from the one beacon that hears. */
  readonly moreStills: readonly Stream[];
  readonly phones: readonly Stream[];
}

/** The folder of the recordings: PHAROS_RSSI_DATA, else beside the repository. */
export function recordingsFolder(): string {
  return process.env['PHAROS_RSSI_DATA'] ?? fileURLToPath(new URL('../../../shared/data/rssi', import.meta.url));
}

/** The recordings; null if the folder is missing. */
export function readRecordings(folder = recordingsFolder()): Recordings | null {
  if (!existsSync(`${folder}/philotuxo/tetam.dev`)) return null;
  const tags = `${folder}/philotuxo`;
  return {
    recorded: true,
    beacons: readBeacons(readFileSync(`${tags}/tetam.dev`, 'utf8')),
    walks: files(`${tags}/trk`).map((name) => ({ name, samples: readWalk(`${tags}/trk/${name}`) })),
    stills: files(`${tags}/hst`).map((name) => readStill(name, `${tags}/hst/${name}`)),
    moreStills: ['set_1', 'set_2'].flatMap((set) => readMore(`${tags}/hst-more/${set}`)),
    phones: files(`${folder}/mitll/conference-room`).flatMap((name) =>
      readPhones(name, `${folder}/mitll/conference-room/${name}`),
    ),
  };
}

const readMore = (folder: string) =>
  existsSync(folder) ? files(folder).map((name) => readStill(name, `${folder}/${name}`)) : [];

function files(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /\.(mbd|txt)$/.test(name))
    .sort();
}

function lines(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(','));
}

function readBeacons(text: string): Map<string, Point> {
  const entry = /"([0-9a-f]{12})": *\[\[([\d.]+), *([\d.]+), *([\d.]+)\]/g;
  return new Map(
    [...text.matchAll(entry)].map(([, mac = '', x, y, z]) => [mac, { x: Number(x), y: Number(y), z: Number(z) }]),
  );
}

function readWalk(path: string): Walk['samples'] {
  return lines(path).map(([seconds, beacon = '', , rssi, x, y, z]) => ({
    at: Math.round(Number(seconds) * 1000),
    beacon,
    rssi: Number(rssi),
    position: { x: Number(x), y: Number(y), z: Number(z) },
  }));
}

function readStill(name: string, path: string): Stream {
  const samples = lines(path).map(([seconds, beacon = '', , rssi]) => ({
    at: Math.round(Number(seconds) * 1000),
    beacon,
    rssi: Number(rssi),
  }));
  const [, x, y, z] = /_([\d.]+)_([\d.]+)_([\d.]+)\.mbd$/.exec(name) ?? [];
  return { name, beacon: samples[0]?.beacon ?? '', samples, position: { x: Number(x), y: Number(y), z: Number(z) } };
}

/** The four phones on a body in one log; other devices in the room have no known distance. */
function readPhones(name: string, path: string): Stream[] {
  const streams = new Map<string, Sample[]>();
  for (const [, kind, , rssi, phone = '', , epoch] of lines(path)) {
    if (kind !== 'Bluetooth' || !phone.startsWith('TestPhone')) continue;
    const samples = streams.get(phone) ?? [];
    // The log's epoch is Apple's, 1 January 2001.
    samples.push({ at: Math.round((Number(epoch) + 978_307_200) * 1000), beacon: phone, rssi: Number(rssi) });
    streams.set(phone, samples);
  }
  return [...streams].map(([beacon, samples]) => ({ name: `${name} ${beacon}`, beacon, samples }));
}
