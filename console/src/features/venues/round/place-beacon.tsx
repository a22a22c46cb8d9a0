import { Button, FileButton, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { Beacon, Floor } from '@pharos/sdk';
import { useState } from 'react';
import { FailureNote, Icon } from '../../../components/page/blocks.tsx';
import { openPicture, TooManyPixels } from '../../../components/scan/open-picture.ts';
import { useAction } from '../../../lib/actions/use-action.ts';
import { isOnFloor, round } from '../../../lib/plan/floor-geometry.ts';
import { showBytes } from '../../../lib/text/bytes.ts';
import { t } from '../../../lib/words/words.ts';
import { FloorTap } from '../floor/floor-tap.tsx';
import { MetreInputs, type TypedPoint } from '../metre-inputs.tsx';
import classes from '../venues.module.css';

const maxSide = 1_600;

/** A photograph as a JPEG that a bad network can carry, without what the phone notes in it (where and when). @throws Error */
async function smallerPhotograph(file: File): Promise<Blob> {
  try {
    const picture = await openPicture(file);
    const scale = Math.min(1, maxSide / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.8));
    if (blob) return blob;
  } catch (error) {
    if (error instanceof TooManyPixels) throw error;
    // Told below.
  }
  throw new Error(t('{name} cannot be read as a picture. Take the photograph again.', { name: file.name }));
}

export interface Placed {
  readonly location: { readonly x: number; readonly y: number; readonly floor: number };
  readonly photo: Blob | undefined;
}

interface Props {
  readonly appId: string;
  readonly beacon: Beacon;
  readonly beacons: readonly Beacon[];
  readonly floors: readonly Floor[];
  /** The floor on which the last one was placed. */
  readonly lastFloor: string | undefined;
  readonly onPlaced: (placed: Placed, floorId: string) => void;
  readonly onCancel: () => void;
}

/** Where one beacon is: a tap on the plan of its floor, and a photograph. */
export function PlaceBeacon({ appId, beacon, beacons, floors, lastFloor, onPlaced, onCancel }: Props) {
  const own = floors.find((floor) => isOnFloor(beacon, floor));
  const [floorId, setFloorId] = useState(own?.objectId ?? lastFloor ?? floors[0]?.objectId ?? '');
  const floor = floors.find(({ objectId }) => objectId === floorId);
  const [at, setAt] = useState<TypedPoint>(() => ({ x: beacon.location?.x ?? '', y: beacon.location?.y ?? '' }));
  const [photo, setPhoto] = useState<Blob>();
  const taken = useAction({ run: smallerPhotograph, after: setPhoto, showsError: true });
  if (!floor) return <Text size="md">{t('The venue has no floors yet. Add one with its plan first.')}</Text>;
  const isWhole = typeof at.x === 'number' && typeof at.y === 'number';
  const point = { x: Number(at.x), y: Number(at.y) };
  return (
    <Stack gap="sm" component="section" aria-label={t('Place {name}', { name: beacon.name })}>
      <h3 className={classes.heading}>{beacon.name}</h3>
      {floors.length > 1 && (
        <NativeSelect
          label={t('Floor')}
          data={floors.map(({ objectId, name }) => ({ value: objectId, label: name }))}
          value={floorId}
          onChange={({ currentTarget }) => setFloorId(currentTarget.value)}
        />
      )}
      <div>
        <FloorTap
          key={floorId}
          appId={appId}
          floor={floor}
          beacons={beacons.filter((one) => one.objectId !== beacon.objectId)}
          points={isWhole ? [point] : []}
          onTap={setAt}
        />
        <Text c="dimmed" mt={6}>
          {t('Tap the plan where the beacon is, or type the metres.')}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        <MetreInputs flex={1} hideControls inputMode="decimal" value={at} onChange={setAt} />
      </Group>
      <Group gap="xs">
        <FileButton accept="image/*" capture="environment" onChange={(file) => file && taken.mutate(file)}>
          {(props) => (
            <Button {...props} leftSection={<Icon name="picture" size={16} />} loading={taken.isPending}>
              {photo ? t('Take it again') : t('Take a photograph')}
            </Button>
          )}
        </FileButton>
        {photo && <Text>{t('Photograph taken, {size}', { size: showBytes(photo.size) })}</Text>}
      </Group>
      <FailureNote message={taken.error?.message} />
      <Group gap="xs">
        <Button
          variant="filled"
          disabled={!isWhole || taken.isPending}
          onClick={() =>
            onPlaced({ location: { x: round(point.x), y: round(point.y), floor: floor.level }, photo }, floorId)
          }
        >
          {t('It is here: verified')}
        </Button>
        <Button onClick={onCancel}>{t('Cancel')}</Button>
      </Group>
    </Stack>
  );
}
