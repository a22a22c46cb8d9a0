import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { createdRecordAnswer, deletedAnswer, recordAnswer } from '../../../http/answers.ts';
import {
  type AdminContext,
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  FileDownload,
  signedIn,
} from '../../../http/console/console-endpoint.ts';
import type { RateRule } from '../../../limits/rate-limit.ts';
import type { MailSender } from '../../../mail/mail-sender.ts';
import { mailWords } from '../../../mail/words/mail-words.ts';
import { dayIn } from '../../zone-day.ts';
import { type ComposeDeps, compose } from './compose.ts';
import { htmlOf } from './content/html.ts';
import { pdfOf } from './content/pdf.ts';
import { periodBefore, startOf } from './content/periods.ts';
import { textOf } from './content/text.ts';
import { adminFoot, fileName, letterOf } from './mails.ts';
import * as schemas from './schemas.ts';
import {
  type ReportBody,
  type ReportDeps,
  type ReportService,
  reportTag,
  seesAddresses,
  type Viewer,
} from './service.ts';
import { candidatesOf, viewsOf } from './views.ts';

export interface ReportRouteDeps extends ReportDeps, ComposeDeps {
  readonly service: ReportService;
  readonly mail: MailSender | undefined;
}

const all = '/apps/:appId/reports';
const one = `${all}/:reportId`;
type Params = Readonly<Record<string, string>>;
const keyOf = ({ appId = '', reportId = '' }: Params) => ({ appId, reportId });

const viewerOf = (admin: AdminContext | undefined): Viewer => ({
  ...signedIn(admin),
  isDisabled: false,
  venues: signedIn(admin).venues,
});

/** How often a report may be looked at: it costs a dozen queries and a thread. */
const looks: RateRule = { perSecond: 1 / 2, burst: 20 };
const sendings: RateRule = { perSecond: 1 / 60, burst: 5 };

/** Reports by mail, in the console. Who is limited to venues has those about these. */
export function reportEndpoints(deps: ReportRouteDeps): readonly ConsoleEndpoint[] {
  return [...listEndpoints(deps), ...changeEndpoints(deps), ...previewEndpoints(deps)];
}

const common = { narrows: 'venues' } as const;
const schema = schemas.reportSchema;
const body = schemas.reportBody;

async function shown(
  deps: ReportRouteDeps,
  reportId: string,
  { params, admin, setTag }: Pick<ConsoleCall<unknown>, 'params' | 'admin' | 'setTag'>,
) {
  const { appId = '' } = params;
  const viewer = viewerOf(admin);
  const [result] = await viewsOf(deps, appId, viewer, reportId);
  if (!result) throw fail('ObjectNotFound', `There is no report ${reportId}.`);
  // From a tag the addresses that are masked could be guessed. Who is not shown them changes nothing either.
  if (seesAddresses(viewer))
    setTag(reportTag(await deps.service.bodyOf(deps.db, await deps.service.get({ appId, reportId }, viewer))));
  return { result };
}

function listEndpoints(deps: ReportRouteDeps): readonly ConsoleEndpoint[] {
  const { service, canMail } = deps;
  return [
    consoleEndpoint({
      ...common,
      method: 'GET',
      path: all,
      operationId: 'listReports',
      summary: 'List the reports by mail of an app, and what became of the last ones',
      permission: 'reports.read',
      answer: { status: 200, schema: schemas.reportList },
      async handle({ params: { appId = '' }, admin }) {
        const viewer = viewerOf(admin);
        return {
          results: await viewsOf(deps, appId, viewer),
          canMail,
          candidates: await candidatesOf(deps, appId, viewer),
        };
      },
    }),
    consoleEndpoint<ReportBody>({
      ...common,
      method: 'POST',
      path: all,
      operationId: 'createReport',
      summary: 'Have figures sent to people each week or month',
      description: 'What has passed is not sent: the first report is about the period that ends next.',
      permission: 'reports.write',
      body: { ...body, read: schemas.reportShape.readCreate },
      answer: createdRecordAnswer(schema),
      async handle(call) {
        const reportId = await service.create(call.params['appId'] ?? '', call.body, call.by, viewerOf(call.admin));
        return shown(deps, reportId, call);
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'GET',
      path: one,
      operationId: 'getReport',
      summary: 'Get a report',
      permission: 'reports.read',
      answer: recordAnswer(schema),
      handle: (call) => shown(deps, keyOf(call.params).reportId, call),
    }),
  ];
}

function changeEndpoints(deps: ReportRouteDeps): readonly ConsoleEndpoint[] {
  const { service } = deps;
  return [
    consoleEndpoint<Partial<ReportBody>>({
      ...common,
      method: 'PUT',
      path: one,
      operationId: 'changeReport',
      summary: 'Change a report, or switch it off or on; members that are left out stay',
      permission: 'reports.write',
      body: { ...body, read: (sent) => schemas.reportShape.readUpdate(sent).set as Partial<ReportBody> },
      answer: recordAnswer(schema),
      takesIfMatch: true,
      async handle(call) {
        const key = keyOf(call.params);
        const how = { by: call.by, viewer: viewerOf(call.admin), assertUnchanged: call.assertUnchanged };
        await service.change(key, call.body, how);
        return shown(deps, key.reportId, call);
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'DELETE',
      path: one,
      operationId: 'deleteReport',
      summary: 'Delete a report with the addresses that it goes to',
      permission: 'reports.write',
      answer: deletedAnswer,
      takesIfMatch: true,
      async handle({ params, by, admin, assertUnchanged }) {
        const how = { by, viewer: viewerOf(admin), assertUnchanged };
        await service.remove(keyOf(params), how);
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'POST',
      path: `${one}/addresses/:addressId/link`,
      operationId: 'askReportAddress',
      summary: 'Send another mail to an address that has not confirmed',
      permission: 'reports.write',
      answer: deletedAnswer,
      handle: ({ params, by, admin }) =>
        service.askAgain({ ...keyOf(params), addressId: params['addressId'] ?? '' }, by, viewerOf(admin)),
    }),
  ];
}

/** The report about the last period that is over, as whoever asks may see it. */
async function composedFor(deps: ReportRouteDeps, params: Params, admin: AdminContext | undefined, now: number) {
  const { service, limiter, findApp, findVenue, publicUrl } = deps;
  const key = keyOf(params);
  const viewer = viewerOf(admin);
  const row = await service.get(key, viewer);
  limiter.take(`report looks ${viewer.adminId}`, looks, now);
  const venue = row.venue_id === null ? undefined : await findVenue(key.appId, row.venue_id);
  const app = await findApp(key.appId);
  // As the console does: in days of the app.
  const today = dayIn(app?.timeZone ?? venue?.timeZone ?? 'UTC', now).day;
  const period = periodBefore(row.every, startOf(row.every, today));
  const people = await deps.listAdmins(deps.db);
  const words = mailWords(people.find(({ adminId }) => adminId === viewer.adminId)?.language);
  const composed = await compose(deps, row, period, { venues: viewer.venues }, words);
  if (!composed) throw fail('ObjectNotFound', 'The venue of this report has been deleted.');
  return { viewer, period, composed, foot: adminFoot(publicUrl(), key.appId, words) };
}

function previewEndpoints(deps: ReportRouteDeps): readonly ConsoleEndpoint[] {
  const { mail, limiter } = deps;
  const answers = schemas.previewRecord;
  return [
    consoleEndpoint({
      ...common,
      method: 'GET',
      path: `${one}/preview`,
      operationId: 'previewReport',
      summary: 'Show the mail about the last period that is over',
      permission: 'reports.read',
      answer: recordAnswer(answers),
      async handle({ params, admin, now }) {
        const { composed, period, foot } = await composedFor(deps, params, admin, now);
        const { document } = composed;
        return {
          result: { ...period, subject: document.subject, html: htmlOf(document, foot), text: textOf(document, foot) },
        };
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'GET',
      path: `${one}/pdf`,
      operationId: 'downloadReport',
      summary: 'Download the report about the last period that is over',
      permission: 'reports.read',
      answer: {
        status: 200,
        schema: Type.String({ description: 'A PDF' }),
      },
      async handle({ params, admin, now }) {
        const { composed, period } = await composedFor(deps, params, admin, now);
        const bytes = await pdfOf(composed.document, now);
        return new FileDownload(fileName(period), 'application/pdf', Readable.from([bytes]));
      },
    }),
    consoleEndpoint({
      ...common,
      method: 'POST',
      path: `${one}/send`,
      operationId: 'sendReport',
      summary: 'Send the report about the last period that is over to oneself, now',
      permission: 'reports.read',
      answer: recordAnswer(schemas.sentRecord),
      async handle({ params, admin, now }) {
        if (!mail) throw fail('OperationForbidden', 'No mail server is configured for this service (PHAROS_SMTP_URL).');
        const { viewer, composed, period, foot } = await composedFor(deps, params, admin, now);
        limiter.take(`report sendings ${viewer.adminId}`, sendings, now);
        const letter = await letterOf(composed, { foot }, now, period);
        try {
          await mail.send({ to: viewer.email, ...letter });
          return { result: { to: viewer.email, ok: true, message: '' } };
        } catch (error) {
          return {
            result: { to: viewer.email, ok: false, message: error instanceof Error ? error.message : String(error) },
          };
        }
      },
    }),
  ];
}
