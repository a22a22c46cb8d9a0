/**
 * Reads recorded signals. Known formats, told by the first line:
 *
 * - Our own JSON lines: `{"at": "2026-05-04T09:30:00.250Z", "visitor": "anna", "beacon": "hall", "rssi": -67}`. `at` is ISO
 *   8601, epoch milliseconds or epoch seconds; `beacon` may be missing where `uuid`, `major` and `minor` are given; `event`
 *   (ENTER or EXIT) takes the place of `rssi` for what a phone has decided. Other members are sent as they are.
 * - Our own CSV: the same members as a header line (`at,visitor,beacon,rssi`) and one line for each. No quotes.
 * - philotuxo's Position-Annotated-BLE-RSSI-Dataset: `epoch seconds,receiver,tag,rssi,…`; a receiver plays a beacon, the
 *   tag a visitor.
 * - MIT Lincoln Laboratory's BLE-RSSI-Various-Static-Configurations: `time,Bluetooth,id,rssi,name,…`; each named phone
 *   plays a beacon, the recording phone a visitor. Lines of other kinds are skipped.
 */

export interface Recorded {
  /** Epoch milliseconds of the recording's own clock. */
  readonly at: number;
  readonly visitor: string;
  /** The recording's name for the beacon; undefined if the sighting has its address. */
  readonly beacon: string | undefined;
  /** What is sent besides time and beacon, such as `{rssi: -67}`. */
  readonly sighting: Readonly<Record<string, unknown>>;
}

export class RecordingError extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.name = 'RecordingError';
  }
}

/** Undefined: the line holds nothing to send. @throws Error whose message says what is wrong with the line */
type ReadLine = (line: string) => Recorded | undefined;

interface Format {
  readonly starts: (line: string) => boolean;
  readonly reader: (firstLine: string) => ReadLine;
  /** The first line is a header. */
  readonly hasHeader?: true;
}

const formats: readonly Format[] = [
  { starts: (line) => line.startsWith('{'), reader: () => readJsonLine },
  { starts: (line) => /^\d{9,10}(\.\d+)?,[0-9a-f]{12},[0-9a-f]{12},/i.test(line), reader: () => readReceiverLine },
  { starts: (line) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+,[A-Z]/.test(line), reader: () => readPhoneLogLine },
  { starts: (line) => /(^|,)at(,|$)/.test(line), reader: (header) => readCsvLine(header.split(',')), hasHeader: true },
];

/** In order of time. @throws RecordingError with the number of the line */
export function readRecording(text: string): Recorded[] {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first === -1) throw new RecordingError(1, 'The file is empty.');
  const header = (lines[first] as string).trim();
  const format = formats.find(({ starts }) => starts(header));
  if (!format) {
    throw new RecordingError(
      first + 1,
      'This format is not known. Use JSON lines such as {"at":"2026-05-04T09:30:00Z","visitor":"anna","beacon":"hall","rssi":-67}, or CSV with a header such as at,visitor,beacon,rssi.',
    );
  }
  const readLine = format.reader(header);
  const recorded: Recorded[] = [];
  lines.forEach((line, index) => {
    if (index < first + (format.hasHeader ? 1 : 0) || line.trim() === '') return;
    try {
      const one = readLine(line.trim());
      if (one) recorded.push(one);
    } catch (error) {
      throw new RecordingError(index + 1, (error as Error).message);
    }
  });
  if (recorded.length === 0) throw new RecordingError(lines.length, 'There is no signal in the file.');
  return recorded.sort((a, b) => a.at - b.at);
}

/** @throws Error */
function time(value: unknown): number {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value));
  const given = isNumber ? Number(value) : Date.parse(String(value));
  // Taken as milliseconds it would lie before March 1973.
  const at = isNumber && given < 1e11 ? given * 1000 : given;
  if (value !== undefined && Number.isFinite(at)) return at;
  throw new Error(`at is an ISO 8601 time, epoch milliseconds or epoch seconds, not ${JSON.stringify(value)}.`);
}

/** @throws Error */
function ownRecord(raw: Readonly<Record<string, unknown>>): Recorded {
  const { at, visitor = 'visitor', beacon, ...sighting } = raw;
  if (beacon === undefined && sighting['uuid'] === undefined)
    throw new Error('beacon is missing; without it uuid, major and minor are needed.');
  if (sighting['event'] === undefined && sighting['rssi'] === undefined && sighting['distance'] === undefined)
    throw new Error('rssi (dBm), distance (m) or event (ENTER, EXIT) is missing.');
  const who = String(visitor);
  if (who === '' || who.length > 50) throw new Error('visitor is a name of 1 to 50 characters.');
  return {
    at: time(at),
    visitor: who,
    beacon: beacon === undefined ? undefined : String(beacon),
    sighting,
  };
}

function readJsonLine(line: string): Recorded {
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch (error) {
    throw new Error(`It is not JSON: ${(error as Error).message}`);
  }
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return ownRecord(raw as Record<string, unknown>);
  throw new Error('Each line is a JSON object.');
}

const numeric = new Set(['rssi', 'distance', 'txPower', 'major', 'minor', 'interval']);

function readCsvLine(names: readonly string[]): ReadLine {
  return (line) => {
    const cells = line.split(',');
    if (cells.length !== names.length)
      throw new Error(`It has ${cells.length} values and the header has ${names.length}.`);
    const entries = names.flatMap((name, index): [string, unknown][] => {
      const cell = (cells[index] ?? '').trim();
      if (cell === '') return [];
      const key = name.trim();
      if (!numeric.has(key)) return [[key, cell]];
      if (!Number.isFinite(Number(cell))) throw new Error(`${key} is a number, not "${cell}".`);
      return [[key, Number(cell)]];
    });
    return ownRecord(Object.fromEntries(entries));
  };
}

/** @throws Error */
function power(cell: string | undefined): number {
  const rssi = Number(cell);
  if (cell === undefined || cell === '' || !Number.isFinite(rssi))
    throw new Error(`"${cell ?? ''}" is no RSSI in dBm.`);
  return rssi;
}

function readReceiverLine(line: string): Recorded {
  const [seconds, beacon = '', visitor = '', rssi] = line.split(',');
  return { at: Math.round(time(seconds)), visitor, beacon, sighting: { rssi: power(rssi) } };
}

/** Seconds from 1970 to Apple's epoch, 1 January 2001. */
const appleEpoch = 978_307_200;

function readPhoneLogLine(line: string): Recorded | undefined {
  const [, kind, , rssi, name = '', , seconds] = line.split(',');
  if (kind !== 'Bluetooth' || name === 'None' || name === '') return undefined;
  const at = Number(seconds);
  if (!Number.isFinite(at)) throw new Error(`"${seconds ?? ''}" is no time in seconds since 2001.`);
  return {
    at: Math.round((at + appleEpoch) * 1000),
    visitor: 'phone',
    beacon: name,
    sighting: { rssi: power(rssi) },
  };
}
