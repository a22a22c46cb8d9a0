import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../socket.ts';

const mosquittoPath = process.env['PHAROS_TEST_MOSQUITTO'] ?? '';

export interface Mosquitto {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  stop(): Promise<void>;
  /** Ends it as an operator does, so that it writes what it has, and starts it again. */
  restart(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Mosquitto on a free port, which lets in one user. `isPersistent`: it keeps sessions over a restart. */
export async function startMosquitto({ isPersistent = false } = {}): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-mosquitto-'));
  const port = await freePort();
  const [username, password] = ['pharos', 'open sesame'];
  const passwords = join(folder, 'passwords');
  const made = spawnSync('mosquitto_passwd', ['-b', '-c', passwords, username, password]);
  if (made.status !== 0) throw new Error(`mosquitto_passwd failed: ${String(made.stderr)}`);
  const config = join(folder, 'mosquitto.conf');
  const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous false', `password_file ${passwords}`, 'user root'];
  if (isPersistent) lines.push('persistence true', `persistence_location ${folder}/`, 'max_queued_messages 0');
  writeFileSync(config, `${lines.join('\n')}\n`);
  chmodSync(folder, 0o755);
  let child: ChildProcess;

  async function start(): Promise<void> {
    child = spawn(mosquittoPath, ['-c', config, '-v'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    for await (const chunk of child.stderr ?? []) {
      said += String(chunk);
      if (said.includes(' running')) return void child.stderr?.resume();
    }
    throw new Error(`Mosquitto did not start: ${said}`);
  }

  async function stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  await start();
  return {
    url: `mqtt://127.0.0.1:${port}`,
    username,
    password,
    start,
    stop: () => stop(),
    async restart() {
      await stop('SIGTERM');
      await start();
    },
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
