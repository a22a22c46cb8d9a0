import { isAllowed } from '../../../access/roles.ts';
import { isoTime } from '../../../http/answers.ts';
import { duePeriod, nextDay, sendingHour } from './content/periods.ts';
import { latestOf, outcomeOf } from './findings.ts';
import { type Admin, sightOf } from './people.ts';
import { type ReportDeps, type ReportService, seesAddresses, type Viewer } from './service.ts';
import * as store from './store.ts';

/** Reports as the console shows them: to whom, when next, and what became of the last one. */

const dayMs = 86_400_000;
const lookBackMs = 100 * dayMs;
const time = `${String(sendingHour).padStart(2, '0')}:00`;

/** `d…@example.org` */
const masked = (email: string): string => `${[...email][0] ?? ''}…${email.slice(email.lastIndexOf('@'))}`;

type Deps = Pick<ReportDeps, 'db' | 'now' | 'findApp' | 'findVenue' | 'listAdmins'> & {
  readonly service: ReportService;
};

export async function viewsOf(deps: Deps, appId: string, viewer: Viewer, only?: string) {
  const { db, now, service, listAdmins } = deps;
  const rows = (await service.list(appId, viewer)).filter(({ report_id }) => only === undefined || report_id === only);
  const admins = new Map((await listAdmins(db)).map((admin) => [admin.adminId, admin]));
  const addresses = Map.groupBy(await store.listAddresses(db, appId), ({ report_id }) => report_id);
  const latest = latestOf(await store.listMails(db, appId, now() - lookBackMs));
  const known = { admins, addresses, latest };
  return Promise.all(rows.map((row) => viewOf(deps, row, viewer, known)));
}

interface Known {
  readonly admins: ReadonlyMap<string, Admin>;
  readonly addresses: ReadonlyMap<string, readonly store.AddressRow[]>;
  readonly latest: ReadonlyMap<string, readonly store.MailRow[]>;
}

async function viewOf(
  { now, findApp, findVenue }: Deps,
  row: store.ReportRow,
  viewer: Viewer,
  { admins, addresses, latest }: Known,
) {
  const app = await findApp(row.app_id);
  const venue = row.venue_id === null ? undefined : await findVenue(row.app_id, row.venue_id);
  const isGone = row.venue_id !== null && !venue;
  const timeZone = venue?.timeZone ?? app?.timeZone ?? 'UTC';
  const own = addresses.get(row.report_id) ?? [];
  const isOn = row.is_on === 1;
  const due = duePeriod(row.every, timeZone, now());
  const rows = latest.get(row.report_id) ?? [];
  const isWaiting = isOn && due.until > row.begins_after && rows[0]?.period_from !== due.from;
  const show = (email: string) => (seesAddresses(viewer) ? email : masked(email));
  return {
    reportId: row.report_id,
    venueId: row.venue_id,
    every: row.every,
    isOn,
    administrators: JSON.parse(row.administrators) as string[],
    addresses: own.map(({ email }) => show(email)),
    name: row.venue_id === null ? (app?.name ?? '') : (venue?.name ?? 'Deleted venue'),
    timeZone,
    recipients: recipientsOf(row, { admins, own, viewer, show, isGone }),
    next: isOn && !isGone ? { day: isWaiting ? due.until : nextDay(row.every, due.until), time } : null,
    last: lastOf(rows, now(), show),
    createdBy: show(row.set_up_by),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

interface Recipients {
  readonly admins: ReadonlyMap<string, Admin>;
  readonly own: readonly store.AddressRow[];
  readonly viewer: Viewer;
  readonly show: (email: string) => string;
  /** The venue of the report was deleted. */
  readonly isGone: boolean;
}

const noVenue = { state: 'withheld', message: 'The venue has been deleted.' } as const;

function recipientsOf(row: store.ReportRow, { admins, own, viewer, show, isGone }: Recipients) {
  const about = { appId: row.app_id, venueId: row.venue_id };
  const people = (JSON.parse(row.administrators) as string[]).map((id) => {
    const admin = admins.get(id);
    const isFit = sightOf(admin, about) !== undefined;
    const why =
      admin === undefined
        ? 'No longer an administrator.'
        : admin.isDisabled
          ? 'The account is switched off.'
          : 'May not see these figures.';
    return {
      kind: 'administrator',
      id,
      name: admin?.name ?? id,
      email: admin && (seesAddresses(viewer) || id === viewer.adminId) ? admin.email : null,
      state: isFit ? 'gets' : 'withheld',
      message: isFit ? '' : why,
      ...(isFit && isGone ? noVenue : {}),
    };
  });
  const others = own.map(({ address_id, email, confirmed_at, added_by }) => {
    const isVouched = sightOf(admins.get(added_by), about, 'reports.write') !== undefined;
    const state = confirmed_at === null ? 'waits' : isVouched ? 'gets' : 'withheld';
    const why = {
      gets: '',
      waits: 'Has not confirmed yet.',
      withheld: 'Whoever added the address may no longer share these figures. Save the report again to answer for it.',
    };
    return {
      kind: 'address',
      id: address_id,
      name: show(email),
      email: seesAddresses(viewer) ? email : null,
      state,
      message: why[state],
      ...(state === 'gets' && isGone ? noVenue : {}),
    };
  });
  return [...people, ...others];
}

function lastOf(rows: readonly store.MailRow[], now: number, show: (email: string) => string) {
  const period = rows.find(({ recipient }) => recipient === '');
  if (!period) return null;
  const mails = rows
    .filter(({ recipient }) => recipient !== '')
    .map((row) => {
      const state = outcomeOf(row, now);
      return {
        to: show(row.email),
        state: state === 'sending' ? 'waits' : state,
        message: row.message,
        at: row.ended_at === null ? null : isoTime(row.ended_at),
      };
    });
  return {
    from: period.period_from,
    until: period.period_until,
    at: isoTime(period.made_at),
    problem: period.state === 'made' ? '' : period.message,
    mails,
  };
}

/** Administrators who can get a report, as far as the viewer may see them. */
export async function candidatesOf({ db, listAdmins }: Deps, appId: string, viewer: Viewer) {
  const seesAll = viewer.apps === null && isAllowed(viewer.role, 'administrators.read');
  return (await listAdmins(db)).flatMap((admin) => {
    if (!seesAll && admin.adminId !== viewer.adminId) return [];
    const { venues } = standing(admin, appId) ?? {};
    if (!standing(admin, appId)) return [];
    return [{ adminId: admin.adminId, name: admin.name, email: admin.email, venueIds: venues ? [...venues] : null }];
  });
}

/** Whether an administrator may see figures of the app at all, and of which venues. */
function standing(admin: Admin, appId: string) {
  const whole = sightOf(admin, { appId, venueId: null });
  if (whole) return whole;
  const venues = admin.apps?.find((one) => one.appId === appId)?.venues ?? [];
  const fit = venues.filter((venueId) => sightOf(admin, { appId, venueId }));
  return fit.length > 0 ? { venues: fit } : undefined;
}
