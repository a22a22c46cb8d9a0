import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Deletion } from '../../../components/dialogs/confirm-dialog.tsx';
import { useDeleteAsShown } from '../../../components/dialogs/use-delete-as-shown.ts';
import { Row, RowButton, RowList } from '../../../components/list/row-list.tsx';
import { Block, Icon, Loading } from '../../../components/page/blocks.tsx';
import { Fact, Facts, TimeFact } from '../../../components/page/facts.tsx';
import { EditOrDelete, once, RecordPage } from '../../../components/page/page-header.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { useMay } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import { addressOfPage } from '../../../lib/data/whose-page.ts';
import { useTimes } from '../../../lib/time/times.ts';
import type { Report } from '../../../lib/wire.ts';
import { t, translated } from '../../../lib/words/words.ts';
import { periodText } from '../period.ts';
import { MailView } from './mail-view.tsx';
import { previewQuery, reportQuery, reportsKey, reportsQuery } from './queries.ts';
import { ReportSwitch } from './report-switch.tsx';
import { MailNote } from './reports-page.tsx';
import { everyText, mailStates, nextText, recipientResult, recipientText, titleOf } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/analytics/reports/$reportId');
const list = '/apps/$appId/activity/analytics/reports';

export function ReportPage() {
  const { appId, reportId } = route.useParams();
  const reports = useQuery(reportsQuery(appId));
  const query = once(useQuery(reportQuery(appId, reportId)), reports);
  const { data: known } = reports;
  const mayWrite = useMay()('reports.write');
  const edit = { to: `${list}/$reportId/edit`, params: { appId, reportId } };
  const copy = { to: `${list}/new`, params: { appId }, from: reportId };
  return (
    <RecordPage
      query={query}
      title={(report) => (report ? titleOf(report) : t('Report by mail'))}
      all={{ label: t('All reports'), to: list, params: { appId } }}
      action={(report) =>
        mayWrite && <EditOrDelete edit={edit} copy={copy} deletion={<DeleteReport appId={appId} report={report} />} />
      }
    >
      {(report) => (
        <>
          {known && <MailNote canMail={known.canMail} />}
          <ReportFacts appId={appId} report={report} canMail={known?.canMail} />
          <Recipients appId={appId} report={report} canMail={known?.canMail ?? true} />
          {report.last && <LastBlock appId={appId} report={report} last={report.last} />}
          <PreviewBlock appId={appId} report={report} canMail={known?.canMail ?? false} />
        </>
      )}
    </RecordPage>
  );
}

interface Props {
  readonly appId: string;
  readonly report: Report;
}

function DeleteReport({ appId, report }: Props) {
  const params = { appId, reportId: report.reportId };
  const remove = useDeleteAsShown<Report>({
    name: titleOf(report),
    shown: report,
    members: ['venueId', 'every', 'isOn', 'administrators', 'addresses'],
    read: async () => (await call('getReport', { params })).result,
    send: (ifMatch) => call('deleteReport', { params, ifMatch }),
    refresh: [reportsKey(appId)],
  });
  return (
    <Deletion
      title={t('Delete the report')}
      run={remove}
      done={t('The report was deleted.')}
      refresh={[reportsKey(appId)]}
      leave={{ to: list, params: { appId }, forget: reportQuery(appId, report.reportId).queryKey }}
    >
      {t('Nobody gets it any more. Addresses that have confirmed would have to confirm again.')}
    </Deletion>
  );
}

interface FactsProps extends Props {
  /** Undefined until it is known. */
  readonly canMail: boolean | undefined;
}

function ReportFacts({ appId, report, canMail }: FactsProps) {
  const times = useTimes(appId);
  return (
    <Block title={t('Facts')}>
      <Facts>
        <Fact label={t('How often')}>{everyText(report)}</Fact>
        <Fact label={t('State')}>{canMail !== undefined && nextText(report, canMail)}</Fact>
        <Fact label={t('Set up by')}>{report.createdBy}</Fact>
        <TimeFact label={t('Changed')}>{times.dateTime(report.updatedAt)}</TimeFact>
      </Facts>
      <Group mt="md">
        <ReportSwitch appId={appId} report={report} text={t('On')} />
      </Group>
    </Block>
  );
}

function Recipients({ appId, report, canMail }: Props & { readonly canMail: boolean }) {
  const mayAsk = useMay()('reports.write') && canMail;
  const ask = useAction({
    run: (addressId: string) => call('askReportAddress', { params: { appId, reportId: report.reportId, addressId } }),
    done: t('Another mail is on its way.'),
  });
  return (
    <Block title={t('Who gets it')} about={t('What each person may see is looked at when the report is sent.')}>
      <RowList rows={report.recipients} error={null} label={t('Who gets it')}>
        {(recipient) => (
          <Row
            key={recipient.id}
            title={recipient.name}
            facts={[recipient.email !== recipient.name && recipient.email, recipientText(recipient)]}
            tools={
              <>
                {mayAsk && recipient.state === 'waits' && (
                  <RowButton
                    label={t('Send the link again')}
                    isBusy={ask.isPending}
                    onClick={() => ask.mutate(recipient.id)}
                  />
                )}
                <RecipientBadge recipient={recipient} canMail={canMail} />
              </>
            }
          />
        )}
      </RowList>
    </Block>
  );
}

interface BadgeProps {
  readonly recipient: Report['recipients'][number];
  readonly canMail: boolean;
}

function RecipientBadge({ recipient, canMail }: BadgeProps) {
  const { color, label } = recipientResult(recipient, canMail);
  return <Badge color={color}>{label}</Badge>;
}

function LastBlock({ appId, report, last }: Props & { readonly last: NonNullable<Report['last']> }) {
  const times = useTimes(appId);
  const period = periodText({ unit: report.every, from: last.from, until: last.until });
  return (
    <Block
      title={t('The last one')}
      about={t('About {period}, made on {at}.', { period, at: times.dateTime(last.at) })}
    >
      {last.problem !== '' && (
        <Alert color="red" icon={<Icon name="warning" />}>
          {translated(last.problem)}
        </Alert>
      )}
      <RowList rows={last.mails} error={null} label={t('Mails of the last report')}>
        {({ to, state, message, at }) => (
          <Row
            key={to}
            title={to}
            facts={[message && translated(message), at && times.dateTime(at)]}
            tools={<Badge color={mailStates[state].color}>{mailStates[state].label}</Badge>}
          />
        )}
      </RowList>
    </Block>
  );
}

function PreviewBlock({ appId, report, canMail }: Props & { readonly canMail: boolean }) {
  const { reportId } = report;
  const { data, error } = useQuery(previewQuery(appId, reportId));
  const send = useAction({
    run: async () => (await call('sendReport', { params: { appId, reportId } })).result,
  });
  const period = data && periodText({ unit: report.every, from: data.from, until: data.until });
  return (
    <Block
      title={t('Preview')}
      about={t(
        'The mail about the last period that is over, as you would get it: each administrator in the language of their console.',
      )}
    >
      <Group mb="md" gap="sm">
        {canMail && (
          <Button variant="filled" loading={send.isPending} onClick={() => send.mutate()}>
            {t('Send it to me now')}
          </Button>
        )}
        <Button component="a" href={addressOfPage(`/console/api/apps/${appId}/reports/${reportId}/pdf`)} download>
          {t('Download the PDF')}
        </Button>
      </Group>
      {send.data && (
        <Alert color={send.data.ok ? 'teal' : 'red'} role="status" mb="md">
          {send.data.ok
            ? t('The mail server took the mail to {to}.', { to: send.data.to })
            : t('It could not be sent: {message}', { message: translated(send.data.message) })}
        </Alert>
      )}
      <Loading data={data} error={error} height={420} />
      {data && (
        <>
          <Text mb="xs">{t('Subject: {subject}', { subject: data.subject })}</Text>
          <MailView html={data.html} label={t('The mail about {period}', { period: period ?? '' })} />
        </>
      )}
    </Block>
  );
}
