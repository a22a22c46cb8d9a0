import cluster, { type Worker } from 'node:cluster';
import { type Letter, startedTopic, stopTopic } from '../../db/nodes/siblings.ts';
import type { Terminal } from './command.ts';
import type { StopEvent } from './stop-signal.ts';

/** Until a process that has crashed is replaced, ms. */
const pauseMs = 1_000;
/** More crashes within a minute than this end the service, so that whoever has started it learns of them. */
const maxCrashes = 10;

export interface ProcessesOptions {
  readonly stopped: Promise<StopEvent>;
  readonly terminal: Pick<Terminal, 'err'>;
}

/**
 * Starts `count` processes of this command line, which share its ports, and waits until all have ended. The first starts alone: it migrates
 * the database and finds out whether the service can start. A process that ends by itself is replaced; the request to stop is passed on.
 *
 * @throws Error if the first does not start, or too many crash
 */
export async function serveInProcesses(count: number, { stopped, terminal }: ProcessesOptions): Promise<void> {
  cluster.setupPrimary({ serialization: 'advanced' });
  const ended = Promise.withResolvers<void>();
  const running = () =>
    Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker?.isDead() === false);
  let [isStarted, isStopping]: [boolean, boolean] = [false, false];
  let failure: Error | undefined;
  let crashes: number[] = [];
  const stop = (because?: Error) => {
    failure ??= because;
    isStopping = true;
    for (const worker of running()) worker.send({ topic: stopTopic, from: 0 }, () => undefined);
    if (running().length === 0) ended.resolve();
  };
  const begin = () => {
    if (!isStopping) cluster.fork();
  };
  cluster.on('message', (from: Worker, letter: Letter) => {
    if (letter.topic !== startedTopic) {
      for (const worker of running())
        if (letter.to === undefined ? worker !== from : worker.id === letter.to) worker.send(letter, () => undefined);
    } else if (!isStarted) {
      isStarted = true;
      for (let n = 1; n < count; n++) begin();
    }
  });
  cluster.on('exit', (worker, code, signal) => {
    if (isStopping) return running().length === 0 ? ended.resolve() : undefined;
    const how = signal ? `by ${signal}` : `with exit code ${code}`;
    if (!isStarted) return stop(new Error(`The service has not started: its first process ended ${how}.`));
    const now = Date.now();
    crashes = [...crashes.filter((at) => at > now - 60_000), now];
    if (crashes.length > maxCrashes)
      return stop(new Error(`More than ${maxCrashes} processes have crashed within a minute.`));
    const msg = `process ${worker.id} ended ${how} and is replaced`;
    terminal.err(JSON.stringify({ level: 50, time: now, pid: process.pid, msg }));
    setTimeout(begin, pauseMs);
    return undefined;
  });
  void stopped.then(() => stop());
  begin();
  await ended.promise;
  if (failure) throw failure;
}
