import { Button } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { listQuery } from '../../components/list/list-search.ts';
import { RecordList, useListed } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import { storylineList } from './storyline-list.tsx';
import { TitleDialog } from './title-dialog.tsx';

const route = getRouteApi('/signed-in/apps/$appId/storylines');

export function StorylinesPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = useNavigate();
  const times = useTimes(appId);
  const mayCall = useMayCall();
  const [isAdding, setAdding] = useState(false);
  const list = storylineList({ appId, times, mayChange: mayCall('updateStoryline') });
  const { data } = useListed(appId, 'listStorylines', listQuery(search, list));
  const isEmpty = data?.count === 0 && !search.q && !search.where;
  const add = mayCall('createStoryline') && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      Add a storyline
    </Button>
  );
  return (
    <>
      <SectionHeader title="Storylines" action={!isEmpty && add}>
        A storyline holds scenarios: messages at several beacons, each with its days of the week.
      </SectionHeader>
      <RecordList
        appId={appId}
        list={list}
        search={search}
        onSearch={(next, options) => void navigate({ search: { ...next }, replace: options?.replace ?? false })}
        note={`Times are in ${times.zone}.`}
        empty={
          <EmptyState icon="story" title="No storyline yet" action={add}>
            {add
              ? 'Add one, and give it scenarios: what happens at which beacons, and on which days.'
              : 'There is nothing here yet. Owners, managers and editors write storylines.'}
          </EmptyState>
        }
      />
      <TitleDialog
        appId={appId}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onDone={(storylineId) =>
          void go({ to: '/apps/$appId/storylines/$storylineId', params: { appId, storylineId } })
        }
      />
    </>
  );
}
