/**
 * `npm run bench -- rules [-- 3000 20000]`: what rules cost a list and a get, and whether the time of an answer tells a hidden record from an
 * absent one. So many requests of each kind in turn, through one connection, on a bucket of so many records; on the embedded
 * database and, when PHAROS_TEST_POSTGRES_URL names a server, on PostgreSQL.
 *
 * `-- 3000 20000 costs` or `hidden` asks for one of both only.
 *
 * Costs are the ratio of the median with the rule to that without, with the interval in which 95 of 100 resamplings of the requests fall.
 * For absent and hidden it is the probability that a hidden one takes longer (0.5: no difference) and the p-value of the rank-sum test.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { sql } from '../server/src/base/sql.ts';
import {
  buildApp,
  type DatabaseKind,
  type SignedIn,
  signIn,
  signInManager,
  type TestApp,
} from '../server/test/support/build-app.ts';
import { create } from '../server/test/support/cases.ts';
import { listen } from '../server/test/support/socket.ts';

const [rounds, records] = [Number(process.argv[2] ?? 3_000), Number(process.argv[3] ?? 20_000)];
const part = process.argv[4];
const bucket = '/api/v2/data/bucket/notes';
const declared = { 'metadata.state': 'public' };
const shared = { $or: [{ createdBy: '$auth.userId' }, { 'metadata.state': { $in: ['public', 'shown'] } }] };
/** The records and answers are the same under all of them. */
const kinds = {
  none: 'user',
  owner: 'owner',
  where: declared,
  not: { 'metadata.state': { $ne: 'draft' } },
  either: shared,
} as const;
type Kind = keyof typeof kinds;
/** What no single value decides, for absences only. */
const ranges = {
  range: { 'metadata.level': { $gt: 3 } },
  pattern: { 'metadata.state': { $regex: '^pub' } },
  time: { createdAt: { $gt: { __type: 'Date', iso: '2100-01-01T00:00:00.000Z' } } },
} as const;

interface Side {
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
}

async function open(app: TestApp, rule: unknown): Promise<Side> {
  const { appId, appKey } = await app.app.apps.create('Bench');
  const credentials = { 'x-service-appid': appId, 'x-service-appkey': appKey };
  await app.app.apps.change(appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  await app.app.buckets.createBucket(appId, 'notes');
  const manager = await signInManager(app, credentials);
  const column = { state: { type: 'String' }, level: { type: 'Number' } };
  await create(app, '/api/v2/data/schema/notes', { column }, { ...credentials, ...manager.headers });
  await app.app.idle();
  const user: SignedIn = await signIn(app, credentials);
  const headers = { ...credentials, ...user.headers };
  let id = '';
  for (let n = 0; n < records; n++) {
    const body = { metadata: { state: 'public', level: n % 1_000, title: `Note ${n}`, text: 'x'.repeat(100) } };
    app.clock.now += 1;
    const made = await create(app, bucket, body, headers);
    if (n === records >> 1) id = made;
  }
  const rules = { list: rule, get: rule, create: 'user', update: 'user', delete: 'user' };
  await app.app.apps.changeRules(appId, { buckets: { notes: rules as never } });
  return { headers, id };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** 95 % of the ratios of medians of resampled values. */
function interval(with_: readonly number[], without: readonly number[]): string {
  const draw = (values: readonly number[]) =>
    median(values.map(() => values[Math.floor(Math.random() * values.length)] ?? 0));
  const ratios = Array.from({ length: 200 }, () => draw(with_) / draw(without)).sort((a, b) => a - b);
  return `${ratios[5]?.toFixed(3)} to ${ratios[194]?.toFixed(3)}`;
}

const shuffled = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => [Math.random(), value] as const)
    .sort(([one], [other]) => one - other)
    .map(([, value]) => value);

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** µs from the request to the last byte of the answer, over one connection that stays open. */
async function timed(port: number, path: string, headers: Side['headers'], status = 200): Promise<number> {
  const began = performance.now();
  const sent = request({ host: '127.0.0.1', port, path, headers, agent });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  const took = performance.now() - began;
  if (answer.statusCode !== status) throw new Error(`${path}: ${answer.statusCode}`);
  return took * 1_000;
}

async function costs(app: TestApp, port: number, database: DatabaseKind): Promise<void> {
  const sides = {} as Record<Kind, Side>;
  for (const kind of Object.keys(kinds) as Kind[]) sides[kind] = await open(app, kinds[kind]);
  if (database === 'postgres') await app.storage.db.run(sql`analyze records`);
  const questions: readonly (readonly [string, (side: Side) => string])[] = [
    ['get', ({ id }) => `${bucket}/${id}`],
    ['list of 100', () => `${bucket}?limit=100`],
    [
      'list of 20, newest first, by a column',
      () => `${bucket}?limit=20&order=-createdAt&where={"metadata.state":"public"}`,
    ],
    [
      'list of 20 by two columns',
      () => `${bucket}?limit=20&order=-metadata.level&where={"metadata.state":"public","metadata.level":{"$gte":500}}`,
    ],
  ];
  for (const [what, urlOf] of questions) {
    const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, [] as number[]])) as Record<
      Kind,
      number[]
    >;
    const order = Object.keys(kinds) as Kind[];
    for (let n = -100; n < rounds; n++) {
      // By chance, since who always comes after the same one has its cost too.
      for (const kind of shuffled(order)) {
        const took = await timed(port, encodeURI(urlOf(sides[kind])), sides[kind].headers);
        if (n >= 0) times[kind].push(took);
      }
    }
    const base = median(times.none);
    const ratios = order
      .filter((kind) => kind !== 'none')
      .map((kind) => `${kind} ${(median(times[kind]) / base).toFixed(3)} (${interval(times[kind], times.none)})`);
    console.log(`${database}, ${what}: ${base.toFixed(0)} µs without a rule; ${ratios.join(', ')}`);
  }
}

async function absences(app: TestApp, port: number, database: DatabaseKind): Promise<void> {
  for (const kind of ['owner', 'where', 'either'] as const)
    await absencesUnder(app, port, database, [kind, kinds[kind]]);
  for (const each of Object.entries(ranges)) await absencesUnder(app, port, database, each);
}

async function absencesUnder(
  app: TestApp,
  port: number,
  database: DatabaseKind,
  [kind, rule]: readonly [string, unknown],
): Promise<void> {
  const { headers } = await openHidden(app, rule);
  for (const [what, id] of Object.entries(headers.ids)) {
    // An id as it might have been given at the same time.
    const absent = `${id.slice(0, -1)}${id.endsWith('z') ? 'y' : 'z'}`;
    const [hidden, missing]: [number[], number[]] = [[], []];
    for (let n = -100; n < rounds; n++) {
      const ask = (which: string) => timed(port, `${bucket}/${which}`, headers.ben, 404);
      const [a, b] = n % 2 ? [await ask(id), await ask(absent)] : [await ask(absent), await ask(id)].reverse();
      if (n < 0) continue;
      hidden.push(a ?? 0);
      missing.push(b ?? 0);
    }
    const { probability, p } = rankSum(hidden, missing);
    console.log(
      `${database}, under ${kind}, a hidden record of ${what}: ${median(hidden).toFixed(0)} µs, an absent one ${median(missing).toFixed(0)} µs; ` +
        `hidden takes longer with probability ${probability.toFixed(3)} (p = ${p.toFixed(2)}, ${rounds} each)`,
    );
  }
}

async function openHidden(app: TestApp, rule: unknown) {
  const { appId, appKey } = await app.app.apps.create('Hidden');
  const credentials = { 'x-service-appid': appId, 'x-service-appkey': appKey };
  await app.app.apps.change(appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  await app.app.buckets.createBucket(appId, 'notes');
  const [anna, ben] = [await signIn(app, credentials), await signIn(app, credentials)];
  const manager = await signInManager(app, credentials);
  const column = { state: { type: 'String' }, level: { type: 'Number' } };
  await create(app, '/api/v2/data/schema/notes', { column }, { ...credentials, ...manager.headers });
  await app.app.idle();
  const make = (text: string) =>
    create(app, bucket, { metadata: { state: 'draft', level: 2, text } }, { ...credentials, ...anna.headers });
  const ids = {
    '60 bytes': await make('x'.repeat(40)),
    '5 kB': await make('x'.repeat(5_000)),
    '200 kB': await make('x'.repeat(200_000)),
  };
  const rules = { list: rule, get: rule, create: 'user' };
  await app.app.apps.changeRules(appId, { buckets: { notes: rules as never } });
  return { headers: { ids, ben: { ...credentials, ...ben.headers } } };
}

/** Mann and Whitney's: the probability that one of the first is larger, and by chance at least so far from a half. */
function rankSum(first: readonly number[], second: readonly number[]) {
  const all = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false })),
  ];
  all.sort((a, b) => a.value - b.value);
  const [n, m] = [first.length, second.length];
  const ranks = all.reduce((sum, { isFirst }, place) => sum + (isFirst ? place + 1 : 0), 0);
  const u = ranks - (n * (n + 1)) / 2;
  const z = Math.abs(u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  return { probability: u / (n * m), p: 2 * (1 - normal(z)) };
}

/** The cumulative normal distribution (Abramowitz and Stegun 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}

const databases: readonly DatabaseKind[] = process.env['PHAROS_TEST_POSTGRES_URL']
  ? ['sqlite', 'postgres']
  : ['sqlite'];
for (const database of databases) {
  const app = await buildApp({ database, settings: { PHAROS_LOG_LEVEL: 'silent' } });
  try {
    const port = await listen(app);
    if (part !== 'costs') await absences(app, port, database);
    if (part !== 'hidden') await costs(app, port, database);
  } finally {
    agent.destroy();
    await app.close();
  }
}
