import { Button, Group, SegmentedControl } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listFilter, listQuery } from '../../components/list/list-search.ts';
import { RecordList, useListed } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import { beaconList } from './beacon-list.tsx';
import { BeaconMap } from './beacon-map.tsx';
import { ExportButton } from './export-button.tsx';

const route = getRouteApi('/signed-in/apps/$appId/beacons');

export function BeaconsPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const times = useTimes(appId);
  const mayCreate = useMayCall()('createBeacon');
  const list = beaconList(appId, times);
  const filter = listFilter(search, list.searchFields);
  // The same question as the table's, so it is asked once; then the empty state has the buttons.
  const { data } = useListed(appId, 'listBeacons', listQuery(search, list));
  const isEmpty = data?.count === 0 && !filter && search.view !== 'map';
  const view = (
    <SegmentedControl
      aria-label="View"
      data={[
        { value: 'table', label: 'Table' },
        { value: 'map', label: 'Map' },
      ]}
      value={search.view ?? 'table'}
      onChange={(value) =>
        void navigate({ search: (known) => ({ ...known, view: value === 'map' ? ('map' as const) : undefined }) })
      }
    />
  );
  return (
    <>
      <SectionHeader title="Beacons" action={mayCreate && !isEmpty && <Actions appId={appId} />}>
        Each beacon stands for a place. Visitors come near it, and something happens.
      </SectionHeader>
      {search.view === 'map' ? (
        <BeaconMap appId={appId} where={filter} tools={view} />
      ) : (
        <RecordList
          appId={appId}
          list={list}
          search={search}
          onSearch={(next, options) => void navigate({ search: { ...next }, replace: options?.replace ?? false })}
          tools={
            <>
              {view}
              <ExportButton appId={appId} where={filter} />
            </>
          }
          note={`Times are in ${times.zone}.`}
          empty={
            <EmptyState icon="beacon" title="No beacon yet" action={mayCreate && <Actions appId={appId} />}>
              {mayCreate
                ? 'Add the first one with the UUID, major and minor that it sends, or bring in a list of them as CSV.'
                : 'There is nothing here yet. Owners, managers and installers add beacons.'}
            </EmptyState>
          }
        />
      )}
    </>
  );
}

function Actions({ appId }: { readonly appId: string }) {
  return (
    <Group gap="xs">
      <Button
        variant="default"
        leftSection={<Icon name="upload" size={16} />}
        component={Link}
        to="/apps/$appId/beacons/import"
        params={{ appId } as never}
      >
        Import
      </Button>
      <Button
        leftSection={<Icon name="plus" size={16} />}
        component={Link}
        to="/apps/$appId/beacons/new"
        params={{ appId } as never}
      >
        Add a beacon
      </Button>
    </Group>
  );
}
