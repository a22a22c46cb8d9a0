import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { Loading } from '../components/page/blocks.tsx';
import { useAppId, useStanding } from '../lib/data/access.ts';
import { appQuery } from '../lib/data/queries.ts';
import { venueNamesQuery } from '../lib/data/venue-queries.ts';
import { t } from '../lib/words/words.ts';

/** What is to be known of the app as a whole, and the page of a section. */
export function AppPage() {
  const appId = useAppId();
  const { data: app, error } = useQuery(appQuery(appId));
  return (
    <div data-wide>
      <Loading data={app} error={error} height={40} />
      {app && (
        <>
          {app.disabled && (
            <Alert color="gray" mb="lg">
              {t(
                'This app is off. The service rejects its requests until you switch it on in its settings. You can still read and change its data here.',
              )}
            </Alert>
          )}
          <LimitNote appId={appId} />
          <Outlet />
        </>
      )}
    </div>
  );
}

/** Says to whom it applies that this is not the whole app. */
function LimitNote({ appId }: { readonly appId: string }) {
  const venues = useStanding()?.venues;
  const { data: shown } = useQuery({ ...venueNamesQuery(appId), enabled: venues !== undefined });
  if (!venues || !shown) return null;
  const names = shown.map(({ name }) => name);
  return (
    <Alert color="gray" mb="lg" role="note">
      {names.length === 0
        ? t('Your role in this app holds for no venue that exists. An owner can give you one.')
        : t('You see and change what belongs to {list}. What is about the app as a whole is not shown.', {
            list: names.join(', '),
          })}
    </Alert>
  );
}
