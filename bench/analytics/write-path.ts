/** What counting costs whoever writes: the same visits told to a service that counts them, and to one that does not, side by side. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuSecondsWithEnded } from '../compare/processes.ts';
import { createApp, type Opened, type Place, type Service, serve } from './service.ts';

const phones = 500;
const atOnce = 32;
/** The same number for both, so that what a process does anyway weighs as much on each. */
const eventsInRound = 4_000;
/** Counting follows some seconds behind, and rests between. */
const afterMs = 12_000;
const hook = fileURLToPath(new URL('./without-counting.mjs', import.meta.url));

export interface Subject extends Opened {
  readonly name: string;
  readonly place: Place;
  readonly service: Service;
  readonly beaconId: string;
  step: number;
}

export async function openSubject(place: Place, name: string, nodeOptions: string | undefined): Promise<Subject> {
  const opened = createApp(place);
  const service = await serve(place, opened.appId, nodeOptions === undefined ? {} : { nodeOptions });
  const made = await service.ask<{ result: { objectId: string } }>('POST', '/beacons', {
    name: 'Door',
    uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
    major: 1,
    minor: 1,
  });
  const subject = { ...opened, name, place, service, beaconId: made.result.objectId, step: 0 };
  for (let n = 0; n < phones; n++) await post(subject, 'installations', { installationId: `p${n}`, deviceType: 'ios' });
  return subject;
}

export async function post({ service, appId, appKey }: Subject, path: string, body: object): Promise<void> {
  const answer = await fetch(`${service.url}/api/v2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-appid': appId, 'x-service-appkey': appKey },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
}

/** Phones come and go, a visit after the other. Answers how many events were sent. */
export async function sendRound(subject: Subject): Promise<number> {
  let sent = 0;
  const sender = async () => {
    while (sent < eventsInRound) {
      sent++;
      const event = Math.floor(subject.step / phones) % 2 === 0 ? 'ENTER' : 'EXIT';
      const installationId = `p${subject.step++ % phones}`;
      await post(subject, 'sightings', {
        installationId,
        sightings: [{ beacon: subject.beaconId, event, occurredAt: Date.now() }],
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  return sent;
}

interface Costs {
  /** Microseconds of processor time an event. */
  readonly [name: string]: number;
}

/** Both at the same time, so that whatever else the machine does weighs as much on each; it is waited until all of it is counted. */
async function round(subjects: readonly Subject[]): Promise<Costs> {
  const used = () =>
    subjects.map(({ place, service }) =>
      [service.pid, place.databasePid].reduce((sum: number, pid) => sum + (pid ? cpuSecondsWithEnded(pid) : 0), 0),
    );
  const before = used();
  const sent = await Promise.all(subjects.map(sendRound));
  await delay(afterMs);
  const after = used();
  return Object.fromEntries(
    subjects.map(({ name }, index) => {
      const seconds = (after[index] ?? 0) - (before[index] ?? 0);
      return [name, (seconds * 1e6) / (sent[index] ?? 1)];
    }),
  );
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Of the mean: twice as much to either side holds the true value in 95 of 100 runs. */
function standardError(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}

/** One that counts, and one that does not. `placeOf`: an empty database for each. */
export async function openBoth(placeOf: (name: string) => Promise<Place>): Promise<readonly [Subject, Subject]> {
  const counted = await openSubject(await placeOf('counted'), 'with counting', undefined);
  return [counted, await openSubject(await placeOf('plain'), 'without', `--import=file://${hook}`)];
}

/** `placeOf`: an empty database for each of the two, PostgreSQL on a server of its own, whose processes come and go. */
export async function measureWritePath(
  target: string,
  placeOf: (name: string) => Promise<Place>,
  rounds: number,
): Promise<void> {
  const subjects = await openBoth(placeOf);
  const [counted, plain] = subjects;
  try {
    // The first one compiles.
    await round(subjects);
    const costs: Costs[] = [];
    for (let n = 0; n < rounds; n++) costs.push(await round(subjects));
    const of = ({ name }: Subject) => costs.map((cost) => cost[name] ?? 0);
    console.log(`\n| ${target}, write path | µs of CPU an event | each round |\n|---|---|---|`);
    for (const subject of subjects)
      console.log(
        `| ${subject.name} | ${median(of(subject)).toFixed(0)} | ${of(subject)
          .map((cost) => cost.toFixed(0))
          .join(' ')} |`,
      );
    const shares = costs.map((cost) => ((cost[counted.name] ?? 0) / (cost[plain.name] ?? 1) - 1) * 100);
    const total = (subject: Subject) => of(subject).reduce((sum, cost) => sum + cost, 0);
    console.log(
      `Counting costs ${((total(counted) / total(plain) - 1) * 100).toFixed(1)} % of the processor, give or take ${(2 * standardError(shares)).toFixed(1)} (rounds: ${shares.map((share) => share.toFixed(1)).join(' ')}); aim: 10 %`,
    );
  } finally {
    await Promise.all(subjects.map(({ service }) => service.stop()));
  }
}

export const folderOf = (folder: string) => (name: string) => join(folder, name);
