import { Group, SegmentedControl } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { listFilter } from '../../components/list/list-search.ts';
import { SectionList } from '../../components/list/section-list.tsx';
import { LinkButton } from '../../components/page/blocks.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { beaconList } from './beacon-list.tsx';
import { BeaconMap } from './beacon-map.tsx';

const route = getRouteApi('/signed-in/apps/$appId/beacons');

export function BeaconsPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayCall = useMayCall();
  const list = beaconList(appId, useTimes(appId), mayCall('deleteBeacon'), mayCall('listVisits'));
  const mayCreate = mayCall('createBeacon');
  const view = (
    <SegmentedControl
      aria-label={t('View')}
      data={[
        { value: 'table', label: t('Table') },
        { value: 'map', label: t('Map') },
      ]}
      value={search.view ?? 'table'}
      onChange={(value) =>
        void navigate({ search: (known) => ({ ...known, view: value === 'map' ? ('map' as const) : undefined }) })
      }
    />
  );
  return (
    <SectionList
      appId={appId}
      title={t('Beacons')}
      about={t('Each beacon marks a place. Messages are shown when a visitor comes near it or leaves.')}
      action={
        <Group gap="xs">
          <LinkButton to="/apps/$appId/beacons/condition" params={{ appId }} icon="check" isPlain>
            {t('Health')}
          </LinkButton>
          {mayCreate && <Adding appId={appId} />}
        </Group>
      }
      list={list}
      views={view}
      instead={
        search.view === 'map' && <BeaconMap appId={appId} where={listFilter(search, list.searchFields)} tools={view} />
      }
      empty={{
        icon: 'beacon',
        title: t('No beacons yet'),
        text: mayCreate
          ? t('Add the first one with the UUID, major and minor that it sends, or import a CSV or Excel (XLSX) file.')
          : t('Owners, managers and installers add beacons.'),
        action: mayCreate && (
          <Group gap="xs">
            <Adding appId={appId} />
          </Group>
        ),
      }}
    />
  );
}

function Adding({ appId }: { readonly appId: string }) {
  return (
    <>
      <LinkButton to="/apps/$appId/beacons/import" params={{ appId }} icon="upload" isPlain>
        {t('Import')}
      </LinkButton>
      <LinkButton to="/apps/$appId/beacons/new" params={{ appId }} icon="plus">
        {t('Add a beacon')}
      </LinkButton>
    </>
  );
}
