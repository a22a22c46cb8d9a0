/**
 * Fails the cluster of cluster.sh over again and again under load, and says what clients of two Pharos nodes saw:
 *
 *   node deploy/ha/fail-over.mjs FOLDER [ROUNDS]
 *
 * Faults come in turn: the primary's PostgreSQL is killed, its host disappears from the network for half a minute, and a
 * switch-over is asked for. Each acknowledged record is looked for at the end.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? '/var/tmp/pharos-ha';
const rounds = Number(process.argv[3] ?? 10);
const database =
  process.env.PHAROS_DATABASE_URL ?? 'postgres://postgres:secret@10.77.0.1:5000/pharos?target_session_attrs=read-write';
const pharos = fileURLToPath(new URL('../../server/bin/pharos.mjs', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'pharos-ha-'));
const clients = 4;
const pauseMs = 50;
const patienceMs = 180_000;

const env = {
  PATH: process.env.PATH,
  PHAROS_DATABASE_URL: database,
  PHAROS_DATABASE_POOL: '5',
  PHAROS_SECRET_KEY: 'ab'.repeat(32),
  PHAROS_LOG_LEVEL: 'error',
  PHAROS_MIN_FREE_BYTES: '0',
};

const shell = (command, ...words) =>
  execFileSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const run = (...words) => execFileSync(process.execPath, [pharos, ...words], { encoding: 'utf8', env });
const sql = (text) => shell('psql', database.replace(/\?.*/, ''), '-Atqc', text);

async function members() {
  for (const n of [1, 2]) {
    const answer = await fetch(`http://10.77.0.1${n}:8008/cluster`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    if (answer?.ok) return (await answer.json()).members;
  }
  return [];
}

/** A primary and a synchronous standby. */
async function healthy() {
  for (const end = Date.now() + patienceMs; Date.now() < end; await delay(500)) {
    const known = await members();
    const leader = known.find(({ role, state }) => role === 'leader' && state === 'running');
    if (leader && known.some(({ role, state }) => role === 'sync_standby' && /running|streaming/.test(state)))
      return leader.name;
  }
  throw new Error('The cluster has no primary and synchronous standby.');
}

const faults = {
  async kill(leader) {
    const [number] = shell('head', '-1', join(folder, leader, 'postmaster.pid')).split('\n');
    process.kill(Number(number), 'SIGKILL');
  },
  async host(leader) {
    const link = `pharos-ha-v${leader.slice(2)}`;
    shell('ip', 'link', 'set', link, 'down');
    setTimeout(() => shell('ip', 'link', 'set', link, 'up'), 30_000);
  },
  async switchover(leader) {
    await fetch(`http://10.77.0.1${leader.slice(2)}:8008/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader }),
      signal: AbortSignal.timeout(60_000),
    }).catch(() => undefined);
  },
};

function startNode(number) {
  const child = spawn(process.execPath, [pharos, 'serve', '--port', '0', '--data', join(data, `node${number}`)], {
    env,
  });
  return new Promise((resolve, reject) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += text;
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
        if (url) resolve({ url, child });
      });
    child.once('exit', (code) => reject(new Error(`A node ended with ${code}: ${said.slice(-2_000)}`)));
  });
}

const nodes = [await startNode(1), await startNode(2)];
let isOver = false;
const acknowledged = [];
const answers = { created: 0, refused: 0, unknown: 0, other: [] };
try {
  const { appId, appKey } = JSON.parse(run('app', 'create', '--name', 'Trial', '--json'));
  run('app', 'limit', '--app', appId, '--off');
  const credentials = { 'x-service-appid': appId, 'x-service-appkey': appKey, 'content-type': 'application/json' };
  const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'open sesame' };
  const post = (path, body, headers, node = 0) =>
    fetch(`${nodes[node].url}/api/v2${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
  await post('/users', account, credentials);
  const { accessToken } = await (await post('/users/signin', account, credentials)).json();
  const headers = { ...credentials, authorization: `Bearer ${accessToken}` };
  const load = async (client) => {
    for (let count = 0; !isOver; count++) {
      const body = { name: `b${client}`, uuid: crypto.randomUUID(), major: client, minor: count % 65_536 };
      try {
        const answer = await post('/beacons', body, headers, client % 2);
        const text = await answer.text();
        if (answer.status === 201) {
          acknowledged.push({ id: JSON.parse(text).result.objectId, at: performance.now() });
          answers.created++;
        } else if (answer.status === 503) answers[/unknown whether/.test(text) ? 'unknown' : 'refused']++;
        else answers.other.push(`${answer.status} ${text.slice(0, 200)}`);
      } catch (error) {
        answers.other.push(String(error.cause ?? error));
      }
      await delay(pauseMs);
    }
  };
  const running = Array.from({ length: clients }, (_, client) => load(client));
  const gaps = [];
  for (let round = 0; round < rounds; round++) {
    const kind = Object.keys(faults)[round % 3];
    const leader = await healthy();
    await delay(2_000);
    const begun = performance.now();
    await faults[kind](leader);
    for (const end = Date.now() + patienceMs; Date.now() < end; await delay(250)) {
      const known = await members();
      if (
        known.some(({ role, name }) => role === 'leader' && name !== leader) &&
        acknowledged.at(-1).at > begun + 1_000
      )
        break;
    }
    if (kind === 'host') await delay(31_000);
    const now = await healthy();
    await delay(2_000);
    const times = acknowledged
      .map(({ at }) => at)
      .filter((at) => at > begun - 1_000)
      .sort((a, b) => a - b);
    const gap = Math.max(...times.slice(1).map((at, index) => at - times[index]));
    gaps.push({ kind, gap });
    console.log(
      `${round + 1}. ${kind}: ${leader} -> ${now}, longest time without a stored record ${(gap / 1000).toFixed(1)} s`,
    );
  }
  isOver = true;
  await Promise.all(running);
  const stored = new Set(sql(`select object_id from beacons where app_id = '${appId}'`).split('\n'));
  const lost = acknowledged.filter(({ id }) => !stored.has(id));
  const sorted = gaps.map(({ gap }) => gap).sort((a, b) => a - b);
  const p95 = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.95) - 1)];
  console.log(
    JSON.stringify({
      rounds,
      acknowledged: acknowledged.length,
      lost: lost.length,
      refused: answers.refused,
      unknown: answers.unknown,
      other: answers.other.slice(0, 5),
      gapSeconds: { median: +(sorted[sorted.length >> 1] / 1000).toFixed(1), p95: +(p95 / 1000).toFixed(1) },
    }),
  );
  process.exitCode = lost.length === 0 && answers.other.length === 0 ? 0 : 1;
} finally {
  isOver = true;
  for (const { child } of nodes) child.kill('SIGTERM');
  rmSync(data, { recursive: true, force: true });
}
