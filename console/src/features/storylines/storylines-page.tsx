import { Button } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SectionList } from '../../components/list/section-list.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { storylineList } from './storyline-list.tsx';
import { TitleDialog } from './title-dialog.tsx';

const route = getRouteApi('/signed-in/apps/$appId/storylines');

export function StorylinesPage() {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const times = useTimes(appId);
  const mayCall = useMayCall();
  const mayCreate = mayCall('createStoryline');
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <SectionList
        appId={appId}
        title={t('Storylines')}
        about={t('A storyline holds scenarios: messages at several beacons, each with its days of the week.')}
        action={
          mayCreate && (
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
              {t('Add a storyline')}
            </Button>
          )
        }
        list={storylineList({ appId, times, mayChange: mayCall('updateStoryline') })}
        empty={{
          icon: 'story',
          title: t('No storylines yet'),
          text: mayCreate
            ? t('Add one, and give it scenarios: what is shown at which beacons, and on which days.')
            : t('Owners, managers and editors write storylines.'),
        }}
      />
      <TitleDialog
        appId={appId}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onDone={(storylineId) =>
          void navigate({ to: '/apps/$appId/storylines/$storylineId', params: { appId, storylineId } })
        }
      />
    </>
  );
}
