/**
 * `npm run bench:kills [-- 30 nats]`: kills one of three nodes on PostgreSQL with -9, that many times, while phones
 * walk past beacons and clients write records, over a bus or without one (`none`). Whoever gets no answer asks another
 * node the same again, as apps do. Then counts what was lost and what happened twice; ends with 1 if there is any.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { service as byService } from '../server/src/access/audit.ts';
import { createServices } from '../server/src/app/services.ts';
import { openDatabase } from '../server/src/cli/commands/storage.ts';
import { readConfig } from '../server/src/config/config.ts';
import { preparePushApp, type Service, signInManagerTo, startService } from '../server/test/e2e/service.ts';
import { startPushProvider } from '../server/test/fakes/push-provider.ts';

const kills = Number(process.argv[2] ?? 30);
const bus = process.argv[3] ?? 'none';
const nodeCount = 3;
const phoneCount = 24;
const writers = 6;
/** Long enough to be an ENTER, whichever second a node is killed in. */
const staySeconds = 8;
const batchSeconds = 2;
/** Phones get to know them before they come there. */
const hallsAhead = 10;
const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';

type Headers = Readonly<Record<string, string>>;
interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  readonly body: any;
}

const nodes: (Service | undefined)[] = [];
let asked = 0;
let unanswered = 0;
let busy = 0;

/** Asks one node after the other until one answers something final. */
async function insist(method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> {
  for (let n = Math.floor(Math.random() * nodeCount); ; n++) {
    const node = nodes[n % nodeCount];
    if (!node) {
      await delay(5);
      continue;
    }
    asked++;
    try {
      const response = await fetch(node.baseUrl + path, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await response.text();
      if (response.status < 500 && response.status !== 429)
        return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
      busy++;
      await delay(20);
    } catch {
      unanswered++;
      await delay(20);
    }
  }
}

async function expect(status: number, ...request: Parameters<typeof insist>): Promise<Answer['body']> {
  const answer = await insist(...request);
  if (answer.status !== status) throw new Error(`${request[0]} ${request[1]}: ${JSON.stringify(answer)}`);
  return answer.body;
}

async function readAll(path: string, headers: Headers): Promise<readonly Answer['body'][]> {
  const all: Answer['body'][] = [];
  for (let last = ''; ; ) {
    const where = encodeURIComponent(JSON.stringify({ objectId: { $gt: last } }));
    const { results } = await expect(200, 'GET', `${path}?limit=1000&order=objectId&where=${where}`, headers);
    all.push(...results);
    if (results.length < 1000) return all;
    last = results.at(-1).objectId;
  }
}

/** A script's module, which has no declarations. */
const script = (name: string) => import(new URL(`../scripts/${name}.mjs`, import.meta.url).href);

async function startBus() {
  process.env['PHAROS_TEST_NATS'] = (await script('test-nats')).ensureNats() ?? '';
  const { startNats } = await import('../server/test/support/servers/nats.ts');
  return startNats();
}

const folder = mkdtempSync(join(tmpdir(), 'pharos-kills-'));
const postgres: { readonly url: string; stop(): Promise<void> } = await (await script('test-postgres')).startPostgres({
  durable: true,
});
const provider = await startPushProvider({ quiet: true });
const nats = bus === 'nats' ? await startBus() : undefined;
writeFileSync(join(folder, 'ca.pem'), provider.ca);
const settings: Readonly<Record<string, string>> = {
  PHAROS_DATABASE_URL: postgres.url,
  PHAROS_SECRET_KEY: 'cd'.repeat(32),
  PHAROS_PUSH_URL: provider.origin,
  PHAROS_PUSH_CA: join(folder, 'ca.pem'),
  PHAROS_JOB_LEASE_MS: '2000',
  PHAROS_DATA: folder,
  ...(nats ? { PHAROS_BUS_URL: nats.url } : {}),
};

/** By token: the ids of the deliveries of each message that arrived there. */
const wire = new Map<string, Map<string, Set<string>>>();
const { answer } = provider.fcm;
provider.fcm.answer = (exchange) => {
  if (exchange.path !== '/token') {
    const { token, notification, data } = JSON.parse(String(exchange.body)).message;
    const of = wire.get(token) ?? new Map<string, Set<string>>();
    wire.set(token, of);
    const title = String(notification?.title ?? data.title);
    of.set(title, (of.get(title) ?? new Set()).add(data.deliveryId));
  }
  return answer(exchange);
};

const names = Array.from({ length: phoneCount }, (_, n) => `phone-${n}`);
let isOver = false;
/** Of each phone, how many beacons it has stood at. */
const stays = new Map<string, number>();
const acknowledged = new Map<string, string>();
let written = 0;
/** So many beacons have their message. */
let halls = 0;

async function walkPast(name: string, credentials: Headers): Promise<void> {
  for (let minor = 1; !isOver; minor++) {
    while (minor > halls && !isOver) await delay(100);
    for (let second = 0; second < staySeconds; second += batchSeconds) {
      await delay(batchSeconds * 1000);
      const now = Date.now();
      const sightings = Array.from({ length: batchSeconds * 2 }, (_, n) => ({
        uuid,
        major: 1,
        minor,
        rssi: -59,
        occurredAt: now - (batchSeconds * 2 - 1 - n) * 500,
      }));
      await expect(200, 'POST', '/api/v2/sightings', credentials, { installationId: name, sightings });
    }
    stays.set(name, minor);
  }
}

async function write(writer: number, headers: Headers): Promise<void> {
  while (!isOver) {
    const key = `${writer}-${written++}`;
    const once = { ...headers, 'idempotency-key': key };
    const body = { metadata: { key, check: key } };
    const { result } = await expect(201, 'POST', '/api/v2/data/bucket/kept', once, body);
    acknowledged.set(key, result.objectId);
    await delay(10);
  }
}

/** A beacon with a message for whoever comes to it. */
async function addHall(minor: number, headers: Headers): Promise<void> {
  const beacon = { name: `Hall ${minor}`, uuid, major: 1, minor };
  const { result } = await expect(201, 'POST', '/api/v2/beacons', headers, beacon);
  await expect(201, 'POST', '/api/v2/notifications', headers, {
    description: 'Welcome',
    beaconId: { __type: 'Pointer', className: 'Beacon', objectId: result.objectId },
    event: 'ENTER',
    type: 'TEXT',
    message: { alertTitle: `Hall ${minor}`, alertMessage: 'Welcome' },
    isEnabled: true,
  });
  halls = minor;
}

/** However long the kills take, nobody comes to the end of the halls. */
async function buildAhead(headers: Headers): Promise<void> {
  for (let minor = hallsAhead + 1; !isOver; ) {
    if (minor <= Math.max(0, ...stays.values()) + hallsAhead) await addHall(minor++, headers);
    else await delay(200);
  }
}

async function killOne(n: number): Promise<void> {
  const place = n % nodeCount;
  const node = nodes[place];
  // Its clients still ask it; the connection breaks.
  await delay(300 + Math.random() * 1500);
  await node?.stop('SIGKILL');
  nodes[place] = undefined;
  nodes[place] = await startService(settings);
}

/** Every beacon for itself, since nobody walks away from one; no limit of requests. */
async function openToMany(appId: string): Promise<void> {
  const db = await openDatabase(readConfig(settings));
  try {
    const { apps } = createServices({ db, now: Date.now });
    const { policy } = await apps.get(appId);
    await apps.change(
      appId,
      { policy: { oneZone: false, rateLimit: { ...policy.rateLimit, enabled: false } } },
      byService,
    );
  } finally {
    await db.close();
  }
}

const problems: string[] = [];
const count = { visits: 0, events: 0, deliveries: 0, records: 0, late: 0 };

/** What each phone must have: at each beacon one ENTER, in the order of its way, and one message. */
async function checkPhones(headers: Headers): Promise<void> {
  const events = (await readAll('/api/v2/events', headers)).filter(({ event }) => event === 'ENTER');
  const visits = await readAll('/api/v2/visits', headers);
  const deliveries = await readAll('/api/v2/deliveries', headers);
  Object.assign(count, { visits: visits.length, events: events.length, deliveries: deliveries.length });
  const places = new Map((await readAll('/api/v2/beacons', headers)).map(({ objectId, minor }) => [objectId, minor]));
  const verdicts = await readAll('/api/v2/verdicts', headers);
  const of = (all: readonly Answer['body'][], name: string) =>
    all.filter(({ installationId }) => installationId.objectId === name);
  for (const name of names) {
    const way = Array.from({ length: stays.get(name) ?? 0 }, (_, n) => n + 1);
    const entered = of(events, name)
      .sort((a, b) => Date.parse(a.occurredAt) - Date.parse(b.occurredAt))
      .map(({ beaconId }) => places.get(beaconId.objectId))
      .filter((minor) => minor <= way.length);
    if (entered.join() !== way.join()) problems.push(`${name} entered ${entered.join()} instead of 1 to ${way.length}`);
    const visited = of(visits, name).map(({ beaconId }) => places.get(beaconId.objectId));
    for (const minor of way) {
      const times = visited.filter((one) => one === minor).length;
      if (times !== 1) problems.push(`${name} has ${times} visits of ${minor}`);
      const shown = wire.get(provider.fcm.tokenFor(name))?.get(`Hall ${minor}`)?.size ?? 0;
      const why = of(verdicts, name).find(({ beaconId }) => places.get(beaconId.objectId) === minor)?.reason;
      // A machine that stood still for two minutes: what is reported later than that is no longer shown.
      if (shown === 0 && why === 'stale') count.late++;
      else if (shown !== 1) problems.push(`${name} was shown the message of ${minor} ${shown} times (${why})`);
    }
  }
  for (const { state, objectId } of deliveries) if (state !== 'sent') problems.push(`delivery ${objectId} is ${state}`);
}

async function checkRecords(headers: Headers): Promise<void> {
  const records = await readAll('/api/v2/data/bucket/kept', headers);
  count.records = records.length;
  const keys = records.map(({ metadata }) => metadata.key);
  const ids = new Set(records.map(({ objectId }) => objectId));
  for (const [key, id] of acknowledged) if (!ids.has(id)) problems.push(`the acknowledged record ${key} is lost`);
  if (new Set(keys).size !== keys.length) problems.push(`${keys.length - new Set(keys).size} records are there twice`);
}

try {
  const credentials = await preparePushApp(settings, provider, names);
  await openToMany(credentials['x-service-appid'] ?? '');
  for (let n = 0; n < nodeCount; n++) nodes.push(await startService(settings));
  const [first] = nodes;
  if (!first) throw new Error('no node has started');
  const headers = await signInManagerTo(first, settings, credentials);
  await expect(201, 'POST', '/api/v2/data/schema/kept', headers, { column: { key: { type: 'String' } } });
  for (let minor = 1; minor <= hallsAhead; minor++) await addHall(minor, headers);
  const work = [
    ...names.map((name) => walkPast(name, credentials)),
    ...Array.from({ length: writers }, (_, writer) => write(writer, headers)),
    buildAhead(headers),
  ];
  const failed = Promise.all(work).then(() => undefined);
  failed.catch(() => undefined);
  for (let n = 0; n < kills; n++) {
    await Promise.race([killOne(n), failed]);
    if ((n + 1) % 5 === 0) console.log(`${n + 1} kills, ${acknowledged.size} records`);
  }
  isOver = true;
  await failed;
  // What a dead node had begun is taken over after its lease, and messages wait for their next try.
  await delay(15_000);
  await checkPhones(headers);
  await checkRecords(headers);
  console.log(`${kills} kills of ${nodeCount} nodes, bus: ${bus}`);
  console.log(`${asked} requests, ${unanswered} without an answer, ${busy} asked to come again`);
  console.log(count);
  for (const problem of problems.slice(0, 40)) console.log(problem);
  console.log(problems.length === 0 ? 'nothing lost, nothing twice' : `${problems.length} problems`);
} finally {
  for (const node of nodes) await node?.stop('SIGKILL');
  await provider.close();
  await nats?.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(problems.length === 0 ? 0 : 1);
