import { readFile } from 'node:fs/promises';
import { type Recorded, RecordingError, readRecording } from '@pharos/engine/simulation';
import { parseInstant } from '@pharos/query';
import { type Command, type CommandCall, type CommandResult, UsageError } from '../support/command.ts';
import { type ServiceClient, ServiceError } from '../support/service-client.ts';
import { clientOf, numberOf, realPace, runNameOf, serviceDetails, serviceOptions } from './simulate/options.ts';
import { readBeacons, unreadable } from './simulate/own-beacons.ts';
import { type ReplayedEvent, runReplay, timelineOf } from './simulate/replay-run.ts';

async function recordedIn(file: string): Promise<Recorded[]> {
  const text = await readFile(file, 'utf8');
  try {
    return readRecording(text);
  } catch (error) {
    if (error instanceof RecordingError) throw new UsageError(`${file}, ${error.message}`);
    throw error;
  }
}

/** `--beacon NAME=ID`. @throws UsageError */
function givenNames(call: CommandCall): Map<string, string> {
  return new Map(
    call.texts('beacon').map((text): [string, string] => {
      const at = text.lastIndexOf('=');
      if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
      throw new UsageError(`--beacon takes NAME=ID, not "${text}".`);
    }),
  );
}

/** The objectId for each name in the recording: as given, else by id, gatewayId or name of the app's beacons. */
async function resolveNames(call: CommandCall, client: ServiceClient, names: readonly string[]) {
  const known = givenNames(call);
  const open = names.filter((name) => !known.has(name));
  const own = open.length === 0 ? [] : await readBeacons(client);
  if (!own) throw new ServiceError(`${unreadable}\nOr map them: --beacon ${open[0]}=OBJECTID, once for each.`);
  for (const name of open) {
    const found =
      own.find(({ objectId }) => objectId === name) ??
      own.find(({ metadata }) => metadata?.['gatewayId'] === name) ??
      own.find((beacon) => beacon.name === name);
    if (found) known.set(name, found.objectId);
  }
  return known;
}

async function withKnownBeacons(call: CommandCall, client: ServiceClient, recorded: readonly Recorded[]) {
  const names = [...new Set(recorded.flatMap(({ beacon }) => beacon ?? []))];
  const known = await resolveNames(call, client, names);
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0 && !call.has('skip-unknown'))
    throw new UsageError(
      `The app has no beacon for ${unknown.join(', ')} of the recording. Map them with --beacon ${unknown[0]}=OBJECTID,\ngive a beacon that name or metadata.gatewayId, or skip them with --skip-unknown.`,
    );
  const usable = recorded.filter(({ beacon }) => beacon === undefined || known.has(beacon));
  if (usable.length === 0) throw new UsageError('Without the unknown beacons nothing of the recording is left.');
  const named = usable.map((one) => (one.beacon === undefined ? one : { ...one, beacon: known.get(one.beacon) }));
  return { recorded: named, nameOf: new Map([...known].map(([name, id]) => [id, name])) };
}

function speedOf(call: CommandCall): number {
  if (call.text('speed') === 'max') return Number.POSITIVE_INFINITY;
  return numberOf(call, 'speed', { min: 0.01, max: 100_000, fallback: 1 });
}

function startOf(call: CommandCall): number | undefined {
  const text = call.text('at');
  const at = text === undefined ? undefined : parseInstant(text);
  if (text !== undefined && at === undefined)
    throw new UsageError(`--at must be a time such as 2026-05-04T09:30:00Z, not "${text}".`);
  return at;
}

function eventLine({ recordedAt, visitor, event, beaconId, distance }: ReplayedEvent, names: Map<string, string>) {
  const metres = distance === undefined ? '' : `  ${distance} m`;
  return `${new Date(recordedAt).toISOString()}  ${visitor}  ${event.padEnd(9)}  ${names.get(beaconId) ?? beaconId}${metres}`;
}

async function replay(call: CommandCall): Promise<CommandResult> {
  const pace = realPace();
  const client = clientOf(call, pace);
  const { recorded, nameOf } = await withKnownBeacons(call, client, await recordedIn(call.arguments[0] ?? ''));
  const job = { name: runNameOf(call, pace.now()), recorded, speed: speedOf(call), at: startOf(call) };
  const timeline = timelineOf(job, pace.now());
  if (!timeline)
    throw new UsageError(
      'With this --at and --speed records would lie in the future. Choose an earlier --at or a lower --speed.',
    );
  const print = (line: string) => (call.isJson ? call.terminal.err(line) : call.terminal.out(line));
  print(`Run ${job.name}: ${recorded.length} signals in ${Math.ceil(timeline.lasts / 1000)} s.`);
  const totals = await runReplay(job, timeline, { client, pace, onEvent: (event) => print(eventLine(event, nameOf)) });
  const { sightings, duplicates, events, messages, openVisits, errors, lastError } = totals;
  const lines = [
    `Sent ${sightings} signals: ${events} events confirmed, ${messages} messages, ${duplicates} known already, ${errors} errors.`,
    ...(lastError === undefined ? [] : [`Last error: ${lastError}`]),
    ...(openVisits > 0 ? [`${openVisits} visits are still open; silence ends them.`] : []),
    `Remove what it created: pharos simulate --remove ${job.name}`,
  ];
  return { text: lines.join('\n'), json: { run: job.name, ...totals, retries: client.retries } };
}

export const replayCommand: Command = {
  name: 'replay',
  summary: 'send recorded signals to a running service as if they happened again',
  details: `${serviceDetails}\nThe times between signals stay as recorded. docs/simulation.md describes the formats.`,
  arguments: [{ name: 'FILE', help: 'the recording: JSON lines, CSV, or one of the public data sets' }],
  options: {
    ...serviceOptions,
    speed: { value: 'N', help: 'how much faster than recorded, or max (1); faster ones begin in the past and end now' },
    at: { value: 'TIME', help: 'its beginning for the service; by default so that it ends now' },
    beacon: { value: 'NAME=ID', help: 'maps a name in the recording to a beacon', multiple: true },
    'skip-unknown': { help: 'leave out signals of beacons that the app does not have' },
    run: { value: 'NAME', help: 'the name of the run; by default made from the time' },
  },
  run: replay,
};
