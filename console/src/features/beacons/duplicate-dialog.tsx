import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { rich, t } from '../../lib/words/words.ts';
import { placeText } from './beacon-list.tsx';

interface Props {
  readonly twins: readonly Beacon[];
  /** A new beacon was being added; an existing one can only be kept beside the other. */
  readonly isNew: boolean;
  readonly name: string;
  readonly onMove: (beaconId: string) => void;
  readonly onKeepBoth: () => void;
  readonly onClose: () => void;
}

/** Another beacon has the same identifiers: was that beacon moved, or are there two? */
export function DuplicateDialog({ twins, isNew, name, onMove, onKeepBoth, onClose }: Props) {
  const [first] = twins;
  return (
    <Modal opened={twins.length > 0} onClose={onClose} title={t('This beacon already exists')}>
      {first && (
        <Stack>
          <Text size="sm">
            {rich(
              '<b>{list}</b>{hasPlace, select, true { (at {place})} other {}} {hasCount, select, true {have} other {has}} the same UUID, major and minor. {isNew, select, true {Was it moved and is now {name}, or is this a second beacon with the same identifiers?} other {The service cannot tell two beacons with the same identifiers apart.}}',
              {
                list: twins.map((twin) => twin.name).join(', '),
                b: (inner) => <b>{inner}</b>,
                place: placeText(first),
                hasPlace: Boolean(placeText(first)),
                hasCount: twins.length > 1,
                name,
                isNew,
              },
            )}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button variant="default" onClick={onKeepBoth}>
              {isNew ? t('Add a second one') : t('Save anyway')}
            </Button>
            {isNew && (
              <Button onClick={() => onMove(first.objectId)} data-autofocus>
                {t('Move {name}', { name: first.name })}
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
