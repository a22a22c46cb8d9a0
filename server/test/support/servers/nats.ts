import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../socket.ts';
import type { Mosquitto } from './mosquitto.ts';

const natsPath = process.env['PHAROS_TEST_NATS'] ?? '';
const [username, password] = ['pharos', 'open sesame'];

export interface Nats {
  readonly url: string;
  /** Kills it. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A NATS server on a free port, which lets in one user. */
export async function startNats(): Promise<Nats> {
  const port = await freePort();
  const server = await runNats(['-a', '127.0.0.1', '-p', String(port), '--user', username, '--pass', password]);
  return { ...server, url: `nats://pharos:open%20sesame@127.0.0.1:${port}` };
}

/** A NATS server as an MQTT broker, which speaks 3.1.1 only, and keeps sessions over a restart. */
export async function startNatsBroker(): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-nats-'));
  const port = await freePort();
  const config = join(folder, 'nats.conf');
  // What was not acknowledged comes again after this time.
  const mqtt = `{ listen: "127.0.0.1:${port}", ack_wait: "1s" }`;
  writeFileSync(
    config,
    `server_name: pharos, listen: "127.0.0.1:${await freePort()}", jetstream { store_dir: "${folder}" }, mqtt ${mqtt}
     authorization { user: "${username}", password: "${password}" }`,
  );
  const server = await runNats(['-c', config]);
  return {
    ...{ url: `mqtt://127.0.0.1:${port}`, username, password, start: server.start },
    stop: () => server.stop(),
    async restart() {
      await server.stop('SIGTERM');
      await server.start();
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function runNats(options: readonly string[]) {
  let child: ChildProcess;

  async function start(): Promise<void> {
    child = spawn(natsPath, options, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    // It goes on writing there, and ends if nobody reads.
    for await (const chunk of child.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
      said += String(chunk);
      if (said.includes('Server is ready')) return void child.stderr?.resume();
    }
    throw new Error(`The NATS server did not start: ${said}`);
  }

  async function stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  await start();
  return { start, stop };
}
