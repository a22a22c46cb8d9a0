import { createHash } from 'node:crypto';
import { firstIdAt } from '../../server/src/base/id.ts';
import type { SqlValue } from '../../server/src/base/sql.ts';
import type { DbTable, NewRowOf } from '../../server/src/db/table.ts';
import type { files } from '../../server/src/features/data/files/resource.ts';
import type { installations } from '../../server/src/features/people/installations/resource.ts';
import type { users } from '../../server/src/features/people/users/tables.ts';
import type { beacons } from '../../server/src/features/places/beacons/resource.ts';
import type { logs } from '../../server/src/features/presence/logs/resource.ts';
import type { events } from '../../server/src/features/presence/sightings/traces/events.ts';
import type { visits } from '../../server/src/features/presence/sightings/traces/visits.ts';

/** Rows of the tables by number: through the interface a million of each would take a day. */

/** The row of a table with this number. */
export type Row = (n: number) => Readonly<Record<string, SqlValue | undefined>>;
/** The same, held against the table's declaration. */
type RowFor<T extends DbTable> = (n: number) => NewRowOf<T>;

/** Older rows would be cleared away during the measurement. */
const spanMs = 20 * 86_400_000;
const halls = ['Hall', 'Gate', 'Stairs', 'Cafe', 'Shop', 'Tower', 'Garden'];
/** A prime, so that what follows from it is in no order. */
const stride = 7919;

/** The ids and times of a few weeks that end now, and what most rows have in common. */
export class Timeline {
  readonly total: number;
  readonly appId: string;
  readonly #end: number;

  constructor(appId: string, total: number, end: number) {
    this.appId = appId;
    this.total = total;
    this.#end = end;
  }

  at(n: number): number {
    return this.#end - spanMs + Math.floor((n * spanMs) / this.total);
  }
  /** It sorts like the service's ids and is computed, since ten million would not fit into memory. */
  id(n: number): string {
    const place = n % this.total;
    return firstIdAt(this.at(place)) + String(place).padStart(12, '0');
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

/** Thirty-two random digits and the name. */
export const storedName = (n: number) => `${createHash('md5').update(String(n)).digest('hex')}_plan-${n}.pdf`;

interface Own {
  readonly beacons: RowFor<typeof beacons.table>;
  readonly files: RowFor<typeof files.table>;
  readonly installations: RowFor<typeof installations.table>;
  readonly users: RowFor<typeof users>;
}

export const own = (line: Timeline, passwordHash: string): Own => ({
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
  files: (n) => ({
    ...line.changed(n),
    name: `plan-${n}.pdf`,
    stored_name: storedName(n),
    content_type: 'application/pdf',
    size: n,
    sha256: '',
  }),
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
    password_hash: passwordHash,
    firstname: halls[n % halls.length] ?? '',
    lastname: `Visitor ${(n * stride) % line.total}`,
    metadata: '{}',
    role: 'user',
  }),
});

interface TraceRows {
  readonly events: RowFor<typeof events.table>;
  readonly visits: RowFor<typeof visits.table>;
  readonly logs: RowFor<typeof logs.table>;
}

/** Visitors near one of the first 500 beacons. `owners`: the source of beacons and installations. */
export const traces = (line: Timeline, owners = line): TraceRows => ({
  events: (n) => ({
    ...line.added(n),
    event: n % 2 === 0 ? 'ENTER' : 'EXIT',
    beacon_id: owners.some(n % 500),
    installation_id: owners.some(n),
    visit_id: line.id(n - (n % 2)),
    occurred_at: line.at(n),
    entered_at: line.at(n),
    cause: 'device',
    inferred: 0,
  }),
  visits: (n) => ({
    ...line.changed(n),
    beacon_id: owners.some(n % 500),
    installation_id: owners.some(n),
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
    beacon_id: owners.some(n % 500),
    installation_id: owners.some(n),
    occurred_at: line.at(n),
    event_id: line.id(n),
  }),
});
