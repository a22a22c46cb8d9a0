import { Badge, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { SectionRows } from '../../components/list/section-rows.tsx';
import classes from '../../components/page/blocks.module.css';
import { Icon } from '../../components/page/blocks.tsx';
import { useMay } from '../../lib/data/access.ts';
import { appsQuery } from '../../lib/data/queries.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import type { App } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { NewAppDialog } from './new-app-dialog.tsx';

export function AppsPage() {
  const { data: apps, error } = useQuery(appsQuery);
  const [isCreating, setCreating] = useState(false);
  const may = useMay();
  const { zone } = useServiceTimes();
  const create = may('apps.create') ? (
    <Button variant="filled" leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      {t('Create an app')}
    </Button>
  ) : undefined;
  return (
    <>
      <SectionRows
        title={t('Apps')}
        about={t('Each app has its own keys, users and data, separate from all other apps. Times are in {zone}.', {
          zone,
        })}
        action={create}
        rows={apps}
        error={error}
        height={136}
        empty={{
          icon: 'apps',
          title: t('No apps yet'),
          text: t(
            'An app stands for one of your products, such as a museum guide. Create one to get the credentials that it sends with each request.',
          ),
        }}
      >
        {(app) => <AppRow key={app.appId} app={app} />}
      </SectionRows>
      <NewAppDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

function AppRow({ app }: { readonly app: App }) {
  const times = useServiceTimes();
  return (
    <li>
      <Link to="/apps/$appId" params={{ appId: app.appId }} className={`${classes.row} ${classes.link}`}>
        <div className={classes.grow}>
          <div className={classes.title}>{app.name}</div>
          <div className={classes.meta}>
            <span className="mono">{app.appId}</span>
            <span>{t('since {date}', { date: times.date(app.createdAt) })}</span>
          </div>
        </div>
        {app.disabled && <Badge color="gray">{t('Off')}</Badge>}
        <span className={classes.chevron}>
          <Icon name="next" />
        </span>
      </Link>
    </li>
  );
}
