import cluster, { type Worker } from 'node:cluster';
import type { Server } from 'node:net';
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
    if (!isStopping) closeUnanswered(cluster.fork());
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

/**
 * Closes the connections that a process was given and has not taken when it is killed; Node would keep them open, unanswered. It gives one at
 * a time of each port, by `send`.
 */
function closeUnanswered({ process: child }: Worker): void {
  const given = new Map<unknown, Pick<Server, 'close'>>();
  const send = child.send.bind(child) as (...words: readonly unknown[]) => boolean;
  child.send = (...words: readonly unknown[]) => {
    const [{ act, key }, connection] = words as [{ act?: string; key?: string }, Pick<Server, 'close'>];
    if (act === 'newconn') given.set(key, connection);
    return send(...words);
  };
  // Those that it has taken are closed here already; closing them again does nothing.
  child.once('exit', () => {
    for (const connection of given.values()) connection.close();
  });
}
