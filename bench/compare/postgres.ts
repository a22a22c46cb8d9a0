/** A PostgreSQL for a target: the tests' own, with `fsync` on, as by default. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

interface Server {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const module = new URL('../../scripts/test/postgres.mjs', import.meta.url).href;

export async function startDurablePostgres(): Promise<Server> {
  const { startPostgres } = (await import(module)) as {
    startPostgres(options: { durable: boolean }): Promise<{ url: string; stop(): Promise<void> }>;
  };
  const { url, stop } = await startPostgres({ durable: true });
  const [row] = await ask(url, 'show data_directory');
  const folder = String(Object.values(row ?? {})[0]);
  return { url, pid: Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]), stop };
}

async function ask(url: string, statement: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** A new database on the server. Returns its address. */
export async function createDatabase(server: Server, name: string): Promise<string> {
  await ask(server.url, `create database ${name} template template0 lc_collate 'C' lc_ctype 'C' encoding 'UTF8'`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}
