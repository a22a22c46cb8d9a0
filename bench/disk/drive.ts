import type { createApp } from '../../server/src/app/app.ts';
import { raw } from '../../server/src/base/sql.ts';
import type { Database } from '../../server/src/db/db.ts';

interface Drive {
  readonly app: Awaited<ReturnType<typeof createApp>>;
  readonly db: Database;
  readonly clock: { now: number };
  readonly phones: number;
  readonly visitsEach: number;
  /** Called when everybody has made as many visits once: what comes afterwards is no longer what a table takes to begin with. */
  readonly halfWay: (appId: string) => Promise<void>;
}

/** Visits and events of the second half. */
export interface Driven {
  readonly visits: number;
  readonly events: number;
}

const beacons = 8;
const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
/** Seconds: between two deliveries of a phone, at a beacon, and until it is at the next one. */
const [every, near, away] = [5, 45, 60];

/** The samples of the seconds since the last delivery: at a beacon, or on the way to another. */
function samples(phone: number, second: number, start: number): object[] {
  const visit = Math.floor(second / (near + away));
  const isNear = second % (near + away) < near;
  const minor = 1 + ((phone * 3 + visit * 5) % beacons);
  return Array.from({ length: every }, (_, ago) => ({
    uuid,
    major: 1,
    minor,
    rssi: (isNear ? -62 : -93) - ((phone + second + ago) % 3),
    occurredAt: start + (second - ago) * 1000,
  }));
}

/** Lets phones walk from beacon to beacon twice, each of which has a message for whoever comes, and counts what came of the second time. */
export async function driveVisits({ app, db, clock, phones, visitsEach, halfWay }: Drive): Promise<Driven> {
  const { appId, appKey } = await app.apps.create('Bench');
  await app.apps.change(appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  const headers = { 'x-service-appid': appId, 'x-service-appkey': appKey, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const payload = JSON.stringify(body);
    const answer = await app.server.inject({ method: 'POST', url: `/api/v2/${path}`, headers, payload });
    if (answer.statusCode > 201) throw new Error(answer.body);
  };
  for (let minor = 1; minor <= beacons; minor++) {
    const id = `B${String(minor).padStart(19, '0')}`;
    await db.run(
      raw(`insert into beacons (app_id, object_id, name, uuid, uuid_key, major, minor, metadata, created_at, updated_at)
        values ('${appId}', '${id}', 'Hall ${minor}', '${uuid}', '${uuid.toLowerCase().replaceAll('-', '')}', 1, ${minor}, '{}', 0, 0)`),
    );
    await db.run(
      raw(`insert into notifications (app_id, object_id, description, beacon_id, event, type, message, is_enabled, created_at, updated_at)
        values ('${appId}', '${id.replace('B', 'N')}', 'Welcome ${minor}', '${id}', 'ENTER', 'TEXT', '{"alertTitle":"Welcome","alertMessage":"This is hall ${minor}."}', 1, 0, 0)`),
    );
  }
  for (let phone = 0; phone < phones; phone++)
    await post('installations', {
      installationId: `phone-${phone}`,
      deviceType: 'android',
      deviceToken: `token-of-phone-${phone}-${'x'.repeat(120)}`,
    });
  await app.idle();
  const count = async (table: string) =>
    Number((await db.one<{ n: number }>(raw(`select count(*) as n from ${table} where app_id = '${appId}'`)))?.n);
  const walk = async () => {
    const start = clock.now;
    for (let second = every; second <= visitsEach * (near + away) + 60; second += every) {
      clock.now = start + second * 1000;
      await Promise.all(
        Array.from({ length: phones }, (_, phone) =>
          post('sightings', {
            installationId: `phone-${phone}`,
            sightings: samples(phone, second, start),
            sentAt: clock.now,
          }),
        ),
      );
      await app.ticker.tick();
    }
    await app.idle();
    // What an hourly sweep takes; in a running service the room is used again.
    clock.now += 3_600_000;
    await app.retention.sweep();
    await app.idle();
    if (db.dialect.name === 'postgres') await db.run(raw('vacuum full sighting_keys'));
  };
  await walk();
  await halfWay(appId);
  const [visits, events] = [await count('visits'), await count('events')];
  await walk();
  return { visits: (await count('visits')) - visits, events: (await count('events')) - events };
}
