/** Everything that can be measured, by its name in `--targets`. */
import { createDatabase, startDurablePostgres } from './postgres.ts';
import type { Target } from './target.ts';
import { startParseServer } from './targets/parse-server.ts';
import { startPharos } from './targets/pharos.ts';
import { startPocketBase } from './targets/pocketbase.ts';

/** Starts it with its data in the folder. @throws Error that says why it cannot */
export type Starter = (folder: string) => Promise<Target>;

/** Each database has a server of its own, so that no other target's vacuum and checkpoints count as this one's. */
export interface Databases {
  create(name: string): Promise<{ readonly databaseUrl: string; readonly databasePid: number }>;
  stop(): Promise<void>;
}

export function createDatabases(): Databases {
  const servers: Awaited<ReturnType<typeof startDurablePostgres>>[] = [];
  return {
    async create(name) {
      const server = await startDurablePostgres();
      servers.push(server);
      return { databaseUrl: await createDatabase(server, name), databasePid: server.pid };
    },
    stop: async () => {
      for (const server of servers) await server.stop();
    },
  };
}

/** `before` is the folder of another checkout of Pharos. */
export function starters(databases: Databases, before: string | undefined): Readonly<Record<string, Starter>> {
  const full = 'SQLite, flushed to the disk before each answer';
  const fsync = 'PostgreSQL, fsync on';
  const onPostgres = async (folder: string, name: string, database: string, checkout?: string) =>
    startPharos({
      name,
      durability: fsync,
      folder,
      ...(await databases.create(database)),
      ...(checkout ? { checkout } : {}),
    });
  return {
    sqlite: (folder) => startPharos({ name: 'Pharos on SQLite', durability: full, folder }),
    // The same with a rule of an app, for what it costs.
    shared: (folder) =>
      startPharos({
        name: 'Pharos, shared lists',
        durability: full,
        folder,
        rule: { $or: [{ createdBy: '$auth.userId' }, { 'metadata.sharedWith': '$auth.userId' }] },
      }),
    postgres: (folder) => onPostgres(folder, 'Pharos on PostgreSQL', 'pharos'),
    ...(before
      ? {
          before: (folder: string) =>
            startPharos({ name: 'before, on SQLite', durability: full, folder, checkout: before }),
          'before-postgres': (folder: string) => onPostgres(folder, 'before, on PostgreSQL', 'pharos_before', before),
        }
      : {}),
    pocketbase: startPocketBase,
    parse: async (folder) => startParseServer({ folder, ...(await databases.create('parse')) }),
  };
}
