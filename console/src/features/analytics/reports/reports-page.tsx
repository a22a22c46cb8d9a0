import { Alert, Badge, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Row, RowList } from '../../../components/list/row-list.tsx';
import { TextLink } from '../../../components/names/names.tsx';
import { EmptyState, Icon, LinkButton } from '../../../components/page/blocks.tsx';
import { useMay } from '../../../lib/data/access.ts';
import { useTimes } from '../../../lib/time/times.ts';
import type { Report } from '../../../lib/wire.ts';
import { t } from '../../../lib/words/words.ts';
import { AnalyticsHead } from '../head.tsx';
import { reportsQuery } from './queries.ts';
import { ReportSwitch } from './report-switch.tsx';
import { everyText, nextText, recipientsText, resultOf, titleOf } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/activity/analytics/reports');

/** Figures that go to people by mail. */
export function ReportsPage() {
  const { appId } = route.useParams();
  const { data, error } = useQuery(reportsQuery(appId));
  const mayWrite = useMay()('reports.write');
  const add = mayWrite && (
    <LinkButton to="/apps/$appId/activity/analytics/reports/new" params={{ appId }} icon="plus">
      {t('Set up a report')}
    </LinkButton>
  );
  return (
    <>
      <AnalyticsHead
        appId={appId}
        path="/apps/$appId/activity/analytics/reports"
        search={route.useSearch()}
        about={t(
          'Last week’s or last month’s figures by mail, with a PDF, to people who want to read them and not look for them.',
        )}
      />
      {data && <MailNote canMail={data.canMail} />}
      {data && data.results.length > 0 && (
        <Group justify="flex-end" mb="md">
          {add}
        </Group>
      )}
      <RowList
        rows={data?.results}
        error={error}
        label={t('Reports by mail')}
        height={160}
        empty={
          <EmptyState
            icon="file"
            title={t('No reports yet')}
            text={t(
              'A report comes on Monday morning or on the first of the month: visitors by day and hour, how long they stayed, the busiest zones, and what changed.',
            )}
            action={add}
          />
        }
      >
        {(report) => <ReportRow key={report.reportId} appId={appId} report={report} canMail={data?.canMail ?? false} />}
      </RowList>
    </>
  );
}

/** Without a mail server nothing is sent. */
export function MailNote({ canMail }: { readonly canMail: boolean }) {
  if (canMail) return null;
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} mb="md">
      {t(
        'This service sends no mail: no mail server is set up. Whoever runs the service can set one up. Until then reports can be looked at and downloaded here.',
      )}
    </Alert>
  );
}

interface RowProps {
  readonly appId: string;
  readonly report: Report;
  readonly canMail: boolean;
}

function ReportRow({ appId, report, canMail }: RowProps) {
  const times = useTimes(appId);
  const { color, label } = resultOf(report);
  const { reportId, last } = report;
  return (
    <Row
      title={
        <TextLink to="/apps/$appId/activity/analytics/reports/$reportId" params={{ appId, reportId }}>
          {titleOf(report)}
        </TextLink>
      }
      facts={[
        everyText(report),
        t('To {names}', { names: recipientsText(report) }),
        nextText(report, canMail),
        last && t('Last on {at}', { at: times.dateTime(last.at) }),
      ]}
      tools={
        <>
          <Badge color={color}>{label}</Badge>
          <ReportSwitch appId={appId} report={report} />
        </>
      }
    />
  );
}
