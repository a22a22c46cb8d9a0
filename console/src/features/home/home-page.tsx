import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Loading } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { PretendPhoneLink } from '../../components/page/pretend-phone-link.tsx';
import { useAppId, useStanding } from '../../lib/data/access.ts';
import { type Live, useLive } from '../../lib/data/live.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { AttentionBlock, EarlyAttention, useAreRulesKnown } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { FunnelBlock } from './funnel.tsx';
import classes from './home.module.css';
import { LastHour, LiveNow } from './live-blocks.tsx';
import { attentionQuery, liveQuery } from './queries.ts';

/** The first page of an app: problems, live visitors and today's figures. */
export function HomePage() {
  const appId = useAppId();
  return useStanding()?.venues ? <HomeOfVenues appId={appId} /> : <HomeOfApp appId={appId} />;
}

/** For those who are limited to venues: what is counted for these. */
function HomeOfVenues({ appId }: { readonly appId: string }) {
  return (
    <>
      <PageHeader title={t('Home')}>{t('Who is at the beacons of your venues now.')}</PageHeader>
      <LiveNow appId={appId} />
      <Text c="dimmed" mt="md">
        {t(
          'What needs attention, the last hour and the funnel of messages are about the app as a whole, and not shown to you.',
        )}
      </Text>
    </>
  );
}

function HomeOfApp({ appId }: { readonly appId: string }) {
  const { data, error } = useQuery(attentionQuery(appId));
  // It is read more often.
  const isAway = useQuery(liveQuery(appId)).error !== null || error !== null;
  const isKnown = useAreRulesKnown(appId);
  const attention = isKnown ? data : undefined;
  const live = useLive(appId);
  const times = useTimes(appId);
  useCountAgain(appId, live);
  const isNew = attention?.lastVisitAt === null && live.events.length === 0;
  return (
    <>
      <PageHeader title={t('Home')} action={!isNew && <PretendPhoneLink appId={appId} isPlain />}>
        {isNew
          ? t('Three steps to the first message.')
          : t('What is happening now, and what needs attention. Times are in {zone}.', { zone: times.zone })}
      </PageHeader>
      <Loading data={attention} error={error} height={420} />
      {attention && isNew && (
        <Stack gap="md">
          <EarlyAttention appId={appId} attention={attention} />
          <FirstSteps appId={appId} />
        </Stack>
      )}
      {attention && !isNew && (
        <>
          <AttentionBlock appId={appId} attention={attention} isAway={isAway} />
          <div className={classes.pair}>
            <LiveNow appId={appId} />
            <LastHour appId={appId} live={live} />
          </div>
          <FunnelBlock appId={appId} />
        </>
      )}
    </>
  );
}

const calmMs = 2_000;

/** Counts visitors again soon after an event; the more expensive counts have their own interval. */
function useCountAgain(appId: string, { events }: Live): void {
  const queries = useQueryClient();
  const newest = events[0]?.objectId;
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (newest === undefined || due.current !== undefined) return;
    due.current = setTimeout(() => {
      due.current = undefined;
      void queries.invalidateQueries({ queryKey: liveQuery(appId).queryKey });
    }, calmMs);
  }, [appId, newest, queries]);
  useEffect(
    () => () => {
      clearTimeout(due.current);
      due.current = undefined;
    },
    [],
  );
}
