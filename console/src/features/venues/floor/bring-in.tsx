import { Button, Group, Select, Stack, Text } from '@mantine/core';
import type { Beacon, Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Icon, LinkButton } from '../../../components/page/blocks.tsx';
import { useMayCall, useStanding } from '../../../lib/data/access.ts';
import { freeBeaconsQuery } from '../../../lib/data/venue-queries.ts';
import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
  /** Beacons of the venue without a place on one of its floors. */
  readonly unplaced: readonly Beacon[];
  /** There is none on this floor. */
  readonly isEmpty: boolean;
  /** The middle of what is seen. */
  readonly centre: () => Point;
  readonly onPick: (beacon: Beacon) => void;
}

/** Puts a beacon on the floor: an unplaced one, or a new one. For a role that may not add beacons it says who may. */
export function BringIn({ appId, floor, unplaced, isEmpty, centre, onPick }: Props) {
  const mayCall = useMayCall();
  const mayPlace = mayCall('updateBeacon');
  const { data: free, error } = useQuery({ ...freeBeaconsQuery(appId), enabled: mayPlace });
  if (!mayPlace)
    return (
      isEmpty && (
        <Text c="dimmed">
          {t('There are no beacons on this floor yet.')} {t('Owners, managers and installers add beacons.')}
        </Text>
      )
    );
  const all = [...unplaced, ...(free ?? [])];
  return (
    <Stack gap="sm" mt="md">
      {all.length > 0 && <Choose floor={floor} all={all} onPick={onPick} />}
      {all.length === 0 && isEmpty && (free || error) && (
        <Text c="dimmed">
          {t('There are no beacons on this floor yet, and none without a place that could be put on it.')}
        </Text>
      )}
      {mayCall('createBeacon') && <Add appId={appId} floor={floor} isEmpty={isEmpty} centre={centre} />}
    </Stack>
  );
}

function Choose({ floor, all, onPick }: Pick<Props, 'floor' | 'onPick'> & { readonly all: readonly Beacon[] }) {
  return (
    <Select
      label={t('Put a beacon on this floor')}
      description={t('{count} {count, plural, one {beacon has} other {beacons have}} no place on a floor yet.', {
        count: all.length,
      })}
      placeholder={t('Choose a beacon')}
      searchable
      value={null}
      data={all.map(({ objectId, name }) => ({ value: objectId, label: name }))}
      onChange={(id) => {
        const picked = all.find(({ objectId }) => objectId === id);
        if (picked) onPick(picked);
      }}
      nothingFoundMessage={t('No beacon has this name on {name}.', { name: floor.name })}
    />
  );
}

/** A new beacon in the middle of what is seen, and back to the plan. */
function Add({ appId, floor, isEmpty, centre }: Pick<Props, 'appId' | 'floor' | 'isEmpty' | 'centre'>) {
  const navigate = useNavigate();
  const isLimited = useStanding()?.venues !== undefined;
  function open() {
    const { objectId: floorId, level, venueId } = floor;
    const on = { venueId: venueId.objectId, floorId, level, ...centre() };
    void navigate({ to: '/apps/$appId/beacons/new', params: { appId }, search: { on } });
  }
  return (
    <Group gap="xs">
      <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
        {t('Add a beacon here')}
      </Button>
      {isEmpty && !isLimited && (
        <LinkButton to="/apps/$appId/beacons/import" params={{ appId }} icon="upload" isPlain>
          {t('Import beacons')}
        </LinkButton>
      )}
    </Group>
  );
}
