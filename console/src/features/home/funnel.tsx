import { Box, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import names from '../../components/names/names.module.css';
import { Block, FailureNote } from '../../components/page/blocks.tsx';
import { useTimes } from '../../lib/time/times.ts';
import type { Funnel } from '../../lib/wire.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import { Bar } from './bar.tsx';
import classes from './home.module.css';
import { funnelQuery } from './queries.ts';
import { stopWords } from './words.ts';

/** From today's events to the messages that were opened. */
export function FunnelBlock({ appId }: { readonly appId: string }) {
  const times = useTimes(appId);
  const { data, error } = useQuery(funnelQuery(appId, times.zone));
  return (
    <Block
      title={t('Today')}
      about={t('From events at the beacons to messages seen by visitors, since midnight in {zone}.', {
        zone: times.zone,
      })}
    >
      <FailureNote message={error && !data ? error.message : undefined} />
      {!data && !error && <Skeleton h={200} />}
      {data && <Steps appId={appId} funnel={data} />}
    </Block>
  );
}

interface Step {
  readonly name: string;
  readonly count: number;
  readonly about?: ReactNode;
  readonly isBad?: boolean;
}

function Steps({ appId, funnel }: { readonly appId: string; readonly funnel: Funnel }) {
  const { deliveries } = funnel;
  const lost = deliveries.failed + deliveries.expired;
  const list = (kind: string) => (
    <Link
      to="/apps/$appId/activity"
      params={{ appId }}
      search={{ list: 'deliveries', range: 'today', kind }}
      className={`${names.link} ${classes.underlined}`}
    >
      {t('Show them')}
    </Link>
  );
  const steps: readonly Step[] = [
    { name: t('Events'), count: funnel.events },
    { name: t('Could be shown'), count: funnel.eligible, about: stopsText(funnel) },
    {
      name: t('Shown'),
      count: funnel.shown,
      about:
        deliveries.noTarget > 0 &&
        t('{noTarget} only by the open app, without a push.', { noTarget: number(deliveries.noTarget) }),
    },
    {
      name: t('Sent by push'),
      count: deliveries.sent,
      about: deliveries.queued > 0 && t('{queued} are waiting to be sent.', { queued: number(deliveries.queued) }),
    },
    { name: t('Received'), count: deliveries.received, about: t('If the app reports it.') },
    { name: t('Opened'), count: deliveries.opened },
    ...(lost > 0
      ? [{ name: t('Failed'), count: lost, isBad: true, about: list(deliveries.failed > 0 ? 'failed' : 'expired') }]
      : []),
  ];
  const most = Math.max(1, ...steps.map(({ count }) => count));
  return (
    <ol className={classes.funnel} aria-label={t('The funnel of today')}>
      {steps.map(({ name, count, about, isBad }) => (
        <li key={name}>
          <Box component="span" fw={550}>
            {name}
          </Box>
          <b className={classes.count}>{number(count)}</b>
          <Bar part={count / most} tone={isBad ? 'bad' : 'usual'} />
          {about && <span className={classes.about}>{about}</span>}
        </li>
      ))}
    </ol>
  );
}

const number = (count: number) => count.toLocaleString(pageLanguage());

function stopsText({ stopped, waiting }: Funnel): string {
  const parts = stopped
    .slice(0, 3)
    .map(({ reason, count }) =>
      t('{count} not shown because {value}', { count: number(count), value: stopWords[reason] ?? reason }),
    );
  if (waiting > 0) parts.push(t('{waiting} are waiting for the minimum stay', { waiting: number(waiting) }));
  return parts.length > 0 ? `${parts.join('; ')}.` : '';
}
