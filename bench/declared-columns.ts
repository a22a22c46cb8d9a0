/**
 * How filters grow with the number of records: declared columns, undeclared members and the default order, on the
 * embedded database and, when PHAROS_TEST_POSTGRES_URL names a server, on PostgreSQL.
 *
 *   npm run bench:columns [-- 1000000]
 */
import { performance } from 'node:perf_hooks';
import { newObjectId } from '../server/src/base/id.ts';
import { joinSql, raw, sql } from '../server/src/base/sql.ts';
import { CacheVersion } from '../server/src/db/nodes/cache-version.ts';
import { BucketDirectory } from '../server/src/features/buckets/definition/directory.ts';
import { slotValues } from '../server/src/features/buckets/definition/slots.ts';
import { recordTable } from '../server/src/features/buckets/definition/tables.ts';
import { BucketService } from '../server/src/features/buckets/service.ts';
import { listRecords } from '../server/src/resources/lists/list.ts';
import { type DatabaseKind, openStorage } from '../server/test/support/build-app.ts';

const appId = 'bench';
const species = ['Kestrel', 'Kite', 'Heron', 'Wren', 'Owl'];

const queries: Readonly<Record<string, Record<string, string>>> = {
  'default order, limit 100': {},
  'declared =, newest first': { where: '{"metadata.species":"Owl"}', order: '-objectId', limit: '20' },
  'declared range, same order': { where: '{"metadata.weight":{"$gte":500}}', order: 'metadata.weight', limit: '20' },
  'two declared, order of one': {
    where: '{"metadata.species":"Owl","metadata.weight":{"$gte":500}}',
    order: 'metadata.weight',
    limit: '20',
  },
  'order by declared, descending': { order: '-metadata.seenAt', limit: '20' },
  'undeclared =, common': { where: '{"metadata.ring":7}', limit: '20' },
  'undeclared =, rare': { where: '{"metadata.note":"note 77"}', limit: '20' },
};

async function fill(kind: DatabaseKind, total: number) {
  const storage = await openStorage(kind, 60_000);
  const cacheVersion = new CacheVersion(storage.db);
  const service = new BucketService({
    db: storage.db,
    cacheVersion,
    now: Date.now,
    enqueue: async () => undefined,
    past: { noteChange: async () => undefined, noteRemoval: async () => undefined },
  });
  await service.addSchema(appId, 'birds', {
    species: { type: 'String' },
    weight: { type: 'Number' },
    seenAt: { type: 'Date' },
  });
  const bucket = await new BucketDirectory(storage.db, cacheVersion).reload(appId, 'birds');
  if (!bucket) throw new Error('the bucket is missing');
  const started = Date.now();
  const perStatement = 500;
  for (let done = 0; done < total; done += perStatement) {
    const rows = Array.from({ length: perStatement }, (_, offset) => {
      const n = done + offset;
      const document = {
        species: species[n % 5] ?? '',
        weight: (n * 7919) % 1000,
        seenAt: new Date(started - ((n * 104729) % 31_536_000) * 1000).toISOString(),
        ring: n % 1000,
        note: `note ${n}`,
      };
      const { values } = slotValues(bucket.slots, document);
      const cells = [
        appId,
        bucket.bucketId,
        newObjectId(started + n),
        JSON.stringify(document),
        started + n,
        started + n,
        ...Object.values(values),
      ];
      return { columns: Object.keys(values), cells };
    });
    const columns = [
      'app_id',
      'bucket_id',
      'object_id',
      'doc',
      'created_at',
      'updated_at',
      ...(rows[0]?.columns ?? []),
    ];
    const values = rows.map(
      ({ cells }) =>
        sql`(${joinSql(
          cells.map((cell) => sql`${cell}`),
          ', ',
        )})`,
    );
    await storage.db.run(sql`insert into records (${raw(columns.join(', '))}) values ${joinSql(values, ', ')}`);
  }
  if (kind === 'postgres') await storage.db.run(raw('analyze records'));
  return { storage, bucket };
}

async function measure(kind: DatabaseKind, total: number): Promise<void> {
  const { storage, bucket } = await fill(kind, total);
  const scope = sql`app_id = ${appId} and bucket_id = ${bucket.bucketId}`;
  for (const [name, query] of Object.entries(queries)) {
    const times: number[] = [];
    for (let round = 0; round < 11; round++) {
      const began = performance.now();
      await listRecords(
        storage.db,
        { ...recordTable, lookup: bucket.lookup },
        { scope, query, defaultLimit: 100, tenant: appId },
      );
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    const [median = 0, slowest = 0] = [times[5], times[10]];
    process.stdout.write(
      `${kind.padEnd(9)} ${String(total).padStart(8)}  ${name.padEnd(30)} median ${median.toFixed(2).padStart(8)} ms   slowest ${slowest.toFixed(2).padStart(8)} ms\n`,
    );
  }
  await storage.close();
}

const largest = Number(process.argv[2] ?? 1_000_000);
const kinds: DatabaseKind[] = process.env['PHAROS_TEST_POSTGRES_URL'] ? ['sqlite', 'postgres'] : ['sqlite'];
for (const kind of kinds) for (const total of [10_000, largest]) await measure(kind, total);
