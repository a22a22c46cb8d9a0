import { findingOf } from '@pharos/sdk/sensing';
import { type Static, Type } from 'typebox';
import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import type { ServiceCondition } from '../../../condition.ts';
import type { Services } from '../../../services.ts';
import { hearing } from './report.ts';

/** What keeps the phones of an app from hearing beacons, counted: how many have each cause, by version of the app, and from day to day. */

const dayMs = 86_400_000;
/** A phone that has not reported for longer is no longer in the field. */
const presentMs = 30 * dayMs;
/** Far more than there are; phones can report what they like. */
const maxVersions = 200;
const maxShown = 8;

const phones = Type.Integer({ minimum: 0 });
const causes = Type.Array(
  Type.Object({ cause: Type.String({ description: 'As the client’s doctor names it, such as bluetoothOff' }), phones }),
  { description: 'The commonest first' },
);
export const sensingSchema = Type.Object({
  phones: Type.Integer({ minimum: 0, description: 'Those that have reported how they can sense in the last 30 days' }),
  causes,
  versions: Type.Array(
    Type.Object({
      appVersion: Type.Union([Type.String(), Type.Null()]),
      phones,
      causes,
    }),
    { description: 'The eight versions of the app that most phones have' },
  ),
});
type SensingFleet = Static<typeof sensingSchema>;

interface Row {
  readonly app_version: string | null;
  readonly sensing_cause: string;
  readonly n: number;
}

const total = (rows: readonly { readonly phones: number }[]) => rows.reduce((sum, { phones }) => sum + phones, 0);

/** The commonest first, without those that hear. */
function byCause(rows: readonly Row[]): SensingFleet['causes'] {
  const counted = [...Map.groupBy(rows, ({ sensing_cause }) => sensing_cause)].map(([cause, of]) => ({
    cause,
    phones: of.reduce((sum, { n }) => sum + Number(n), 0),
  }));
  return counted
    .filter(({ cause }) => cause !== hearing)
    .sort((a, b) => b.phones - a.phones || (a.cause < b.cause ? -1 : 1));
}

const countOf = (rows: readonly Row[]) => rows.reduce((sum, { n }) => sum + Number(n), 0);

/** Runs beside other requests. */
export async function countSensing(db: Db, appId: string, now: number): Promise<SensingFleet> {
  const rows = await db.all<Row>(
    sql`select app_version, sensing_cause, count(*) as n from installations
      where app_id = ${appId} and sensing_at >= ${now - presentMs} and sensing_cause is not null
      group by app_version, sensing_cause order by n desc, app_version, sensing_cause limit ${maxVersions}`,
    { tenant: appId },
  );
  const versions = [...Map.groupBy(rows, ({ app_version }) => app_version)]
    .map(([appVersion, of]) => ({ appVersion, phones: countOf(of), causes: byCause(of) }))
    .sort((a, b) => b.phones - a.phones);
  return { phones: countOf(rows), causes: byCause(rows), versions: versions.slice(0, maxShown) };
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Notes how many of those that reported in the last 24 hours have each cause. Called every hour; the last count of a day stays. */
async function noteSensingDay(db: Db, appId: string, now: number): Promise<void> {
  const rows = await db.all<{ sensing_cause: string; n: number }>(
    sql`select sensing_cause, count(*) as n from installations
      where app_id = ${appId} and sensing_at >= ${now - dayMs} and sensing_cause is not null group by sensing_cause`,
    { tenant: appId },
  );
  if (rows.length === 0) return;
  const day = dayOf(now);
  await db.transaction(async (db) => {
    await db.run(sql`delete from sensing_days where app_id = ${appId} and day = ${day}`);
    for (const { sensing_cause: cause, n } of rows)
      await db.run(
        sql`insert into sensing_days (app_id, day, cause, phones, created_at) values (${appId}, ${day}, ${cause}, ${n}, ${now})`,
      );
  });
}

/** Notes the day's counts of every app that has phones. */
export async function noteSensingDays({ db, now, appsWith, installationTable }: Services): Promise<void> {
  for (const appId of await appsWith(installationTable)) await noteSensingDay(db, appId, now());
}

/** Below this number of phones nothing is reported. */
const fewest = 20;
const days = 7;
/** A share that has grown by a tenth of all phones, and at least doubled. */
const jump = 0.1;

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** What more phones have than in the week before: a jump, mostly after a new version of the app or of the system. */
export async function findSensingConditions(db: Db, appId: string, now: number): Promise<readonly ServiceCondition[]> {
  const rows = await db.all<{ day: string; cause: string; phones: number }>(
    sql`select day, cause, phones from sensing_days
      where app_id = ${appId} and day >= ${dayOf(now - days * dayMs)} and day <= ${dayOf(now)}`,
  );
  const last = dayOf(now);
  const counted = rows.map((row) => ({ ...row, phones: Number(row.phones) }));
  const today = counted.filter(({ day }) => day === last);
  const before = counted.filter(({ day }) => day !== last);
  const [phones, phonesBefore] = [total(today), total(before)];
  if (phones < fewest || phonesBefore < fewest) return [];
  return today.flatMap(({ cause, phones: n }) => {
    const share = n / phones;
    const earlier = total(before.filter((one) => one.cause === cause)) / phonesBefore;
    const finding = findingOf(cause);
    if (!finding || share < earlier + jump || share < 2 * earlier) return [];
    return [
      {
        kind: 'sensing' as const,
        key: `sensing ${cause}`,
        isGrave: finding.stops === 'hearing',
        title: 'More phones hear no beacons',
        text: `${percent(share)} of the phones that reported in the last 24 hours, and ${percent(earlier)} in the week before: ${finding.text}`,
      },
    ];
  });
}
