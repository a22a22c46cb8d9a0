import { Alert, Badge, Group, Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { CopyButton } from '../components/code/copy-field.tsx';
import { FailureNote } from '../components/page/failure-note.tsx';
import { useStanding } from '../lib/data/access.ts';
import { appQuery } from '../lib/data/queries.ts';
import { venueNamesQuery } from '../lib/data/venue-names.ts';
import { t } from '../lib/words/words.ts';
import classes from './app-page.module.css';

const route = getRouteApi('/signed-in/apps/$appId');

/** One app: its name and id, with the page of a section below. */
export function AppPage() {
  const { appId } = route.useParams();
  const { data: app, error } = useQuery(appQuery(appId));
  return (
    <div data-wide>
      {!app && !error && <Skeleton h={40} mb="xl" />}
      <FailureNote message={error?.message} />
      {app && (
        <>
          <header className={classes.head}>
            <Title order={1}>{app.name}</Title>
            <Group gap={4} wrap="nowrap">
              <span className="mono">{app.appId}</span>
              <CopyButton text={app.appId} label={t('AppId')} />
              {app.disabled && (
                <Badge color="gray" variant="light">
                  {t('Off')}
                </Badge>
              )}
            </Group>
          </header>
          {app.disabled && (
            <Alert color="gray" variant="light" mb="lg">
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
    <Alert color="gray" variant="light" mb="lg" role="note">
      {names.length === 0
        ? t('Your role in this app holds for no venue that exists. An owner can give you one.')
        : t('You see and change what belongs to {list}. What is about the app as a whole is not shown.', {
            list: names.join(', '),
          })}
    </Alert>
  );
}
