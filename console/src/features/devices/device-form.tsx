import { Stack, TextInput } from '@mantine/core';
import type { Device } from '@pharos/sdk';
import { PageForm } from '../../components/form/page-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { Block } from '../../components/page/block.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { deviceKeys } from './queries.ts';

interface Props {
  readonly appId: string;
  /** The device to edit; without it, a new one is created. */
  readonly device?: Device;
  readonly onDone: (deviceId: string) => void;
  readonly onCancel: () => void;
}

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
  return (
    <PageForm
      form={form}
      names={['deviceName', 'manufacture', 'topic']}
      submit={device ? 'Save' : 'Add the device'}
      isBusy={save.isPending}
      onSubmit={() => {
        form.setFailure(null);
        save.mutate(undefined, { onError: form.setFailure });
      }}
      onCancel={onCancel}
    >
      <Block title="Details">
        <Stack gap="md">
          <TextInput
            label="Name"
            description="What it is and where it stands, as people call it."
            required
            data-autofocus
            {...form.text('deviceName')}
          />
          <TextInput label="Maker" required {...form.text('manufacture')} />
          <TextInput
            label="Topic"
            description="What it subscribes to, such as museum/gate. Changing it disconnects the device within a minute."
            required
            spellCheck={false}
            {...form.text('topic')}
          />
        </Stack>
      </Block>
    </PageForm>
  );
}
