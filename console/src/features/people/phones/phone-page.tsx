import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { shortId } from '../../../components/names/names.tsx';
import { once, RecordPage } from '../../../components/page/page-header.tsx';
import { useMay } from '../../../lib/data/access.ts';
import { deviceWords } from '../../../lib/text/installation-words.ts';
import { t } from '../../../lib/words/words.ts';
import { useHappened, WhatHappened } from '../happened/what-happened.tsx';
import { installationQuery } from '../queries.ts';
import { PhoneActions } from './phone-actions.tsx';
import { PhoneBlock } from './phone-block.tsx';

const route = getRouteApi('/signed-in/apps/$appId/installations/$installationId');

/** The page of a phone without an account; with one, the account's page shows it. */
export function PhonePage() {
  const { appId, installationId } = route.useParams();
  const happened = useHappened({ appId, phones: [installationId] });
  const query = once(useQuery(installationQuery(appId, installationId)), { isPending: happened.isLoading });
  const mayReadUsers = useMay()('users.read');
  const { userId } = query.data ?? {};
  if (userId && mayReadUsers)
    return <Navigate to="/apps/$appId/users/$userId" params={{ appId, userId: userId.objectId }} replace />;
  return (
    <RecordPage
      query={query}
      title={(installation) =>
        installation ? (
          <>
            {deviceWords[installation.deviceType]} <span className="mono">{shortId(installationId)}</span>
          </>
        ) : (
          t('Phone')
        )
      }
      all={{ label: t('All phones'), to: '/apps/$appId/installations', params: { appId } }}
      action={(installation) => <PhoneActions appId={appId} installation={installation} />}
    >
      {(installation) => (
        <>
          <WhatHappened appId={appId} phones={[installationId]} />
          <PhoneBlock appId={appId} installation={installation} isAlone />
        </>
      )}
    </RecordPage>
  );
}
