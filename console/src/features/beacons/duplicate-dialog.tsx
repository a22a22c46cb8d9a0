import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
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
    <Modal opened={twins.length > 0} onClose={onClose} title="This beacon already exists">
      {first && (
        <Stack>
          <Text size="sm">
            <b>{twins.map((twin) => twin.name).join(', ')}</b>
            {placeText(first) && ` (at ${placeText(first)})`} {twins.length > 1 ? 'have' : 'has'} the same UUID, major
            and minor.{' '}
            {isNew
              ? `Was it moved and is now ${name}, or is this a second beacon with the same identifiers?`
              : 'The service cannot tell two beacons with the same identifiers apart.'}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button variant="default" onClick={onKeepBoth}>
              {isNew ? 'Add a second one' : 'Save anyway'}
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
