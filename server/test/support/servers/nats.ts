import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../socket.ts';

const natsPath = process.env['PHAROS_TEST_NATS'] ?? '';

export interface Nats {
  readonly url: string;
  /** Kills it. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A NATS server on a free port, which lets in one user. */
export async function startNats(): Promise<Nats> {
  const port = await freePort();
  let child: ChildProcess;

  async function start(): Promise<void> {
    const options = ['-a', '127.0.0.1', '-p', String(port), '--user', 'pharos', '--pass', 'open sesame'];
    child = spawn(natsPath, options, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    for await (const chunk of child.stderr ?? []) {
      said += String(chunk);
      if (said.includes('Server is ready')) return void child.stderr?.resume();
    }
    throw new Error(`The NATS server did not start: ${said}`);
  }

  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  await start();
  return { url: `nats://pharos:open%20sesame@127.0.0.1:${port}`, start, stop };
}
