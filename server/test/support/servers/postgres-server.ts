import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** PostgreSQL servers that a test may restart, suspend, promote and lose, unlike the one that all tests share. */
export interface PostgresServer {
  readonly port: number;
  /** The address of its one database, made for the service. */
  readonly url: string;
  /** The same through another port, such as a proxy's. */
  urlAt(port: number): string;
  start(): Promise<void>;
  /** `fast` ends every connection, `immediate` is like a crash. Resolves when it is gone. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
  /** Signals the server's first process, which takes new connections. */
  signal(signal: NodeJS.Signals): void;
  /** Runs statements on a separate connection, which no pool knows of. */
  query<T extends pg.QueryResultRow>(...statements: readonly string[]): Promise<T[]>;
  /** A hot standby that follows it; it is restarted once on the way. */
  makeStandby(): Promise<PostgresServer>;
  remove(): Promise<void>;
}

interface Package {
  freePort(): Promise<number>;
  preparePostgres(how: object): Promise<{ readonly server: Embedded; remove(): void }>;
}

interface Embedded {
  process: { kill(signal: NodeJS.Signals): boolean; readonly exitCode: number | null } | undefined;
  initialise(): Promise<void>;
  start(): Promise<void>;
}

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;
const folderOfData = () => mkdtempSync(join(tmpdir(), 'pharos-server-'));

export async function createPostgresServer(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const server = await prepare(folderOfData(), randomBytes(12).toString('hex'), settings);
  await server.embedded.initialise();
  await server.start();
  await server.admin("create database pharos template template0 lc_collate 'C' lc_ctype 'C' encoding 'UTF8'");
  return server;
}

async function prepare(databaseDir: string, password: string, settings: Readonly<Record<string, string>>) {
  const script = new URL('../../../../scripts/test-postgres.mjs', import.meta.url).href;
  const { freePort, preparePostgres } = (await import(script)) as Package;
  const port = await freePort();
  const all = { fsync: 'off', max_connections: '40', unix_socket_directories: '', ...settings };
  let log = '';
  const { server: embedded, remove: removePrograms } = await preparePostgres({
    databaseDir,
    port,
    password,
    settings: all,
    onLog: (message: string) => (log += message),
  });
  const urlAt = (at: number, database = 'pharos') => `postgres://postgres:${password}@127.0.0.1:${at}/${database}`;
  const ask = async <T extends pg.QueryResultRow>(url: string, statements: readonly string[]): Promise<T[]> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      let rows: T[] = [];
      for (const statement of statements) ({ rows } = await client.query<T>(statement));
      return rows;
    } finally {
      await client.end();
    }
  };
  const made = {
    embedded,
    port,
    url: urlAt(port),
    urlAt: (at: number) => urlAt(at),
    async start() {
      const seen = log.length;
      // Reports a server that accepts only writes, and rejects when the server ends.
      let hasSettled = false;
      const started = embedded.start().catch(() => undefined);
      const isFollowing = async () => {
        while (!hasSettled && !log.slice(seen).includes('ready to accept read-only connections')) await delay(10);
      };
      await Promise.race([started, isFollowing()]);
      hasSettled = true;
      if (!/ready to accept/.test(log.slice(seen))) throw new Error(`PostgreSQL did not start:\n${log.slice(seen)}`);
    },
    async stop(how: 'fast' | 'immediate') {
      const running = embedded.process;
      if (running && running.exitCode === null) {
        const ended = once(running as unknown as NodeJS.EventEmitter, 'exit');
        running.kill('SIGCONT');
        running.kill(signals[how]);
        await ended;
      }
      // The package would wait for it at the end of this process.
      embedded.process = undefined;
    },
    signal: (signal: NodeJS.Signals) => void embedded.process?.kill(signal),
    query: <T extends pg.QueryResultRow>(...statements: readonly string[]) => ask<T>(urlAt(port), statements),
    admin: (...statements: readonly string[]) => ask(urlAt(port, 'postgres'), statements),
    async makeStandby(): Promise<PostgresServer> {
      const folder = folderOfData();
      await made.stop('fast');
      execFileSync('cp', ['-a', `${databaseDir}/.`, folder]);
      await made.start();
      writeFileSync(join(folder, 'standby.signal'), '');
      const primary = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`;
      const standby = await prepare(folder, password, { ...settings, primary_conninfo: primary });
      await standby.start();
      return standby;
    },
    async remove() {
      await made.stop('immediate');
      rmSync(databaseDir, { recursive: true, force: true });
      removePrograms();
    },
  };
  return made;
}

/** A network connection that can be cut silently: neither side notices. */
export interface Wire {
  readonly port: number;
  /** Nothing passes any more, and new connections are not answered. */
  cut(): void;
  /** New connections pass again. Earlier ones stay dead, as after a reboot behind a firewall. */
  mend(): void;
  close(): Promise<void>;
}

export async function createWire(to: number): Promise<Wire> {
  let isCut = false;
  const sockets = new Set<Socket>();
  const dead = new WeakSet<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (isCut) {
      dead.add(socket);
      return;
    }
    const onward = connect(to, '127.0.0.1');
    sockets.add(onward);
    onward.on('error', () => undefined);
    for (const [from, into] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.on('data', (chunk) => {
        if (!dead.has(from)) into.write(chunk);
      });
      from.on('close', () => {
        if (!dead.has(from)) into.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      isCut = true;
      for (const socket of sockets) dead.add(socket);
    },
    mend() {
      isCut = false;
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
