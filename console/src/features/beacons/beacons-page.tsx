import { Button, Group, SegmentedControl } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { listFilter } from '../../components/list/list-search.ts';
import { RecordList } from '../../components/list/record-list.tsx';
import { SectionHeader } from '../../components/page-header.tsx';
import { useMayCall } from '../../lib/access.ts';
import { useTimes } from '../../lib/times.ts';
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
    <div data-wide>
      <SectionHeader title="Beacons" action={mayCreate && <Actions appId={appId} />}>
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
    </div>
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
