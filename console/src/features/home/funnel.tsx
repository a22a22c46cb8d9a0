import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import names from '../../components/page/names.module.css';
import { useTimes } from '../../lib/time/times.ts';
import type { Funnel } from '../../lib/wire.ts';
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
      title="Today"
      about={`From events at the beacons to messages seen by visitors, since midnight in ${times.zone}.`}
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
      to="/apps/$appId/activity/deliveries"
      params={{ appId }}
      search={{ range: 'today', kind }}
      className={`${names.link} ${classes.underlined}`}
    >
      Show them
    </Link>
  );
  const steps: readonly Step[] = [
    { name: 'Events', count: funnel.events },
    { name: 'Could be shown', count: funnel.eligible, about: stopsText(funnel) },
    {
      name: 'Shown',
      count: funnel.shown,
      about: deliveries.noTarget > 0 && `${number(deliveries.noTarget)} only by the open app, without a push.`,
    },
    {
      name: 'Sent by push',
      count: deliveries.sent,
      about: deliveries.queued > 0 && `${number(deliveries.queued)} are waiting to be sent.`,
    },
    { name: 'Received', count: deliveries.received, about: 'If the app reports it.' },
    { name: 'Opened', count: deliveries.opened },
    ...(lost > 0
      ? [{ name: 'Failed', count: lost, isBad: true, about: list(deliveries.failed > 0 ? 'failed' : 'expired') }]
      : []),
  ];
  const most = Math.max(1, ...steps.map(({ count }) => count));
  return (
    <ol className={classes.funnel} aria-label="The funnel of today">
      {steps.map(({ name, count, about, isBad }) => (
        <li key={name}>
          <span className={classes.step}>{name}</span>
          <b className={classes.count}>{number(count)}</b>
          <Bar part={count / most} tone={isBad ? 'bad' : 'usual'} />
          {about && <span className={classes.about}>{about}</span>}
        </li>
      ))}
    </ol>
  );
}

const number = (count: number) => count.toLocaleString('en');

function stopsText({ stopped, waiting }: Funnel): string {
  const parts = stopped
    .slice(0, 3)
    .map(({ reason, count }) => `${number(count)} not shown because ${stopWords[reason] ?? reason}`);
  if (waiting > 0) parts.push(`${number(waiting)} are waiting for the minimum stay`);
  return parts.length > 0 ? `${parts.join('; ')}.` : '';
}
