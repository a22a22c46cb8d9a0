import { firstIdAt } from '../../base/id.ts';
import { sql } from '../../base/sql.ts';
import type { Db } from '../../db/db.ts';

/**
 * Counts for the first page of an app: only SQL. All of it runs beside the other requests, under the deadline of long
 * queries, and reads no more than a range of ids or one index entry per beacon.
 */

const hourMs = 3_600_000;
/** A beacon that had visitors before, but none for this long, may have an empty battery. */
const silentAfterMs = 48 * hourMs;
const failuresWithinMs = 24 * hourMs;

const iso = (time: number) => new Date(time).toISOString();

export async function readLive(db: Db, appId: string) {
  const slow = { share: appId };
  const [totals] = await db.all<{ visitors: number; occupied: number }>(
    sql`select count(distinct installation_id) as visitors, count(distinct beacon_id) as occupied
      from visits where app_id = ${appId} and is_open = 1`,
    slow,
  );
  const rows = await db.all<{ beacon_id: string; name: string | null; visitors: number; since: number }>(
    sql`select v.beacon_id, b.name, count(*) as visitors, min(v.entered_at) as since
      from visits v left join beacons b on b.app_id = v.app_id and b.object_id = v.beacon_id
      where v.app_id = ${appId} and v.is_open = 1
      group by v.beacon_id, b.name order by visitors desc, v.beacon_id limit 12`,
    slow,
  );
  return {
    visitors: totals?.visitors ?? 0,
    occupied: totals?.occupied ?? 0,
    beacons: rows.map(({ beacon_id: beaconId, name, visitors, since }) => ({
      beaconId,
      name,
      visitors,
      since: iso(since),
    })),
  };
}

/** Verdicts with these reasons were never meant for the event. */
const otherwiseMeant = new Set(['disabled', 'event', 'beacon']);

/**
 * The results of the events since a time (epoch ms). Ids of events begin with their time, and so do the ids of what
 * follows from them.
 */
export async function readFunnel(db: Db, appId: string, since: number) {
  const slow = { share: appId };
  const from = sql`app_id = ${appId} and object_id >= ${firstIdAt(since)}`;
  const [events] = await db.all<{ n: number }>(sql`select count(*) as n from events where ${from}`, slow);
  const verdicts = await db.all<{ outcome: string; reason: string; n: number }>(
    sql`select outcome, reason, count(*) as n from verdicts where ${from} group by outcome, reason
      order by n desc, reason`,
    slow,
  );
  const states = await db.all<{ state: string; n: number; received: number; opened: number }>(
    sql`select state, count(*) as n, count(received_at) as received, count(opened_at) as opened
      from deliveries where ${from} and event_id is not null group by state`,
    slow,
  );
  const meant = verdicts.filter(({ reason }) => !otherwiseMeant.has(reason));
  const ofOutcome = (outcome: string) => sum(meant.filter((one) => one.outcome === outcome).map(({ n }) => n));
  const inState = (state: string) => states.find((one) => one.state === state)?.n ?? 0;
  return {
    since: iso(since),
    events: events?.n ?? 0,
    eligible: sum(meant.map(({ n }) => n)),
    shown: ofOutcome('fired'),
    waiting: ofOutcome('pending'),
    stopped: meant.filter(({ outcome }) => outcome === 'stopped').map(({ reason, n }) => ({ reason, count: n })),
    deliveries: {
      queued: inState('queued'),
      sent: inState('sent'),
      failed: inState('failed'),
      expired: inState('expired'),
      noTarget: inState('noTarget'),
      cancelled: inState('cancelled'),
      received: sum(states.map(({ received }) => received)),
      opened: sum(states.map(({ opened }) => opened)),
    },
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** What needs a person's attention. */
export async function readAttention(db: Db, appId: string, now: number) {
  return {
    lastVisitAt: await readLastVisit(db, appId),
    silentBeacons: await readSilentBeacons(db, appId, now),
    tokens: await readTokens(db, appId),
    failures: await readFailures(db, appId, now),
  };
}

async function readLastVisit(db: Db, appId: string): Promise<string | null> {
  const [row] = await db.all<{ entered_at: number }>(
    sql`select entered_at from visits where app_id = ${appId} order by entered_at desc limit 1`,
    { share: appId },
  );
  return row ? iso(row.entered_at) : null;
}

async function readSilentBeacons(db: Db, appId: string, now: number) {
  const slow = { share: appId };
  const lastVisits = sql`select b.object_id, b.name,
      (select max(v.entered_at) from visits v where v.app_id = b.app_id and v.beacon_id = b.object_id) as last_at
    from beacons b where b.app_id = ${appId}`;
  const before = now - silentAfterMs;
  const [counts] = await db.all<{ seen: number; total: number }>(
    sql`select count(last_at) as seen, count(case when last_at < ${before} then 1 end) as total from (${lastVisits}) x`,
    slow,
  );
  const rows = await db.all<{ object_id: string; name: string; entered_at: number }>(
    sql`select object_id, name, last_at as entered_at from (${lastVisits}) x
      where last_at < ${before} order by last_at desc limit 10`,
    slow,
  );
  return {
    total: counts?.total ?? 0,
    seen: counts?.seen ?? 0,
    beacons: rows.map(({ object_id: beaconId, name, entered_at }) => ({
      beaconId,
      name,
      lastVisitAt: iso(entered_at),
    })),
  };
}

async function readTokens(db: Db, appId: string) {
  const slow = { share: appId };
  const [all] = await db.all<{ n: number }>(sql`select count(*) as n from installations where app_id = ${appId}`, slow);
  const dead = await db.all<{ reason: string; n: number }>(
    sql`select token_dead_reason as reason, count(*) as n from installations
      where app_id = ${appId} and token_dead_reason is not null
      group by token_dead_reason order by n desc, token_dead_reason limit 5`,
    slow,
  );
  return { installations: all?.n ?? 0, dead: dead.map(({ reason, n }) => ({ reason, count: n })) };
}

async function readFailures(db: Db, appId: string, now: number) {
  const since = now - failuresWithinMs;
  // A delivery's id begins with the time of its event or push, which is not later than the delivery.
  const rows = await db.all<{ sender: string | null; reason: string | null; n: number; last_at: number }>(
    sql`select sender, reason, count(*) as n, max(updated_at) as last_at from deliveries
      where app_id = ${appId} and object_id >= ${firstIdAt(since)} and state = 'failed'
      group by sender, reason order by n desc, reason limit 5`,
    { share: appId },
  );
  return rows.map(({ sender, reason, n, last_at }) => ({
    sender,
    reason: reason ?? 'The push service gave no reason.',
    count: n,
    lastAt: iso(last_at),
  }));
}
