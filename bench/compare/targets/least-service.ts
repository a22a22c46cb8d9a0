/**
 * `node least-service.ts PORT FILE`: the product's HTTP stack and SQLite driver, with nothing of the product between
 * them. Credentials and bearer are compared with one text each, documents are neither checked nor separated by app or
 * bucket, and nothing is limited, counted or logged. The writes of one tick share a transaction that is flushed before
 * their answers.
 */
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setImmediate as nextTick } from 'node:timers/promises';
import { newObjectId } from '../../../server/src/base/id.ts';
import { openSqliteConnection } from '../../../server/src/db/sqlite/sqlite-connection.ts';
import { SqliteThread } from '../../../server/src/db/sqlite/sqlite-threads.ts';
import { WalFile } from '../../../server/src/db/sqlite/wal-file.ts';
import type { Document } from '../documents.ts';
import { createRawTables, type RawRecord, type RawTable, rawInserts } from './raw-tables.ts';

// Resolved from the service's folder, so that both are the same version.
const require = createRequire(new URL('../../../server/src/main.ts', import.meta.url));
const { default: fastify } = require('fastify') as typeof import('fastify');

interface Waiting extends RawRecord {
  readonly table: RawTable;
  readonly resolve: () => void;
}

const checkpointBytes = 8 * 1024 * 1024;
const [port = '0', file = ''] = process.argv.slice(2);
const { raw } = openSqliteConnection(file, 'write');
createRawTables(raw);
const wal = new WalFile(file);
const maintenance = new SqliteThread(file);

const insert = rawInserts(raw);
const insertAll = raw.transaction((all: readonly Waiting[]) => {
  for (const record of all) insert(record.table, record);
});

let waiting: Waiting[] = [];
let isWriting = false;
let checkpoint: Promise<void> | undefined;

async function write(): Promise<void> {
  isWriting = true;
  while (waiting.length > 0) {
    await nextTick();
    const all = waiting;
    waiting = [];
    insertAll(all);
    await wal.flush();
    for (const { resolve } of all) resolve();
    if (checkpoint || statSync(`${file}-wal`).size < checkpointBytes) continue;
    checkpoint = maintenance.checkpoint().finally(() => {
      checkpoint = undefined;
    });
  }
  isWriting = false;
}

function create(
  table: RawTable,
  document: Document,
): Promise<{ readonly objectId: string; readonly createdAt: string }> {
  return new Promise((resolve) => {
    const now = Date.now();
    const id = newObjectId(now);
    const answer = { objectId: id, createdAt: new Date(now).toISOString() };
    waiting.push({ table, id, now, document, resolve: () => resolve(answer) });
    if (!isWriting) void write();
  });
}

const get = raw.prepare('select * from sightings where object_id = ?');
const server = fastify();
server.addHook('onRequest', (request, _reply, done) => {
  const { 'x-service-appid': app, 'x-service-appkey': key, authorization } = request.headers;
  done(app === 'app' && key === 'key' && authorization === 'Bearer token' ? undefined : new Error('who is it?'));
});
server.get<{ Params: { id: string } }>('/sightings/:id', (request, reply) => {
  reply.type('application/json; charset=utf-8').send(JSON.stringify({ result: get.get(request.params.id) }));
});
for (const table of ['sightings', 'notes'] as const)
  server.post<{ Body: { metadata: Document } }>(`/${table}`, async ({ body }) => ({
    result: await create(table, body.metadata),
  }));
await server.listen({ port: Number(port), host: '127.0.0.1' });
