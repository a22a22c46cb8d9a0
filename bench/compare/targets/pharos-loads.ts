/** The requests to an app of Pharos. */
import { documentOf, documents, wanted } from '../documents.ts';
import { sendAll } from '../generator.ts';
import type { Load } from '../load.ts';
import type { Workload } from '../target.ts';

const bucket = '/api/v2/data/bucket/Sightings';
/** Without a schema. */
const freeBucket = '/api/v2/data/bucket/Notes';
export const account = { email: 'bench@example.org', password: 'correct horse' };

export type Headers = Readonly<Record<string, string>>;

export interface Running {
  readonly url: string;
  readonly app: Headers;
  readonly json: Headers;
  ids: string[];
  /** The users who sign in; created when first needed. */
  people?: readonly string[];
}

export async function create(running: Running, bodies: readonly string[], path = bucket): Promise<string[]> {
  const answers = await sendAll(running.url, { method: 'POST', headers: running.json, paths: [path], bodies });
  return answers.map((text) => (JSON.parse(text) as { result: { objectId: string } }).result.objectId);
}

const query = (parameters: Readonly<Record<string, string>>) => `?${new URLSearchParams(parameters)}`;

export async function loadOf(running: Running, workload: Workload): Promise<Load | undefined> {
  const { json, app, ids } = running;
  const numbers = Array.from({ length: 1000 }, (_, n) => n);
  switch (workload) {
    case 'get':
      return { method: 'GET', headers: json, paths: ids.slice(0, 10_000).map((id) => `${bucket}/${id}`) };
    case 'create':
    case 'create-free':
      return {
        method: 'POST',
        headers: json,
        paths: [workload === 'create' ? bucket : freeBucket],
        bodies: numbers.map((n) => JSON.stringify({ metadata: documentOf(n) })),
      };
    case 'list':
      return { method: 'GET', headers: json, paths: [`${bucket}${query({ limit: '100' })}`] };
    case 'filter':
      return {
        method: 'GET',
        headers: json,
        paths: wanted.map(({ name, least }) => filter(`metadata.species`, `Species ${name}`, 'metadata.count', least)),
      };
    case 'filter-free':
      return {
        method: 'GET',
        headers: json,
        paths: wanted.map(({ name, least }) =>
          filter('metadata.extra.site', `Site ${name}`, 'metadata.extra.level', least),
        ),
      };
    case 'update':
      return {
        method: 'PUT',
        headers: json,
        paths: ids.slice(0, 10_000).map((id) => `${bucket}/${id}`),
        bodies: ids.slice(0, 10_000).map((_, n) => JSON.stringify({ count: n % 1000 })),
      };
    case 'delete': {
      const doomed = await create(
        running,
        documents(20_000).map((metadata) => JSON.stringify({ metadata })),
      );
      return { method: 'DELETE', headers: json, paths: doomed.map((id) => `${bucket}/${id}`), once: true };
    }
    case 'sign-in':
      return { method: 'POST', headers: app, paths: ['/api/v2/users/signin'], bodies: await peopleOf(running) };
    case 'upload':
      return {
        method: 'POST',
        headers: { ...json, 'content-type': 'image/png' },
        paths: ['/api/v2/files/hall.png'],
        bodies: [fileText],
      };
    case 'download': {
      const [answer = '{}'] = await sendAll(running.url, {
        method: 'POST',
        headers: { ...json, 'content-type': 'image/png' },
        paths: ['/api/v2/files/hall.png'],
        bodies: [fileText],
      });
      const { url } = JSON.parse(answer) as { url: string };
      return { method: 'GET', headers: {}, paths: [new URL(url).pathname] };
    }
    case 'sightings-1':
      return sightings(running, { size: 1, rounds: 80 });
    case 'sightings-100':
      return sightings(running, { size: 100, rounds: 10 });
    case 'sightings-late':
      return sightings(running, { size: 1, rounds: 80, isLate: true });
    case 'push':
      return {
        method: 'POST',
        headers: json,
        paths: ['/api/v2/push/notification'],
        bodies: [
          JSON.stringify({
            where: { deviceType: 'ios', channels: 'nobody' },
            data: { title: 'Hall 2', alert: 'The tour begins.' },
          }),
        ],
      };
  }
}

/**
 * Guesses are limited, so at most five sign-ins per account and thirty per address run at a time: with 64 connections
 * most are refused. One address may create a hundred accounts.
 */
async function peopleOf(running: Running): Promise<readonly string[]> {
  if (running.people) return running.people;
  const people = Array.from({ length: 80 }, (_, n) => ({ ...account, email: `visitor${n}@bench.example.org` }));
  const bodies = people.map((person) => JSON.stringify({ firstname: 'Vera', lastname: 'Visitor', ...person }));
  await sendAll(running.url, { method: 'POST', headers: running.app, paths: ['/api/v2/users'], bodies });
  running.people = people.map((person) => JSON.stringify(person));
  return running.people;
}

/** 64 kB without a line break. */
export const fileText = 'The lighthouse at the end of the mole. '.repeat(1681).slice(0, 65_536);

function filter(equal: string, value: string, range: string, least: number): string {
  const where = JSON.stringify({ [equal]: value, [range]: { $gte: least } });
  return `${bucket}${query({ where, order: `-${range}`, limit: '20' })}`;
}

interface Walk {
  /** Samples in a batch. */
  readonly size: number;
  /** Batches of each phone, for a measurement of some seconds. */
  readonly rounds: number;
  /** Each pair of a phone's batches comes the wrong way round, as where two gateways hear it. */
  readonly isLate?: true;
}

/**
 * Signals of a beacon, one phone after the other, whose times go on: each body is sent once. Nothing is confirmed, as with
 * most of what a phone hears.
 */
async function sightings(running: Running, { size, rounds, isLate }: Walk): Promise<Load> {
  const beacon = {
    name: 'Hall',
    uuid: 'f7826da6-4fa2-4e98-8024-bc5b71e0893e',
    major: 1,
    minor: 1,
    location: { x: 1, y: 1 },
  };
  const [beaconId = ''] = await create(running, [JSON.stringify(beacon)], '/api/v2/beacons');
  const phones = Array.from({ length: 500 }, (_, n) => ({
    installationId: `bench-${size}-${isLate ? 'late-' : ''}${Date.now()}-${n}`,
    deviceType: 'android',
  }));
  const ids = await create(
    running,
    phones.map((phone) => JSON.stringify(phone)),
    '/api/v2/installations',
  );
  // Milliseconds between two samples.
  const step = 20;
  const start = Date.now() - rounds * size * step;
  const bodies = Array.from({ length: rounds }, (_, place) => {
    const round = isLate ? place ^ 1 : place;
    return ids.map((installationId, phone) => {
      const seen = Array.from({ length: size }, (_, n) => ({
        beacon: beaconId,
        rssi: -60 - ((phone + n) % 20),
        occurredAt: new Date(start + (round * size + n) * step).toISOString(),
      }));
      return JSON.stringify({ installationId, sightings: seen });
    });
  }).flat();
  return { method: 'POST', headers: running.app, paths: ['/api/v2/sightings'], bodies, once: true };
}
