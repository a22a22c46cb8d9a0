import { readFile } from 'node:fs/promises';
import {
  type FloorPlan,
  openPlan,
  PlanError,
  type PlannedBeacon,
  plannedBeacons,
  readPlan,
} from '@pharos/engine/simulation';
import { type Command, type CommandCall, type CommandResult, UsageError } from '../support/command.ts';
import { type ServiceClient, ServiceError } from '../support/service-client.ts';
import { removeSimulated, runNamePattern } from './simulate/installations.ts';
import {
  clientOf,
  durationOf,
  numberOf,
  realPace,
  runNameOf,
  serviceDetails,
  serviceOptions,
} from './simulate/options.ts';
import { readBeacons, unreadable } from './simulate/own-beacons.ts';
import { runSimulation, type SimulationRun, type Totals } from './simulate/run.ts';

/** The app's beacons whose position is known. */
async function ownBeacons(client: ServiceClient): Promise<PlannedBeacon[]> {
  const found = await readBeacons(client);
  if (!found) throw new ServiceError(`${unreadable}\nOr name them in a floor plan: --plan FILE.`);
  const planned = plannedBeacons(found);
  if (planned.length > 0) return planned;
  throw new ServiceError(
    found.length === 0
      ? 'The app has no beacons. Add some with POST /beacons and a location such as {"x":4,"y":7}, in metres.'
      : `None of the app's ${found.length} beacons has a location. Give them a location such as {"x":4,"y":7}, in metres, or use --plan FILE.`,
  );
}

async function planOf(call: CommandCall, client: ServiceClient): Promise<FloorPlan> {
  const file = call.text('plan');
  if (file === undefined) return openPlan(await ownBeacons(client));
  const text = await readFile(file, 'utf8');
  try {
    const namesBeacons = Object.hasOwn(JSON.parse(text) as object, 'beacons');
    return readPlan(text, namesBeacons ? [] : await ownBeacons(client));
  } catch (error) {
    if (error instanceof PlanError || error instanceof SyntaxError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

const per = (value: number, seconds: number) => Math.round(value / Math.max(seconds, 0.001));

/** Prints what has changed since the last call. */
function progressLine(visitors: number, print: (line: string) => void) {
  let before = 0;
  return (totals: Readonly<Totals>, seconds: number) => {
    const { sightings, events, messages, errors, skipped, lastError } = totals;
    const parts = [
      `${visitors} visitors`,
      `${per(sightings - before, seconds)} sightings/s`,
      `${events} events`,
      `${messages} messages`,
      `${errors} errors`,
      ...(skipped > 0 ? [`${skipped} reports skipped by --rate`] : []),
      ...(lastError === undefined ? [] : [`last error: ${lastError}`]),
    ];
    before = sightings;
    print(`${new Date().toISOString().slice(11, 19)}  ${parts.join(', ')}`);
  };
}

async function walk(call: CommandCall): Promise<CommandResult> {
  const pace = realPace();
  const client = clientOf(call, pace);
  const plan = await planOf(call, client);
  const run: SimulationRun = {
    name: runNameOf(call, pace.now()),
    plan,
    seed: call.text('seed') ?? '1',
    visitors: Math.floor(numberOf(call, 'visitors', { min: 1, max: 10_000, fallback: 10 })),
    rate: numberOf(call, 'rate', { min: 0.1, max: 1_000_000, fallback: 100 }),
    durationMs: durationOf(call, 'duration'),
  };
  const print = (line: string) => (call.isJson ? call.terminal.err(line) : call.terminal.out(line));
  print(`Run ${run.name}: ${run.visitors} visitors among ${plan.beacons.length} beacons, seed ${run.seed}.`);
  const start = pace.now();
  const totals = await runSimulation(run, { client, pace, progress: progressLine(run.visitors, print) });
  const seconds = Math.round((pace.now() - start) / 1000);
  const { sightings, events, messages, errors } = totals;
  return {
    text: `Sent ${sightings} sightings in ${seconds} s: ${events} events, ${messages} messages, ${errors} errors.\nRemove what it created: pharos simulate --remove ${run.name}`,
    json: { run: run.name, seed: run.seed, seconds, ...totals, retries: client.retries },
  };
}

async function remove(call: CommandCall): Promise<CommandResult> {
  const [run] = call.arguments;
  if (run !== undefined && !runNamePattern.test(run)) throw new UsageError(`"${run}" is not the name of a run.`);
  const removed = await removeSimulated(clientOf(call, realPace()), run);
  const what = run === undefined ? 'all runs' : `the run ${run}`;
  return {
    text: `Removed ${removed} virtual visitors of ${what}. Their traces are erased within seconds.`,
    json: { removed, ...(run === undefined ? {} : { run }) },
  };
}

export const simulateCommand: Command = {
  name: 'simulate',
  summary: 'let virtual visitors walk past the beacons, and send what their phones hear',
  details: `${serviceDetails}\nVisitors are installations with metadata.simulated and an installationId that begins with "simulated:".\nWithout --plan the location (x and y in metres) of the app's own beacons is the plan; docs/simulation.md has more.`,
  arguments: [{ name: 'RUN', help: 'with --remove: only what this run has made', optional: true }],
  options: {
    ...serviceOptions,
    visitors: { value: 'N', help: 'how many at once (10)' },
    rate: { value: 'N', help: 'the most sightings a second of all together (100)' },
    duration: { value: 'TIME', help: 'such as 90s, 10m or 2h; by default until Ctrl-C' },
    seed: { value: 'TEXT', help: 'the same seed gives the same walks (1)' },
    plan: { value: 'FILE', help: 'a floor plan as JSON' },
    run: { value: 'NAME', help: 'the name of the run; by default made from the time' },
    remove: { help: 'remove the visitors of RUN, or of all runs, with all their traces' },
  },
  async run(call) {
    if (call.has('remove')) return remove(call);
    if (call.arguments.length > 0) throw new UsageError('A name is allowed here only with --remove; use --run NAME.');
    return walk(call);
  },
};
