import { Alert, Badge, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { CopyButton } from '../../components/copy-field.tsx';
import { FailureNote } from '../../components/failure-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useMay } from '../../lib/access.ts';
import { appQuery } from '../../lib/queries.ts';
import classes from './app-page.module.css';

const route = getRouteApi('/signed-in/apps/$appId');

const tabs = [
  { to: '/apps/$appId', label: 'Keys' },
  { to: '/apps/$appId/buckets', label: 'Buckets' },
  { to: '/apps/$appId/rules', label: 'Rules' },
  { to: '/apps/$appId/settings', label: 'Settings' },
] as const;

/** One app: its name, its id, and the tabs below which everything else of it stands. */
export function AppPage() {
  const { appId } = route.useParams();
  const { data: app, error } = useQuery(appQuery(appId));
  return (
    <>
      <Link to="/apps" className={classes.back}>
        ← Apps
      </Link>
      {!app && !error && <Skeleton h={80} mb="xl" />}
      <FailureNote message={error?.message} />
      {app && (
        <>
          <PageHeader title={app.name}>
            <Group gap={4}>
              <span className="mono">{app.appId}</span>
              <CopyButton text={app.appId} label="AppId" />
              {app.disabled && (
                <Badge color="gray" variant="light">
                  Off
                </Badge>
              )}
            </Group>
          </PageHeader>
          {app.disabled && (
            <Alert color="gray" variant="light" mb="lg">
              This app is switched off. The service refuses its requests until it is switched on in its settings.
            </Alert>
          )}
          <nav className={classes.tabs} aria-label="Parts of the app">
            {tabs.map(({ to, label }) => (
              <Link
                key={to}
                to={to}
                params={{ appId }}
                className={classes.tab}
                activeOptions={{ exact: true }}
                activeProps={{ 'aria-current': 'page' }}
              >
                {label}
              </Link>
            ))}
          </nav>
          <Outlet />
        </>
      )}
    </>
  );
}

/** Whether the settings and rules can be changed here, or only read. */
export function useMayChangeApp(): boolean {
  return useMay()('apps.change');
}
