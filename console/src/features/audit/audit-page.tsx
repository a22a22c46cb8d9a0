import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment } from 'react';
import { RowList } from '../../components/list/row-list.tsx';
import { EmptyState } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useMay } from '../../lib/data/access.ts';
import { type AuditFilter, administratorsQuery, appsQuery, auditQuery } from '../../lib/data/queries.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import type { Times } from '../../lib/time/times.ts';
import type { Audit } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from './audit.module.css';
import { filterOfDays } from './audit-search.ts';
import { changedMembers, describe } from './describe.ts';

const route = getRouteApi('/signed-in/audit');

const kinds = [
  { value: '', label: t('All kinds') },
  { value: 'app', label: t('Apps') },
  { value: 'key', label: t('Keys') },
  { value: 'secretKey', label: t('Secret keys') },
  { value: 'bucket', label: t('Buckets') },
  { value: 'data', label: t('Data of apps') },
  { value: 'user', label: t('Users of apps') },
  { value: 'sender', label: t('Push providers') },
  { value: 'webhook', label: t('Webhooks') },
  { value: 'report', label: t('Reports by mail') },
  { value: 'administrator', label: t('Administrators') },
  { value: 'session', label: t('Sign-ins') },
  { value: 'factor', label: t('Second factors') },
  { value: 'passkey', label: t('Passkeys') },
  { value: 'agent', label: t('Agents') },
  { value: 'security', label: t('Rules for signing in') },
  { value: 'backup', label: t('Backups') },
];

/** Every change in the console and on the command line, newest first. */
export function AuditPage() {
  const filter = route.useSearch();
  const times = useServiceTimes();
  const changes = useInfiniteQuery(auditQuery(filterOfDays(filter, times.zone)));
  const { data: apps = [] } = useQuery(appsQuery);
  const nameOf = (appId: string | null) => apps.find((app) => app.appId === appId)?.name;
  return (
    <>
      <PageHeader title={t('Audit')}>
        {t('Who changed what in this console and on the command line. Times are in {timeZone}.', {
          timeZone: times.zone,
        })}
      </PageHeader>
      <Filters filter={filter} />
      {filter.about && <About id={filter.about} />}
      <RowList
        rows={changes.data?.pages.flatMap(({ results }) => results)}
        error={changes.error}
        empty={
          Object.keys(filter).length > 0 ? (
            <Text size="md">{t('No changes match.')}</Text>
          ) : (
            <EmptyState
              icon="list"
              title={t('No changes yet')}
              text={t('Each change appears here with its time, its author and the previous values.')}
            />
          )
        }
        older={{ label: t('Show older changes'), ...changes }}
      >
        {(change) => <Row key={change.auditId} change={change} appName={nameOf(change.appId)} times={times} />}
      </RowList>
    </>
  );
}

function Filters({ filter }: { readonly filter: AuditFilter }) {
  const navigate = route.useNavigate();
  const { data: apps = [] } = useQuery(appsQuery);
  const { data: people = [] } = useQuery({ ...administratorsQuery, enabled: useMay()('administrators.read') });
  const field = (name: keyof AuditFilter) => ({
    value: filter[name] ?? '',
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      void navigate({ search: (known) => ({ ...known, [name]: value || undefined }), replace: true }),
  });
  return (
    <div className={classes.filters}>
      <NativeSelect label={t('Kind')} data={kinds} {...field('kind')} />
      <NativeSelect
        label={t('Who')}
        data={[
          { value: '', label: t('Everyone') },
          ...people.map(({ email, name }) => ({ value: email, label: name })),
          { value: 'command line', label: t('The command line') },
        ]}
        {...field('actor')}
      />
      <NativeSelect
        label={t('App')}
        data={[{ value: '', label: t('All apps') }, ...apps.map(({ appId, name }) => ({ value: appId, label: name }))]}
        {...field('appId')}
      />
      <TextInput label={t('From')} type="date" {...field('from')} />
      <TextInput label={t('Until')} type="date" {...field('until')} />
    </div>
  );
}

function About({ id }: { readonly id: string }) {
  const navigate = route.useNavigate();
  const showAll = () => void navigate({ search: ({ about, ...others }) => others, replace: true });
  return (
    <Group gap="xs" mb="md">
      <Text>{rich('Only changes of {id}.', { id: <span className="mono">{id}</span> })}</Text>
      <Button size="xs" onClick={showAll}>
        {t('Show all changes')}
      </Button>
    </Group>
  );
}

interface RowProps {
  readonly change: Audit;
  readonly appName: string | undefined;
  readonly times: Times;
}

function Row({ change, appName, times }: RowProps) {
  const members = changedMembers(change.before, change.after);
  return (
    <li className={classes.change}>
      <time dateTime={change.createdAt} className={classes.time}>
        {times.minute(change.createdAt)}
      </time>
      <div className={classes.what}>
        <div>
          <b>{change.actor}</b> {describe(change, appName)}
        </div>
        {members.length > 0 && (
          <details className={classes.details}>
            <summary>{t('What changed')}</summary>
            <dl>
              {members.map(({ name, before, after }) => (
                <Fragment key={name}>
                  <dt>{name}</dt>
                  <dd>
                    {before !== undefined && <del>{before}</del>}
                    {before !== undefined && after !== undefined && ' → '}
                    {after !== undefined && <ins>{after}</ins>}
                  </dd>
                </Fragment>
              ))}
            </dl>
          </details>
        )}
      </div>
      <span className={classes.time}>{change.address}</span>
    </li>
  );
}
