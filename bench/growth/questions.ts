import type { Load } from '../compare/load.ts';
import { type Workload, workloads, workloadTitles } from '../compare/target.ts';
import type { PharosTarget } from '../compare/targets/pharos.ts';
import type { Filled } from './fill.ts';
import { storedName, type Timeline } from './rows.ts';

/**
 * The questions to each service: the workloads of `npm run bench`, and the lists of everything that grows with the use
 * of an app.
 */

export interface Question {
  readonly title: string;
  /** What its time depends on. */
  readonly of: 'records' | 'traces';
  /** The service makes it fast after a while, because it is asked often. */
  readonly isLearned?: boolean;
  load(service: PharosTarget, filled: Filled): Promise<Load>;
}

const kinds = 200;
const spread = (line: Timeline) =>
  Array.from({ length: kinds }, (_, n) => Math.floor((n * line.total) / kinds) + (n % 7));
const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
const date = (time: number) => ({ __type: 'Date', iso: new Date(time).toISOString() });

type Query = Readonly<Record<string, string | number | object>>;

function address(path: string, query: Query): string {
  const texts = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  return `/api/v2${path}?${new URLSearchParams(texts as [string, string][])}`;
}

/** GET with a query for each of some numbers that are spread over all rows. */
function list(
  title: string,
  of: Question['of'],
  path: string,
  query: (line: Timeline, n: number, filled: Filled) => Query,
): Question {
  return {
    title: `${path}: ${title}`,
    of,
    load: async ({ headers }, filled) => ({
      method: 'GET',
      headers,
      paths: spread(filled[of]).map((n) => address(path, query(filled[of], n, filled))),
    }),
  };
}

function get(path: string, of: Question['of'], idOf = (line: Timeline, n: number) => line.id(n)): Question {
  return {
    title: `${path}: one`,
    of,
    load: async ({ headers }, filled) => ({
      method: 'GET',
      headers,
      paths: spread(filled[of]).map((n) => `/api/v2${path}/${idOf(filled[of], n)}`),
    }),
  };
}

const hundred = { limit: 100 };
const twenty = { limit: 20 };
const newest = { ...hundred, order: '-createdAt' };

const recordLists: readonly Question[] = [
  ...['/data/bucket/Sightings', '/installations', '/users', '/files', '/beacons'].flatMap((path) => [
    list('100 oldest', 'records', path, () => hundred),
    list('100 newest', 'records', path, () => newest),
  ]),
  list('newest of one species, 20', 'records', '/data/bucket/Sightings', (_line, n) => ({
    ...twenty,
    order: '-createdAt',
    where: { 'metadata.species': `Species ${n % 50}` },
  })),
  get('/installations', 'records'),
  list('by installationId', 'records', '/installations', (_line, n) => ({ where: { installationId: `client-${n}` } })),
  list('of one platform, newest 20', 'records', '/installations', () => ({
    ...twenty,
    order: '-createdAt',
    where: { deviceType: 'ios' },
  })),
  get('/files', 'records'),
  list('by name', 'records', '/files', (_line, n) => ({ where: { name: storedName(n) } })),
  get('/beacons', 'records'),
  list('by major and minor', 'records', '/beacons', (_line, n) => ({
    where: { major: Math.floor(n / 65_536), minor: n % 65_536 },
  })),
];

/** The member whose times a list is filtered by. */
const times = { '/logs': 'createdAt', '/events': 'occurredAt', '/visits': 'enteredAt' } as const;

const traceLists = Object.entries(times).flatMap(([path, time]): readonly Question[] => {
  const between = (line: Timeline, n: number) => ({
    $gte: date(line.at(n)),
    $lt: date(line.at(n) + (20 * 86_400_000 * 2000) / line.total),
  });
  const beacon = ({ records }: Filled, n: number) => pointer('Beacon', records.some(n % 500));
  const installation = ({ records }: Filled, n: number) => pointer('_Installation', records.some(n));
  return [
    ...(path === '/logs' ? [] : [get(path, 'traces')]),
    list('100 newest', 'traces', path, () => hundred),
    list(`100 newest by ${time}`, 'traces', path, () => ({ ...hundred, order: `-${time}` })),
    // One of 500, so that even the smallest service has as many.
    list('20 newest of a beacon', 'traces', path, (_line, n, filled) => ({
      ...twenty,
      where: { beaconId: beacon(filled, n) },
    })),
    list('20 of a beacon in half of all time', 'traces', path, (line, n, filled) => ({
      ...twenty,
      where: { beaconId: beacon(filled, n), [time]: { $gte: date(line.at(line.total / 2)) } },
    })),
    list('of an installation', 'traces', path, (_line, n, filled) => ({
      ...hundred,
      where: { installationId: installation(filled, n) },
    })),
    list('100 of a stretch of time', 'traces', path, (line, n) => ({
      ...hundred,
      where: { [time]: between(line, n) },
    })),
    list('a beacon in a stretch of time', 'traces', path, (line, n, filled) => ({
      ...hundred,
      where: { beaconId: beacon(filled, n), [time]: between(line, n) },
    })),
  ];
});

/** What the comparison with other services sends. */
function asCompared(workload: Workload): Question {
  return {
    title: workloadTitles[workload],
    of: 'records',
    isLearned: workload === 'filter-free',
    async load(service, filled) {
      const load = (await service.load(workload)) as Load;
      if (workload !== 'sign-in') return load;
      const bodies = spread(filled.records).map((n) =>
        JSON.stringify({ email: `visitor${n}@example.org`, password: filled.password }),
      );
      return { ...load, bodies };
    },
  };
}

const readsOnly = workloads.indexOf('update');

/** Reads first. A push walks over all installations after it was accepted, so it comes last. */
export const questions: readonly Question[] = [
  ...workloads.slice(0, readsOnly).map(asCompared),
  ...recordLists,
  ...traceLists,
  ...workloads.slice(readsOnly).map(asCompared),
];
