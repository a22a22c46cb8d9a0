/**
 * What apps in which nothing happens cost: statements and seconds of the hourly sweeps and of one check of what needs a person, and how many
 * requests are answered meanwhile.
 *
 *     npm run bench:idle-apps [-- sqlite|postgres [number of apps]]
 */
import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { buildApp, type DatabaseKind, signInManager } from '../../server/test/support/build-app.ts';
import { watchStatements } from '../../server/test/support/statements.ts';

const [kind = 'sqlite', count = '2000'] = process.argv.slice(2);
const { startPostgres } = await import(new URL('../../scripts/test/postgres.mjs', import.meta.url).href);
const postgres: { readonly url: string; stop(): Promise<void> } | undefined =
  kind === 'postgres' ? await startPostgres() : undefined;
if (postgres) process.env['PHAROS_TEST_POSTGRES_URL'] = postgres.url;
const service = await buildApp({ database: kind as DatabaseKind });
const { app, clock } = service;
for (let n = 0; n < Number(count); n++) await app.apps.create(`Idle ${n}`);

async function round(): Promise<void> {
  app.sweep();
  await app.idle();
  await app.look();
  await app.idle();
  clock.now += 3_600_000;
}
await app.apps.change(service.appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
const { headers } = await signInManager(service);
// The first time, states are made.
await round();

const statements = watchStatements(service.storage.db, { pulses: true });
let answered = 0;
let isOver = false;
const requests = Array.from({ length: 4 }, async () => {
  while (!isOver) {
    const { status } = await service.send({ method: 'GET', url: '/api/v2/beacons?limit=1', headers });
    if (status !== 200) throw new Error(`An answer was ${status}.`);
    answered++;
    // One process answers and works: both have their turns.
    await nextTick();
  }
});

async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const [began, before] = [performance.now(), answered];
  statements.take();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  const own = answered - before;
  // A request reads the list with one statement.
  const sent = Math.max(0, statements.take().length - own);
  process.stdout.write(
    `${kind}, ${count} apps, ${what}: ${sent} statements, ${seconds.toFixed(2)} s, ${Math.round(own / seconds)} answers a second\n`,
  );
}

await delay(1_000);
await measure('nothing', () => delay(5_000));
await measure('sweeps', async () => {
  app.sweep();
  await app.idle();
});
clock.now += 600_000;
await measure('check', async () => {
  await app.look();
  await app.idle();
});
await measure('nothing', () => delay(5_000));
isOver = true;
await Promise.all(requests);
await service.close();
await postgres?.stop();
process.exit(0);
