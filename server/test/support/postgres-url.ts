import pg from 'pg';

let asked: Promise<string> | undefined;

/**
 * The URL of the PostgreSQL server of the tests: the one that PHAROS_TEST_POSTGRES_URL names, or the one that `npm test`
 * starts when the first test asks for it.
 */
export function postgresUrl(): Promise<string> {
  asked ??= askForUrl();
  return asked;
}

async function askForUrl(): Promise<string> {
  const { PHAROS_TEST_POSTGRES_URL: url, PHAROS_TEST_POSTGRES: desk } = process.env;
  if (url) return url;
  if (!desk) throw new Error('This test needs a PostgreSQL server: run `npm test`, or set PHAROS_TEST_POSTGRES_URL.');
  const answer = await fetch(desk);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

let kept: Promise<pg.Pool> | undefined;

/** A connection to the server's own database, which this process keeps without being kept alive by it. */
async function connectOnce(): Promise<pg.Pool> {
  const connectionString = await postgresUrl();
  const pool = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // The server may end before whoever has asked for it last.
  pool.on('error', () => undefined);
  return pool;
}

/** Runs a statement in the server's own database. */
export async function onServer(statement: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
  kept ??= connectOnce();
  return (await kept).query(statement, [...values]);
}

/** Runs `work` with a connection of its own. */
export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The URL of one of the server's databases. */
export async function urlOf(name: string): Promise<string> {
  const url = new URL(await postgresUrl());
  url.pathname = `/${name}`;
  return url.href;
}
