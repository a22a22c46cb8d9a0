import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { Device } from '@pharos/sdk';
import type { FormEvent } from 'react';
import { useFields } from '../../components/form/use-fields.ts';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { deviceKeys } from './queries.ts';

interface Props {
  readonly appId: string;
  /** The one to change; without it a new one is made. */
  readonly device?: Device;
  readonly onDone: (deviceId: string) => void;
  readonly onCancel: () => void;
}

const fields = ['deviceName', 'manufacture', 'topic'] as const;

export function DeviceForm({ appId, device, onDone, onCancel }: Props) {
  const form = useFields({
    deviceName: device?.deviceName ?? '',
    manufacture: device?.manufacture ?? '',
    topic: device?.topic ?? '',
  });
  const save = useAction({
    run: async () => {
      const { devices } = dataOf(appId);
      const { deviceName, manufacture, topic } = form.values;
      const body = { deviceName: deviceName.trim(), manufacture: manufacture.trim(), topic: topic.trim() };
      if (!device) return (await devices.create(body)).objectId;
      await devices.update(device.objectId, body);
      return device.objectId;
    },
    done: `${form.values.deviceName.trim()} is saved.`,
    refresh: deviceKeys(appId),
    showsError: true,
    after: onDone,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    form.setFailure(null);
    save.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <form onSubmit={submit} noValidate>
      <FailureNote message={form.rest(fields)} />
      <Block title="What it is">
        <Stack gap="md">
          <TextInput
            label="Name"
            description="For people: what it is and where it stands."
            required
            data-autofocus
            {...form.text('deviceName')}
          />
          <TextInput label="Maker" required {...form.text('manufacture')} />
          <TextInput
            label="Topic"
            description="What it listens to, such as museum/gate. Another topic ends its connection within a minute."
            required
            spellCheck={false}
            {...form.text('topic')}
          />
        </Stack>
      </Block>
      <Group mt="lg">
        <Button type="submit" loading={save.isPending}>
          {device ? 'Save' : 'Add the device'}
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}
