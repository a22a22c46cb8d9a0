import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Block, Icon, Loading, TechnicalDetails } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useMay } from '../../lib/data/access.ts';
import { queryOf } from '../../lib/data/api.ts';
import { showBytes } from '../../lib/text/bytes.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { pageLanguage, rich, t, translated } from '../../lib/words/words.ts';
import { ServiceAlerts } from './alerts.tsx';
import type { ConsoleAnswer } from './answers.ts';
import { BackupPlanBlock } from './backup-plan.tsx';
import { Backups } from './backups.tsx';
import { Curves } from './curves.tsx';
import classes from './system.module.css';

type System = ConsoleAnswer<'getSystem'>['result'];

const systemQuery = { ...queryOf(['system'], 'getSystem'), refetchInterval: 10_000 };

/** The health of the service, and its backups. */
export function SystemPage() {
  const { data: system, error } = useQuery(systemQuery);
  const may = useMay();
  /** What is below would be moved by what comes above it. */
  const isRead = Boolean(system || error);
  const { zone } = useServiceTimes();
  const problems = system ? problemsOf(system) : [];
  const warning = system?.storage.problem === null ? system.storage.warning : null;
  return (
    <div data-wide>
      <PageHeader title={t('System')}>
        {t('The health of the service. Times are in {timeZone}.', { timeZone: zone })}
      </PageHeader>
      <Loading data={system} error={error} height={220} />
      {problems.map((problem) => (
        <Alert key={problem} color="red" mb="md" icon={<Icon name="warning" />}>
          {problem}
        </Alert>
      ))}
      {warning && (
        <Alert color="yellow" mb="md" icon={<Icon name="warning" />}>
          {translated(warning)}
        </Alert>
      )}
      {system && !error && problems.length === 0 && !warning && (
        <Alert color="teal" mb="md">
          {t('Everything is working.')}
        </Alert>
      )}
      {system && <Health system={system} />}
      {system && <Curves load={system.load} startedAt={system.startedAt} />}
      {isRead && <ServiceAlerts />}
      {isRead && may('backups.manage') && (
        <>
          <BackupPlanBlock />
          <Backups freeBytes={system?.disk.freeBytes} />
        </>
      )}
    </div>
  );
}

const littleRoom = 1_000_000_000;

/** Problems that need attention, each with what to do. */
function problemsOf({ disk, jobs, database, storage }: System): string[] {
  return [
    ...(storage.problem !== null ? [translated(storage.problem)] : []),
    ...(storage.problem === null && storage.warning === null && disk.freeBytes < littleRoom
      ? [
          t('Only {bytes} of disk space are free. Free some space, or writes will soon be rejected.', {
            bytes: showBytes(disk.freeBytes),
          }),
        ]
      : []),
    ...(jobs.dead > 0
      ? [
          t(
            '{dead, number} jobs have failed permanently. The log of the service says why; pushes show it in their history.',
            { dead: jobs.dead },
          ),
        ]
      : []),
    ...(jobs.queued > 10_000
      ? [
          t('{queued, number} jobs are waiting. Is a worker running, and do the push providers answer?', {
            queued: jobs.queued,
          }),
        ]
      : []),
    ...(database.walBytes > 1_000_000_000
      ? [t('The write-ahead log is larger than 1 GB: a long query or a slow disk prevents a checkpoint.')]
      : []),
  ];
}

interface Tile {
  readonly label: string;
  readonly value: string;
  readonly about: ReactNode;
  readonly isGrave?: boolean;
}

function Health({ system }: { readonly system: System }) {
  const { version, node, startedAt, now, database, jobs, disk, memory, storage } = system;
  const times = useServiceTimes();
  const number = (value: number) => value.toLocaleString(pageLanguage());
  const tiles: readonly Tile[] = [
    { label: t('Version'), value: version, about: t('Node {version}', { version: node.replace(/^v/, '') }) },
    {
      label: t('Running for'),
      value: ageText(startedAt, now),
      about: (
        <>
          {rich('since <part>{dateTime}</part>', {
            dateTime: times.minute(startedAt),
            part: (inner) => <span className={classes.whole}>{inner}</span>,
          })}
        </>
      ),
    },
    {
      label: t('Jobs waiting'),
      value: number(jobs.queued),
      about: t('{running} running, {scheduled} scheduled', {
        running: number(jobs.running),
        scheduled: number(jobs.scheduled),
      }),
    },
    {
      label: t('Jobs failed permanently'),
      value: number(jobs.dead),
      about: t('kept for a while'),
      isGrave: jobs.dead > 0,
    },
    {
      label: t('Free disk space'),
      value: showBytes(disk.freeBytes),
      about: t('of {bytes}{hasReserveBytes, select, true {; {reserve} more in reserve} other {}}', {
        bytes: showBytes(disk.totalBytes),
        reserve: showBytes(storage.reserveBytes),
        hasReserveBytes: storage.reserveBytes > 0,
      }),
      isGrave: disk.freeBytes < littleRoom || storage.problem !== null,
    },
  ];
  const technical: readonly Tile[] = [
    {
      label: t('Database'),
      value: database.product,
      about: t('migration {migration}', { migration: database.migration }),
    },
    {
      label: t('Writes waiting'),
      value: number(database.queuedWrites),
      about: t('{queuedSlowQueries} long queries waiting', { queuedSlowQueries: number(database.queuedSlowQueries) }),
    },
    { label: t('Write-ahead log'), value: showBytes(database.walBytes), about: t('checkpointed from time to time') },
    {
      label: t('Memory'),
      value: showBytes(memory.residentBytes),
      about: t('{bytes} used by objects', { bytes: showBytes(memory.heapBytes) }),
    },
  ];
  return (
    <Block title={t('Health')}>
      <Tiles tiles={tiles} />
      <TechnicalDetails>
        <Text c="dimmed">{t('Updated every ten seconds. Monitoring finds the same at /metrics and /readyz.')}</Text>
        <Tiles tiles={technical} />
      </TechnicalDetails>
    </Block>
  );
}

const Tiles = ({ tiles }: { readonly tiles: readonly Tile[] }) => (
  <dl className={classes.tiles}>
    {tiles.map(({ label, value, about, isGrave }) => (
      <div key={label} className={isGrave ? `${classes.tile} ${classes.grave}` : classes.tile}>
        <dt>{label}</dt>
        <dd>
          {value}
          <small>{about}</small>
        </dd>
      </div>
    ))}
  </dl>
);

function ageText(from: string, to: string): string {
  const minutes = Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 60_000));
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60)];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? t('{hours} h {minutes} min', { hours, minutes: minutes % 60 }) : t('{minutes} min', { minutes });
}
