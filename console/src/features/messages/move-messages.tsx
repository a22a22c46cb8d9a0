import { Button, Group, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import { BeaconSelect } from '../../components/form/beacon-select.tsx';
import { FailureNote } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { t } from '../../lib/words/words.ts';
import { isInSeries, type Message } from './message.ts';
import { changeMessage, messageKeys, readMessage } from './message-store.ts';

interface Props {
  readonly appId: string;
  readonly messages: readonly Message[];
  readonly onMoved: () => void;
}

/** Gives the chosen messages another place. The messages of a series have a place each. */
export function MoveMessages({ appId, messages, onMoved }: Props) {
  const hasMany = useMayCall()('createStoryline');
  const [isOpen, setOpen] = useState(false);
  const [beacons, setBeacons] = useState<readonly string[]>([]);
  /** What else somebody has changed in the meantime stays. */
  const put = async (places: readonly Message[], beaconsOf: (message: Message) => readonly string[]) => {
    for (const message of places) {
      const before = await readMessage(appId, message.objectId, hasMany);
      const fields = { ...before.fields, beacons: beaconsOf(message) };
      await changeMessage(appId, { before, fields, ifMatch: undefined });
    }
  };
  const move = useAction<readonly Message[], unknown>({
    run: (places) => put(places, () => beacons),
    done: t('The messages were moved.'),
    undo: (_, places) => put(places, ({ fields }) => fields.beacons),
    refresh: messageKeys(appId),
    showsError: true,
    after: () => {
      setOpen(false);
      onMoved();
    },
  });
  if (messages.some(isInSeries)) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {t('Move …')}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t('Move to another place')}>
        <Stack>
          <BeaconSelect
            appId={appId}
            many={hasMany}
            label={hasMany ? t('Beacons') : t('Beacon')}
            value={beacons}
            onChange={setBeacons}
          />
          <FailureNote message={move.error?.message} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpen(false)}>
              {t('Cancel')}
            </Button>
            <Button disabled={beacons.length === 0} loading={move.isPending} onClick={() => move.mutate(messages)}>
              {t('Move')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
