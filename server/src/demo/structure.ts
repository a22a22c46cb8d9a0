import type { FastifyInstance } from 'fastify';
import { randomText } from '../base/id.ts';
import type { AdminService } from '../features/operate/admins/accounts/service.ts';
import type { AppService } from '../features/operate/apps/service.ts';
import type { UserService } from '../features/people/users/service.ts';
import { dayMs } from './calendar.ts';
import { demoDevices, exhibitColumns, exhibits, people } from './collection.ts';
import { floorNames, hallOf, halls, museum } from './halls.ts';
import { notificationPlans, type ScenarioPlan, storylinePlans } from './messages.ts';
import { readDemoFile, writeVenue } from './venue.ts';

/**
 * The museum's configuration, written through the interface, so that the demo contains only what the product accepts.
 */

/** The service, with a clock that is set to the time at which something was created. */
export interface DemoStage {
  readonly server: FastifyInstance;
  readonly apps: AppService;
  readonly admins: AdminService;
  readonly users: UserService;
  readonly clock: { now: number };
  readonly headerPrefix: string;
}

export interface Built {
  readonly appId: string;
  readonly appKey: string;
  readonly userId: string;
}

const demoPolicy = {
  timeZone: museum.timeZone,
  listUsers: 'manager',
  push: 'manager',
  readContent: 'app',
  writeContent: 'manager',
  // Longer than the demo's year, so that nothing of it is purged at once.
  retentionDays: { logs: 800, visits: 800, events: 800 },
  delivery: { caps: [{ count: 8, per: 'app', window: 'day' }], quietHours: { from: '21:00', until: '08:00' } },
} as const;

class Writer {
  readonly #stage: DemoStage;
  readonly #madeAt: number;
  #headers: Readonly<Record<string, string>>;

  constructor(stage: DemoStage, madeAt: number, app: { readonly appId: string; readonly appKey: string }) {
    const { headerPrefix } = stage;
    this.#stage = stage;
    this.#madeAt = madeAt;
    this.#headers = { [`${headerPrefix}appid`]: app.appId, [`${headerPrefix}appkey`]: app.appKey };
  }

  bear(token: string): void {
    this.#headers = { ...this.#headers, authorization: `Bearer ${token}` };
  }

  /** Sets the clock to a time in the past; no two things of the museum were created in the same minute. */
  at(daysAgo: number): void {
    const { clock } = this.#stage;
    const then = this.#madeAt - daysAgo * dayMs;
    clock.now = then > clock.now && daysAgo > 0 ? then : clock.now + 60_000;
  }

  /** @throws Error when the service refuses: then the demo is wrong */
  // biome-ignore lint/suspicious/noExplicitAny: what the service answers is its interface, which the callers know
  async post(path: string, body: object, type?: string): Promise<any> {
    const headers = { ...this.#headers, 'content-type': type ?? 'application/json' };
    const payload = Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const answer = await this.#stage.server.inject({ method: 'POST', url: `/api/v2${path}`, headers, payload });
    if (answer.statusCode >= 300) throw new Error(`The demo could not be made: POST ${path}: ${answer.payload}`);
    return JSON.parse(answer.payload);
  }
}

const idOf = (answer: { readonly objectId?: string; readonly result?: { readonly objectId: string } }): string =>
  answer.objectId ?? answer.result?.objectId ?? '';

export async function buildStructure(stage: DemoStage, madeAt: number): Promise<Built> {
  stage.clock.now = madeAt - 400 * dayMs;
  const app = await stage.apps.create(museum.name);
  // One sign-in lasts for the whole year; the usual lifetime is restored at the end.
  await stage.apps.change(app.appId, { policy: { ...demoPolicy, tokenDays: 3650 } });
  const writer = new Writer(stage, madeAt, app);
  const userId = await writePeople({ ...stage, appId: app.appId }, writer);
  const beacons = await writeBeacons(writer, await writeVenue(writer, madeAt));
  const files = await writeFiles(writer);
  await writeExhibits(writer);
  for (const device of demoDevices) {
    writer.at(0);
    await writer.post('/device', device);
  }
  await writeMessages(writer, { beacons, files, madeAt });
  stage.clock.now = madeAt;
  await writeTelemetry(writer, { beacons, madeAt });
  await writer.post('/users/signout', {});
  await stage.apps.change(app.appId, { policy: { tokenDays: 30 } });
  return { appId: app.appId, appKey: app.appKey, userId };
}

type Ids = ReadonlyMap<string, string>;

/** Two batteries will soon be empty; the others last for a year and more. Per cent of today. */
const lowBatteries: Readonly<Record<string, number>> = { fossils: 9, foghorn: 5 };
const telemetryDays = 29;

/** What the beacons have told of themselves each day at noon. */
async function writeTelemetry(writer: Writer, { beacons, madeAt }: { beacons: Ids; madeAt: number }): Promise<void> {
  const readings = halls.flatMap(({ key, floor }, index) =>
    Array.from({ length: telemetryDays }, (_, daysAgo) => {
      const today = lowBatteries[key] ?? 55 + ((index * 7) % 44);
      const perDay = key in lowBatteries ? 0.35 : 0.12;
      return {
        beaconId: beacons.get(key),
        occurredAt: new Date(madeAt - (daysAgo + 0.5) * dayMs).toISOString(),
        battery: Math.round(today + perDay * daysAgo),
        temperature: Math.round(10 * (20.5 + floor - 0.8 * Math.cos(daysAgo / 3 + index))) / 10,
        firmware: index % 5 === 0 ? '2.3.0' : '2.4.1',
      };
    }),
  );
  await writer.post('/telemetry', { readings });
}

/** Returns the id of the first manager, who is signed in from then on. */
async function writePeople(stage: DemoStage & { readonly appId: string }, writer: Writer): Promise<string> {
  const { users, appId } = stage;
  const ids: string[] = [];
  let token = '';
  for (const { role, ...person } of people) {
    writer.at(0);
    // Not from the seed: people who know the source must not know the password.
    const password = randomText(30);
    const userId = idOf(await writer.post('/users', { ...person, password }));
    ids.push(userId);
    if (role === 'manager') await users.setUserRole({ appId, userId }, role);
    if (ids.length === 1)
      token = (await writer.post('/users/signin', { email: person.email, password })).accessToken as string;
  }
  writer.bear(token);
  return ids[0] ?? '';
}

async function writeBeacons(writer: Writer, venueId: string): Promise<Ids> {
  const ids = new Map<string, string>();
  for (const [index, { key, name, x, y, floor }] of halls.entries()) {
    writer.at(0);
    const beacon = {
      name,
      uuid: museum.uuid,
      major: floor + 1,
      minor: index + 1,
      location: { x, y, floor },
      metadata: { hall: name, floor: floorNames[floor] },
      measuredPower: -59,
      venueId: { __type: 'Pointer', className: 'Venue', objectId: venueId },
    };
    ids.set(key, idOf(await writer.post('/beacons', beacon)));
  }
  return ids;
}

const pictures = ['whale-hall', 'first-order-lens', 'view-from-the-lantern', 'clockwork', 'harbour-in-winter'];

async function writeFiles(writer: Writer): Promise<Ids> {
  const addresses = new Map<string, string>();
  for (const name of [...pictures.map((picture) => `${picture}.png`), 'visitor-guide.pdf']) {
    writer.at(0);
    const type = name.endsWith('.png') ? 'image/png' : 'application/pdf';
    const { url } = await writer.post(`/files/${name}`, await readDemoFile(name), type);
    addresses.set(name, url as string);
  }
  return addresses;
}

async function writeExhibits(writer: Writer): Promise<void> {
  writer.at(0);
  await writer.post('/data/schema/exhibits', { column: exhibitColumns });
  for (const { hall, year, ...exhibit } of exhibits) {
    writer.at(0);
    const acquiredAt = new Date(Date.UTC(Math.max(year + 3, 1956), year % 12, 1 + (year % 28)))
      .toISOString()
      .slice(0, 10);
    await writer.post('/data/bucket/exhibits', { metadata: { ...exhibit, year, hall: hallOf(hall).name, acquiredAt } });
  }
}

interface Site {
  readonly beacons: Ids;
  readonly files: Ids;
  readonly madeAt: number;
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** In the order of creation, since the clock only goes forward. */
async function writeMessages(writer: Writer, site: Site): Promise<void> {
  const works = [
    ...notificationPlans(site.madeAt).map((plan) => ({
      daysAgo: plan.daysAgo,
      write: () => writeNotification(writer, plan, site),
    })),
    ...storylinePlans.map((plan) => ({ daysAgo: plan.daysAgo, write: () => writeStoryline(writer, plan, site) })),
  ];
  for (const { daysAgo, write } of works.sort((a, b) => b.daysAgo - a.daysAgo)) {
    writer.at(daysAgo);
    await write();
  }
}

async function writeNotification(
  writer: Writer,
  { hall, shows, delivery, trial, description, event, isEnabled }: ReturnType<typeof notificationPlans>[number],
  { beacons, files }: Site,
): Promise<void> {
  const { type } = shows;
  const message =
    type === 'TEXT'
      ? { alertTitle: shows.title, alertMessage: shows.text }
      : { url: type === 'IMAGE' ? files.get(shows.file) : shows.url };
  const beaconId = { __type: 'Pointer', className: 'Beacon', objectId: beacons.get(hall) };
  const rules = {
    language: museum.language,
    ...(delivery === undefined ? {} : { delivery }),
    ...(trial === undefined
      ? {}
      : {
          holdout: trial.holdout,
          goal: { kind: 'visit', beaconId: beacons.get(trial.hall), withinHours: trial.withinHours },
        }),
  };
  await writer.post('/notifications', { description, beaconId, event, type, message, isEnabled, ...rules });
}

async function writeStoryline(
  writer: Writer,
  { title, isEnabled, scenarios }: (typeof storylinePlans)[number],
  site: Site,
): Promise<void> {
  const id = idOf(await writer.post('/storylines', { title, isEnabled }));
  for (const scenario of scenarios) {
    writer.at(0);
    await writer.post(`/storylines/${id}/detail`, scenarioBody(scenario, site));
  }
}

function scenarioBody(scenario: ScenarioPlan, { beacons, files }: Site): object {
  const { campaign, event, image, page, video, delivery } = scenario;
  const imageUrl = image === undefined ? undefined : files.get(image);
  return {
    beacons: scenario.halls.map((hall) => beacons.get(hall)),
    campaign,
    event,
    showOn: days.map((dayName) => ({ dayName, checked: scenario.days.split(' ').includes(dayName) })),
    alertTitle: scenario.title,
    alertMessage: scenario.text,
    language: museum.language,
    ...(imageUrl === undefined ? {} : { urlImageAndroid: imageUrl, urlImageIOS: imageUrl }),
    ...(page === undefined ? {} : { urlPage: page }),
    ...(video === undefined ? {} : { urlVideo: video }),
    ...(delivery === undefined ? {} : { delivery }),
  };
}
