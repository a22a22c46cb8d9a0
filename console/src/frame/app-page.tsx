import { Alert, Badge, Group, Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { CopyButton } from '../components/code/copy-field.tsx';
import { FailureNote } from '../components/page/failure-note.tsx';
import { appQuery } from '../lib/data/queries.ts';
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
              <CopyButton text={app.appId} label="AppId" />
              {app.disabled && (
                <Badge color="gray" variant="light">
                  Off
                </Badge>
              )}
            </Group>
          </header>
          {app.disabled && (
            <Alert color="gray" variant="light" mb="lg">
              This app is off. The service rejects its requests until you switch it on in its settings. You can still
              read and change its data here.
            </Alert>
          )}
          <Outlet />
        </>
      )}
    </div>
  );
}
