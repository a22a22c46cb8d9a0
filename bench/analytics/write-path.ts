/** What counting costs whoever writes: the same visits told to a service that counts them, and to one that does not, in turn. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, family } from '../compare/processes.ts';
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
  readonly service: Service;
  readonly beaconId: string;
  readonly rates: number[];
  readonly cpu: number[];
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
  const subject = { ...opened, name, service, beaconId: made.result.objectId, rates: [], cpu: [], step: 0 };
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

/** After it, it is waited until all of it is counted. */
async function round(subject: Subject): Promise<void> {
  const pids = family(subject.service.pid);
  const before = cpuSeconds(pids);
  const began = performance.now();
  const sent = await sendRound(subject);
  subject.rates.push((sent * 1000) / (performance.now() - began));
  await delay(afterMs);
  subject.cpu.push(((cpuSeconds(pids) - before) * 1e6) / sent);
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** One that counts, and one that does not. `placeOf`: an empty database for each. */
export async function openBoth(placeOf: (name: string) => Promise<Place>): Promise<readonly [Subject, Subject]> {
  const counted = await openSubject(await placeOf('counted'), 'with counting', undefined);
  return [counted, await openSubject(await placeOf('plain'), 'without', `--import=file://${hook}`)];
}

/** `placeOf`: an empty database for each of the two. */
export async function measureWritePath(placeOf: (name: string) => Promise<Place>, rounds: number): Promise<void> {
  const [counted, plain] = await openBoth(placeOf);
  try {
    for (let n = 0; n < rounds; n++)
      for (const subject of n % 2 ? [plain, counted] : [counted, plain]) await round(subject);
    console.log('\n| write path | events/s | µs of CPU an event |\n|---|---|---|');
    for (const { name, rates, cpu } of [counted, plain])
      console.log(`| ${name} | ${median(rates).toFixed(0)} | ${median(cpu).toFixed(0)} |`);
    const share = (a: number, b: number) => `${((a / b - 1) * 100).toFixed(1)} %`;
    console.log(
      `Counting costs ${share(median(counted.cpu), median(plain.cpu))} of the processor and ${share(median(plain.rates), median(counted.rates))} of the rate; aim: 10 %`,
    );
  } finally {
    await Promise.all([counted.service.stop(), plain.service.stop()]);
  }
}

export const folderOf = (folder: string) => (name: string) => join(folder, name);
