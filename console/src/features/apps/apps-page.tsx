import { Badge, Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import classes from '../../components/page/blocks.module.css';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useMay } from '../../lib/data/access.ts';
import { appsQuery } from '../../lib/data/queries.ts';
import { showDate } from '../../lib/time/time.ts';
import type { App } from '../../lib/wire.ts';
import { NewAppDialog } from './new-app-dialog.tsx';

export function AppsPage() {
  const { data: apps, error } = useQuery(appsQuery);
  const [isCreating, setCreating] = useState(false);
  const may = useMay();
  const create = may('apps.create') ? (
    <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      Create an app
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader title="Apps" action={apps && apps.length > 0 ? create : undefined}>
        Each app has its own keys, users and data. Nothing of one reaches another.
      </PageHeader>
      <FailureNote message={error?.message} />
      {!apps && !error && <Loading />}
      {apps?.length === 0 && (
        <EmptyState icon="apps" title="No app yet" action={create}>
          An app stands for one product of yours, such as a museum guide. Create one to get the credentials that it
          sends with each request.
        </EmptyState>
      )}
      {apps && apps.length > 0 && (
        <ul className={classes.rows}>
          {apps.map((app) => (
            <AppRow key={app.appId} app={app} />
          ))}
        </ul>
      )}
      <NewAppDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

function AppRow({ app }: { readonly app: App }) {
  return (
    <li>
      <Link to="/apps/$appId" params={{ appId: app.appId }} className={`${classes.row} ${classes.link}`}>
        <div className={classes.grow}>
          <div className={classes.title}>{app.name}</div>
          <div className={classes.meta}>
            <span className="mono">{app.appId}</span>
            <span>since {showDate(app.createdAt)}</span>
          </div>
        </div>
        {app.disabled && (
          <Badge color="gray" variant="light">
            Off
          </Badge>
        )}
        <span className={classes.chevron}>
          <Icon name="next" />
        </span>
      </Link>
    </li>
  );
}

function Loading() {
  return (
    <Stack gap="xs" aria-hidden>
      <Skeleton h={64} />
      <Skeleton h={64} />
    </Stack>
  );
}
