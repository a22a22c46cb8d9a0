import type { Db } from '../../server/src/db/db.ts';
import { insertRows } from '../../server/src/demo/rows.ts';
import { slotValues } from '../../server/src/features/buckets/slots.ts';
import { newObjectId } from '../../server/src/id.ts';
import { type SqlValue, sql } from '../../server/src/sql.ts';
import type { TestApp } from '../../server/test/build-app.ts';

/** What the pages show, as rows of the tables: through the interface it would take an hour. */

export interface Filled {
  readonly pushId: string;
  readonly bucketName: string;
}

type Cells = Readonly<Record<string, SqlValue>>;
/** The row of a table with this number. */
type Row = (n: number) => Cells;

const perTransaction = 2_000;
/** What is older is cleared away while the pages are measured. */
const spanMs = 20 * 86_400_000;
const halls = ['Hall', 'Gate', 'Stairs', 'Cafe', 'Shop', 'Tower', 'Garden'];
const species = ['Kestrel', 'Kite', 'Heron', 'Wren', 'Owl'];
/** A prime, so that what follows from it is in no order. */
const stride = 7919;

/** The ids and times of some weeks that end now, and what most rows have. */
class Timeline {
  readonly total: number;
  readonly appId: string;
  readonly #end: number;
  readonly ids: readonly string[];

  constructor(appId: string, total: number, end: number) {
    this.appId = appId;
    this.total = total;
    this.#end = end;
    this.ids = Array.from({ length: total }, (_, n) => newObjectId(this.at(n)));
  }

  at(n: number): number {
    return this.#end - spanMs + Math.floor((n * spanMs) / this.total);
  }
  id(n: number): string {
    return this.ids[n % this.total] ?? '';
  }
  /** One of them, in no order. */
  some(n: number): string {
    return this.id(n * stride);
  }
  name(n: number): string {
    return `${halls[n % halls.length]} ${(n * stride) % this.total}`;
  }
  added(n: number) {
    return { app_id: this.appId, object_id: this.id(n), created_at: this.at(n) };
  }
  changed(n: number) {
    return { ...this.added(n), updated_at: this.at(n) };
  }
}

const structure = (line: Timeline): Readonly<Record<string, Row>> => ({
  beacons: (n) => ({
    ...line.changed(n),
    name: line.name(n),
    uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
    uuid_key: 'b9407f30f5f8466eaff925556b57fe6d',
    major: Math.floor(n / 65_536),
    minor: n % 65_536,
    location: `{"x":${n % 100},"y":${n % 70},"floor":${n % 3}}`,
    metadata: '{}',
  }),
  devices: (n) => ({
    ...line.changed(n),
    device_name: line.name(n),
    manufacture: 'Lamps',
    topic: `museum/${n}`,
  }),
  notifications: (n) => ({
    ...line.changed(n),
    description: line.name(n),
    beacon_id: line.some(n),
    event: n % 2 === 0 ? 'ENTER' : 'EXIT',
    type: 'TEXT',
    message: '{"alertTitle":"Welcome","alertMessage":"The tour starts on your left."}',
    is_enabled: n % 2,
  }),
  storylines: (n) => ({ ...line.changed(n), title: line.name(n), is_enabled: n % 2 }),
  files: (n) => ({
    ...line.changed(n),
    name: `plan-${n}.pdf`,
    stored_name: `${line.id(n)}-plan-${n}.pdf`,
    content_type: 'application/pdf',
    size: n,
    sha256: '',
  }),
});

const people = (line: Timeline): Readonly<Record<string, Row>> => ({
  installations: (n) => ({
    ...line.changed(n),
    installation_id: `client-${n}`,
    device_type: ['ios', 'android', 'web'][n % 3] ?? '',
    device_token: `token-${n}`,
    channels: '["news"]',
    app_version: `1.${n % 9}.0`,
    metadata: '{}',
    token_at: line.at(n),
  }),
  users: (n) => ({
    ...line.changed(n),
    email: `visitor${n}@example.org`,
    email_key: `visitor${n}@example.org`,
    password_hash: '',
    firstname: halls[n % halls.length] ?? '',
    lastname: `Visitor ${(n * stride) % line.total}`,
    metadata: '{}',
    role: 'user',
  }),
});

/** Who came near one of 500 beacons. */
const traces = (line: Timeline): Readonly<Record<string, Row>> => ({
  events: (n) => ({
    ...line.added(n),
    event: n % 2 === 0 ? 'ENTER' : 'EXIT',
    beacon_id: line.some(n % 500),
    installation_id: line.some(n),
    visit_id: line.id(n - (n % 2)),
    occurred_at: line.at(n),
    entered_at: line.at(n),
    cause: 'device',
    inferred: 0,
  }),
  visits: (n) => ({
    ...line.changed(n),
    beacon_id: line.some(n % 500),
    installation_id: line.some(n),
    entered_at: line.at(n),
    left_at: line.at(n) + 90_000,
    dwell: 90 + (n % 600),
    is_open: 0,
    source: 'device',
    ended_by: 'exit',
    inferred: 0,
  }),
  logs: (n) => ({
    ...line.changed(n),
    module_type: 'PRESENCE',
    event: n % 2 === 0 ? 'ENTER' : 'EXIT',
    beacon_id: line.some(n % 500),
    installation_id: line.some(n),
    occurred_at: line.at(n),
  }),
});

/** Many pushes, the first of them to everybody. */
const pushes = (line: Timeline): Readonly<Record<string, Row>> => ({
  pushes: (n) => ({
    ...line.changed(n),
    data: '{"alertTitle":"Tonight","alertMessage":"Open until ten."}',
    state: 'done',
    send_at: line.at(n),
    expires_at: line.at(n),
    audience_count: n === 0 ? line.total : 1,
    sent_count: n === 0 ? line.total - Math.ceil(line.total / 20) : 1,
    failed_count: n === 0 ? Math.ceil(line.total / 20) : 0,
  }),
  deliveries: (n) => ({
    ...line.changed(n),
    object_id: `${line.id(0)}-${line.id(n)}`,
    push_id: line.id(0),
    installation_id: line.id(n),
    state: n % 20 === 0 ? 'failed' : 'sent',
    reason: n % 20 === 0 ? 'The push service refused it.' : null,
    sender: 'fcm',
    attempts: 1,
    run_at: line.at(n),
    expires_at: line.at(n),
    sent_at: line.at(n),
  }),
});

/** `total` rows in each table that a list shows. */
export async function fill(test: TestApp, total: number): Promise<Filled> {
  const line = new Timeline(test.appId, total, test.clock.now);
  const bucketName = 'birds';
  const tables = {
    ...structure(line),
    ...people(line),
    ...traces(line),
    ...pushes(line),
    records: await recordsOf(test, line, bucketName),
  };
  for (const [table, row] of Object.entries(tables)) await write(test.storage.db, table, { total, row });
  return { pushId: line.id(0), bucketName };
}

/** The records of a bucket with three declared columns. */
async function recordsOf({ app, storage, appId }: TestApp, line: Timeline, bucketName: string): Promise<Row> {
  const declared = { species: { type: 'String' }, weight: { type: 'Number' }, seenAt: { type: 'Date' } } as const;
  await app.buckets.addSchema(appId, bucketName, declared);
  const row = await storage.db.one<{ object_id: string; slots: string }>(
    sql`select object_id, slots from buckets where app_id = ${appId} and name = ${bucketName}`,
  );
  if (!row) throw new Error('the bucket is missing');
  const slots = JSON.parse(row.slots) as Parameters<typeof slotValues>[0];
  return (n) => {
    const document = {
      species: species[n % species.length] ?? '',
      weight: (n * stride) % 1000,
      seenAt: new Date(line.at(n)).toISOString(),
      note: `note ${n}`,
    };
    return {
      ...line.changed(n),
      bucket_id: row.object_id,
      doc: JSON.stringify(document),
      ...slotValues(slots, document).values,
    };
  };
}

interface Filling {
  readonly total: number;
  readonly row: Row;
}

/** A few thousand rows in a transaction. */
async function write(db: Pick<Db, 'run'> & { transaction: Db['transaction'] }, table: string, { total, row }: Filling) {
  const columns = Object.keys(row(0));
  for (let start = 0; start < total; start += perTransaction) {
    const length = Math.min(perTransaction, total - start);
    const rows = Array.from({ length }, (_, offset) => Object.values(row(start + offset)));
    await db.transaction((db) => insertRows(db, { table, columns, rows }));
  }
}
