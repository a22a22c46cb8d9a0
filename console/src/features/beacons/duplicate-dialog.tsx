import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { placeText } from './beacon-list.tsx';

interface Props {
  readonly twins: readonly Beacon[];
  /** Whether a new beacon was about to be made; an existing one can only be kept beside the other. */
  readonly isNew: boolean;
  readonly name: string;
  readonly onMove: (beaconId: string) => void;
  readonly onKeepBoth: () => void;
  readonly onClose: () => void;
}

/** The same uuid, major and minor are there already: has that beacon moved, or are there two? */
export function DuplicateDialog({ twins, isNew, name, onMove, onKeepBoth, onClose }: Props) {
  const [first] = twins;
  return (
    <Modal opened={twins.length > 0} onClose={onClose} title="There is such a beacon already">
      {first && (
        <Stack>
          <Text size="sm">
            <b>{twins.map((twin) => twin.name).join(', ')}</b>
            {placeText(first) && ` (at ${placeText(first)})`} {twins.length > 1 ? 'have' : 'has'} the same UUID, major
            and minor.{' '}
            {isNew
              ? `Has that beacon moved and is now ${name}? Or is this a second one that sends the same?`
              : 'With two that send the same, the service cannot tell them apart.'}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button variant="default" onClick={onKeepBoth}>
              {isNew ? 'Add a second one' : 'Save it all the same'}
            </Button>
            {isNew && (
              <Button onClick={() => onMove(first.objectId)} data-autofocus>
                Move {first.name}
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
