/** Starts processes and measures what they use, by the kernel's figures (Linux; zeros elsewhere). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

export interface Started {
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The destination of its output. */
  readonly log: string;
  /** Resolves once it can be used. */
  readonly url: string;
}

/** Starts a program and waits until its address gives any answer. */
export async function start(file: string, args: readonly string[], options: StartOptions): Promise<Started> {
  const log = openSync(options.log, 'w');
  const child = spawn(file, args, {
    stdio: ['ignore', log, log],
    ...(options.cwd ? { cwd: options.cwd } : {}),
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...options.env },
  });
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  await Promise.race([failed, untilItAnswers(child, options)]);
  return {
    child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function untilItAnswers(child: ChildProcess, { url, log }: StartOptions): Promise<void> {
  const giveUp = Date.now() + 180_000;
  while (Date.now() < giveUp) {
    if (child.exitCode !== null) break;
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  child.kill('SIGKILL');
  throw new Error(`it did not start: ${readFileSync(log, 'utf8').slice(-500)}`);
}

const ticksPerSecond = 100;

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

/** The fields of /proc/PID/stat after the name, which may contain spaces. */
function statOf(pid: number | string): string[] {
  const text = readProc(`${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** A process and everything that it has started. */
export function family(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc'))
    if (/^\d+$/.test(entry)) parents.set(Number(entry), Number(statOf(entry)[1]));
  const found = [pid];
  for (const member of found) for (const [child, parent] of parents) if (parent === member) found.push(child);
  return found;
}

/** Seconds of processor time so far. */
export function cpuSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const stat = statOf(pid);
    ticks += Number(stat[11] ?? 0) + Number(stat[12] ?? 0);
  }
  return ticks / ticksPerSecond;
}

/** Seconds of processor time so far of a process, what it has started, and what of that has ended since. */
export function cpuSecondsWithEnded(pid: number): number {
  const members = family(pid).map(statOf);
  const ticks = members.reduce(
    (sum, stat) => sum + [11, 12, 13, 14].reduce((all, at) => all + Number(stat[at] ?? 0), 0),
    0,
  );
  return ticks / ticksPerSecond;
}

/** `peakMegabytes` counts from here again. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Then only the peak since the start is known.
  }
}

/** The most resident memory that the process had. */
export function peakMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readProc(`${pid}/status`))?.[1] ?? 0) / 1024;
}

/** The present resident memory of the process. */
export function megabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readProc(`${pid}/status`))?.[1] ?? 0) / 1024;
}
