import { Button } from '@mantine/core';
import type { Answer } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { listQuery } from '../../components/list/list-search.ts';
import { dataKey, RecordList, useListed } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { pushList } from './push-list.tsx';
import { isUnderWay, type ListedPush } from './push-states.ts';

const route = getRouteApi('/signed-in/apps/$appId/push');

/** Milliseconds between two looks at what is being sent. */
const lookEvery = 1_500;

export function PushesPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const maySend = useMayCall()('sendPush');
  const list = pushList(appId, times);
  const query = listQuery(search, list);
  const { data } = useListed(appId, 'listPushes', query);
  const shown = (data?.results ?? []) as readonly ListedPush[];
  useFollowed(appId, query, shown.some(isUnderWay));
  const isEmpty = data?.count === 0 && !search.where;
  const write = maySend && (
    <Button
      leftSection={<Icon name="megaphone" size={16} />}
      component={Link}
      to="/apps/$appId/push/new"
      params={{ appId } as never}
    >
      Write a message
    </Button>
  );
  return (
    <>
      <SectionHeader title="Push" action={!isEmpty && write}>
        A message to many people at once, wherever they are.
      </SectionHeader>
      <RecordList
        appId={appId}
        list={list}
        search={search}
        onSearch={(next, options) => void navigate({ search: { ...next }, replace: options?.replace ?? false })}
        note={`Times are in ${times.zone}.`}
        empty={
          <EmptyState icon="megaphone" title="Nothing sent yet" action={write}>
            {maySend
              ? 'Write the first message. You see how many people it reaches before it goes.'
              : 'There is nothing here yet. Owners, managers and editors send push messages.'}
          </EmptyState>
        }
      />
    </>
  );
}

/** Reads the page again while something is on its way, without the look of loading. */
function useFollowed(appId: string, query: ReturnType<typeof listQuery>, isActive: boolean): void {
  const queries = useQueryClient();
  const key = JSON.stringify(query);
  useEffect(() => {
    if (!isActive) return;
    const asked = JSON.parse(key) as typeof query;
    const timer = setInterval(async () => {
      if (document.hidden) return;
      try {
        const answer: Answer<'listPushes'> = await dataOf(appId).call('listPushes', { query: asked });
        queries.setQueryData(dataKey(appId, 'listPushes', {}, asked), answer);
      } catch {
        // The next look may succeed; the list itself tells what is wrong when one asks it.
      }
    }, lookEvery);
    return () => clearInterval(timer);
  }, [appId, key, isActive, queries]);
}
