import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { bothDatabases, buildApp, signIn, type TestApp } from '../../../test/support/build-app.ts';
import { joinSql, sql } from '../../base/sql.ts';

interface Item {
  readonly id: string;
  readonly kind: string;
  readonly level: number | undefined;
  readonly open: boolean;
  readonly by: string;
  readonly spot: { readonly x: number };
}

const [half, few] = ['made0half0the0records', 'made0few0of0them0all0'];
const madeBy = (objectId: string) => ({ createdBy: { __type: 'Pointer', className: '_User', objectId } });

/** `rare` has few records, `common` more than are ever judged one by one; levels repeat, and some are missing. */
const items: readonly Item[] = Array.from({ length: 3_000 }, (_, n) => ({
  id: `item${String(n).padStart(16, '0')}`,
  kind: n % 30 === 0 ? 'rare' : n % 1_000 === 7 ? 'single' : 'common',
  level: n % 11 === 0 ? undefined : (n * 7_919) % 97,
  open: n % 3 === 0,
  spot: { x: n % 7 },
  by: n % 2 === 0 ? half : n % 701 === 0 ? few : 'somebody0else0at0all0',
}));

type Fits = (item: Item) => boolean;
type Case = readonly [where: object, order: string, page: string, fits: Fits];

const least = (item: Item, level: number) => item.level !== undefined && item.level >= level;
const at = 'metadata.level';
const cases: readonly Case[] = [
  [{ 'metadata.kind': 'rare', [at]: { $gte: 40 } }, `-${at}`, 'limit=10', (i) => i.kind === 'rare' && least(i, 40)],
  [{ 'metadata.kind': 'rare', [at]: { $gte: 40 } }, at, 'limit=10&skip=3', (i) => i.kind === 'rare' && least(i, 40)],
  [{ 'metadata.kind': 'rare', [at]: { $gte: 95 } }, `-${at}`, 'limit=50', (i) => i.kind === 'rare' && least(i, 95)],
  [{ 'metadata.kind': 'rare', [at]: { $lt: 3 } }, at, 'limit=2', (i) => i.kind === 'rare' && (i.level ?? 99) < 3],
  [{ 'metadata.kind': 'rare', 'metadata.open': true }, at, 'limit=7', (i) => i.kind === 'rare' && i.open],
  [{ 'metadata.kind': 'single', [at]: { $gte: 0 } }, at, 'limit=5', (i) => i.kind === 'single' && least(i, 0)],
  [{ 'metadata.kind': 'common', [at]: { $gte: 20 } }, `-${at}`, 'limit=20', (i) => i.kind === 'common' && least(i, 20)],
  [{ 'metadata.kind': 'common', [at]: { $gte: 20 } }, at, 'limit=900', (i) => i.kind === 'common' && least(i, 20)],
  [{ 'metadata.kind': 'common', [at]: 5 }, 'objectId', 'limit=20', (i) => i.kind === 'common' && i.level === 5],
  [{ 'metadata.kind': 'rare', [at]: null }, at, 'limit=4', (i) => i.kind === 'rare' && i.level === undefined],
  [{ 'metadata.kind': 'common', 'metadata.open': false }, at, 'limit=9', (i) => i.kind === 'common' && !i.open],
  [{ ...madeBy(half), 'metadata.kind': 'common' }, `-${at}`, 'limit=20', (i) => i.by === half && i.kind === 'common'],
  [{ ...madeBy(half), [at]: { $gte: 20 } }, at, 'limit=15&skip=30', (i) => i.by === half && least(i, 20)],
  [{ ...madeBy(half), 'metadata.kind': 'rare' }, `-${at}`, 'limit=90', (i) => i.by === half && i.kind === 'rare'],
  [{ ...madeBy(few), 'metadata.kind': 'common' }, at, 'limit=2', (i) => i.by === few && i.kind === 'common'],
  [{ 'metadata.spot': { x: 3 }, 'metadata.open': true }, at, 'limit=9', (i) => i.spot.x === 3 && i.open],
  [{ ...madeBy('nobody'), [at]: { $gte: 20 } }, at, 'limit=5', () => false],
  [{ 'metadata.kind': 'none', [at]: { $gte: 0 } }, at, 'limit=9', () => false],
];

function expected([, order, page, fits]: Case): string[] {
  const parameters = new URLSearchParams(page);
  const skip = Number(parameters.get('skip') ?? 0);
  const sign = order.startsWith('-') ? -1 : 1;
  const levelOf = (item: Item) => (order === 'objectId' ? 0 : (item.level ?? Number.NEGATIVE_INFINITY));
  const compare = (a: Item, b: Item) =>
    sign * ((levelOf(a) === levelOf(b) ? a.id < b.id : levelOf(a) < levelOf(b)) ? -1 : 1);
  return items
    .filter(fits)
    .sort(compare)
    .slice(skip, skip + Number(parameters.get('limit')))
    .map(({ id }) => id);
}

const columns = { kind: { type: 'String' }, level: { type: 'Number' }, open: { type: 'Boolean' } };
/** Numbers in the order in which they are declared; the first one shares an index with the first text. */
type Numbers = readonly ['level', 'open'] | readonly ['open', 'level'];

interface Filling {
  readonly headers: Readonly<Record<string, string>>;
  readonly numbers: Numbers;
}

async function fill(app: TestApp, { headers, numbers }: Filling): Promise<void> {
  const column = Object.fromEntries((['kind', ...numbers] as const).map((name) => [name, columns[name]]));
  await app.send({ method: 'POST', url: '/api/v2/data/schema/Items', headers, body: { column } });
  const bucket = await app.storage.db.one<{ object_id: string; slots: string }>(
    sql`select object_id, slots from buckets where app_id = ${app.appId} and name = 'Items'`,
  );
  assert.deepEqual(
    (JSON.parse(bucket?.slots ?? '') as { slot: string }[]).map(({ slot }) => slot),
    ['t1', 'n1', 'n2'],
  );
  for (let start = 0; start < items.length; start += 500) {
    const rows = items.slice(start, start + 500).map(({ id, by, ...data }) => {
      const open = Number(data.open);
      // A missing number is kept below all others.
      const level = app.storage.db.dialect.where.number(data.level ?? Number.NEGATIVE_INFINITY);
      return sql`(${app.appId}, ${bucket?.object_id ?? ''}, ${id}, ${JSON.stringify(data)}, ${`v${data.kind}`}, ${numbers[0] === 'level' ? level : open}, ${numbers[0] === 'level' ? open : level}, ${by}, 1, 1)`;
    });
    await app.storage.db.run(
      sql`insert into records (app_id, bucket_id, object_id, doc, t1, n1, n2, created_by, created_at, updated_at) values ${joinSql(rows, ', ')}`,
    );
  }
}

for (const database of bothDatabases) {
  describe(`lists by several conditions on ${database}`, () => {
    for (const numbers of [
      ['level', 'open'],
      ['open', 'level'],
    ] as const)
      test(`answer the same records in the same order, however few are looked at: ${numbers} declared`, async () => {
        const app = await buildApp({ database });
        try {
          const { headers } = await signIn(app);
          await fill(app, { headers, numbers });
          for (const each of cases) {
            const [where, order, page] = each;
            const query = `where=${encodeURIComponent(JSON.stringify(where))}&order=${order}&${page}`;
            const answer = await app.send({ method: 'GET', url: `/api/v2/data/bucket/Items?${query}`, headers });
            assert.equal(answer.status, 200, app.log.at(-2));
            const ids = answer.body.results.map(({ objectId }: { objectId: string }) => objectId);
            assert.deepEqual(ids, expected(each), query);
          }
        } finally {
          await app.close();
        }
      });
  });
}
