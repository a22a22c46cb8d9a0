import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { rich, t } from '../../lib/words/words.ts';
import { placeText } from './beacon-fields.ts';

interface Props {
  readonly twins: readonly Beacon[];
  readonly name: string;
  readonly onMove: (beaconId: string) => void;
  readonly onKeepBoth: () => void;
  readonly onClose: () => void;
}

/** Another beacon has the same identifiers: was that beacon moved, or are there two? */
export function DuplicateDialog({ twins, name, onMove, onKeepBoth, onClose }: Props) {
  const [first] = twins;
  return (
    <Modal opened={twins.length > 0} onClose={onClose} title={t('This beacon already exists')}>
      {first && (
        <Stack>
          <Text>
            {rich(
              '<b>{list}</b>{hasPlace, select, true { (at {place})} other {}} {hasCount, select, true {have} other {has}} the same UUID, major and minor. Was it moved and is now {name}, or is this a second beacon with the same identifiers?',
              {
                list: twins.map((twin) => twin.name).join(', '),
                place: placeText(first),
                hasPlace: Boolean(placeText(first)),
                hasCount: twins.length > 1,
                name,
              },
            )}
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button onClick={onKeepBoth}>{t('Add a second one')}</Button>
            <Button variant="filled" onClick={() => onMove(first.objectId)} data-autofocus>
              {t('Move {name}', { name: first.name })}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
