/**
 * `npm run bench -- following [1000 100]`: so many listeners to lists on one node, and the time from a change to its arrival, in so
 * many changes: with listeners who are all answered the same, and with as many users who each list their own. The listeners are a
 * process of their own. Then what noting writes costs where nobody listens: the ratio of the times of inserts with and without it, and
 * the interval in which 90 of 100 rounds fall. On the embedded database and, when PHAROS_TEST_POSTGRES_URL names a server, on PostgreSQL.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { newObjectId } from '../server/src/base/id.ts';
import { sql } from '../server/src/base/sql.ts';
import type { Db } from '../server/src/db/db.ts';
import { watchWrites } from '../server/src/db/writes/watched-database.ts';
import { buildApp, type DatabaseKind, openStorage, type SignedIn, signIn } from '../server/test/support/build-app.ts';
import { followList } from '../server/test/support/list-stream.ts';
import { listen } from '../server/test/support/socket.ts';

const [listeners, changes] = [Number(process.argv[2] ?? 1_000), Number(process.argv[3] ?? 100)];
const bucket = 'guestbook';

interface Task {
  readonly port: number;
  readonly path: string;
  readonly headers: readonly Readonly<Record<string, string>>[];
}

/** The listeners' process: answers `ready`, and then on request how long changes took, in milliseconds. */
async function listenAll({ port, path, headers }: Task): Promise<void> {
  const times: number[] = [];
  for (let at = 0; at < headers.length; at += 50)
    await Promise.all(
      headers.slice(at, at + 50).map(async (each) => {
        const stream = await followList(port, path, each);
        if (stream.status !== 200) throw new Error(`refused with ${stream.status}`);
        await stream.until(({ events }) => events.length > 0);
        let seen = stream.events.length;
        void stream.until(({ events }) => {
          for (const { event, data } of events.slice(seen))
            if (event === 'entered') times.push(Date.now() - data.result.metadata.sentAt);
          seen = events.length;
          return false;
        });
      }),
    );
  process.send?.('ready');
  process.on('message', () => process.send?.(times.splice(0)));
}

const nextFrom = async (child: ChildProcess) => ((await once(child, 'message')) as [unknown])[0];
const share = (values: readonly number[], part: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

async function measure(database: DatabaseKind, isOwn: boolean): Promise<void> {
  const settings = { PHAROS_TRUST_PROXY: '127.0.0.1', PHAROS_CONNECTIONS_PER_ADDRESS: '100000' };
  const app = await buildApp({ database, settings });
  await app.app.apps.change(app.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  await app.app.buckets.createBucket(app.appId, bucket);
  const rules = { list: isOwn ? 'owner' : 'app', create: 'user' } as const;
  await app.app.apps.changeRules(app.appId, { buckets: { [bucket]: rules } });
  const people: SignedIn[] = [];
  for (let n = 0; n < (isOwn ? listeners : 1); n++) people.push(await signIn(app));
  const headers = Array.from({ length: listeners }, (_, n) => ({
    ...app.credentials,
    ...(isOwn ? people[n]?.headers : {}),
    'x-forwarded-for': `10.${n >> 8}.${n & 255}.1`,
  }));
  const port = await listen(app);
  const query = new URLSearchParams({ list: `data/bucket/${bucket}`, order: '-createdAt', limit: '20' });
  const child = fork(import.meta.filename, ['listen']);
  child.send({ port, path: `/api/v2/stream?${query}`, headers } satisfies Task);
  await nextFrom(child);
  for (let n = 0; n < changes; n++) {
    const by = people[n % people.length] as SignedIn;
    const body = { metadata: { sentAt: Date.now(), text: `Note ${n} ${'x'.repeat(100)}` } };
    const answer = await app.send({ method: 'POST', url: `/api/v2/data/bucket/${bucket}`, headers: by.headers, body });
    if (answer.status !== 201) throw new Error(answer.raw.toString());
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  child.send('times');
  const times = (await nextFrom(child)) as number[];
  const what = isOwn ? 'each her own' : 'all the same';
  const figures = [0.5, 0.95, 0.99].map((part) => `${Math.round(part * 100)} % ${share(times, part)} ms`);
  const memory = Math.round(process.memoryUsage().rss / 1e6);
  process.stdout.write(
    `${database}, ${listeners} listeners, ${what}: ${times.length} arrivals, ${figures.join(', ')}, ${memory} MB\n`,
  );
  child.kill();
  await app.close();
}

async function measureWrites(database: DatabaseKind): Promise<void> {
  const storage = await openStorage(database);
  const noted = watchWrites(storage.db, {
    listener: { isIdle: true, settling: undefined, wants: () => false, note: async () => undefined },
  });
  const insert = (db: Db) =>
    db.run(sql`insert into live_events (app_id, object_id, event, data, created_at)
      values ('bench', ${newObjectId(Date.now())}, 'none', '{}', 0)`);
  const timeOf = async (db: typeof noted) => {
    const begun = performance.now();
    for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: 100 }, () => db.transaction(insert)));
    return performance.now() - begun;
  };
  await storage.db.run(sql`insert into live_apps (app_id, wanted_until, seq, floor_seq) values ('bench', 0, 0, 0)`);
  const ratios: number[] = [];
  for (let n = 0; n < 24; n++) {
    const isFirst = n % 2 === 0;
    const [one, other] = [await timeOf(isFirst ? noted : storage.db), await timeOf(isFirst ? storage.db : noted)];
    if (n >= 4) ratios.push(isFirst ? one / other : other / one);
  }
  const shown = [0.5, 0.05, 0.95].map((part) => share(ratios, part).toFixed(3));
  process.stdout.write(`${database}, writes without listeners: ${shown[0]} times (${shown[1]} to ${shown[2]})\n`);
  await storage.close();
}

if (process.argv[2] === 'listen') process.once('message', (task: Task) => void listenAll(task));
else
  for (const database of [
    'sqlite',
    ...(process.env['PHAROS_TEST_POSTGRES_URL'] ? ['postgres'] : []),
  ] as DatabaseKind[]) {
    await measureWrites(database);
    await measure(database, false);
    await measure(database, true);
  }
