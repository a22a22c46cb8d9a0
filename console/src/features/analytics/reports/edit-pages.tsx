import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { NewPage, RecordPage } from '../../../components/page/page-header.tsx';
import { t } from '../../../lib/words/words.ts';
import { reportQuery } from './queries.ts';
import { ReportForm } from './report-form.tsx';

const createRoute = getRouteApi('/signed-in/apps/$appId/activity/analytics/reports/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/activity/analytics/reports/$reportId/edit');
const one = '/apps/$appId/activity/analytics/reports/$reportId';

export function NewReportPage() {
  const { appId } = createRoute.useParams();
  const { from } = createRoute.useSearch();
  const navigate = useNavigate();
  return (
    <NewPage
      title={t('Set up a report')}
      from={from}
      modelOf={(id) => reportQuery(appId, id)}
      note={t('Addresses outside the console have to confirm this report, too.')}
    >
      {(copied) => (
        <ReportForm
          appId={appId}
          {...copied}
          // Otherwise the back button would lead to the empty form.
          onDone={(reportId) => void navigate({ to: one, params: { appId, reportId }, replace: true })}
          onCancel={() => void navigate({ to: '/apps/$appId/activity/analytics/reports', params: { appId } })}
        />
      )}
    </NewPage>
  );
}

export function EditReportPage() {
  const { appId, reportId } = editRoute.useParams();
  const query = useQuery(reportQuery(appId, reportId));
  const navigate = useNavigate();
  const open = () => void navigate({ to: one, params: { appId, reportId } });
  return (
    <RecordPage query={query} title={() => t('Edit the report')} height={300}>
      {(report) => <ReportForm key={report.reportId} appId={appId} record={report} onDone={open} onCancel={open} />}
    </RecordPage>
  );
}
