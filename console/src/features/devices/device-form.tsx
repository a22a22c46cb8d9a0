import { Stack, TextInput } from '@mantine/core';
import type { Body, Device } from '@pharos/sdk';
import { PageForm } from '../../components/form/page-form.tsx';
import { type RecordFormProps, type SavedRecord, useRecordForm } from '../../components/form/use-record-form.ts';
import { Block } from '../../components/page/blocks.tsx';
import { dataOf } from '../../lib/data/api.ts';
import { copyName } from '../../lib/text/copy-name.ts';
import { t } from '../../lib/words/words.ts';
import { deviceKeys } from './queries.ts';

type DeviceFields = Readonly<Record<'deviceName' | 'manufacture' | 'topic', string>>;

export const deviceLabels = { deviceName: t('Name'), manufacture: t('Maker'), topic: t('Topic') };

const fieldsOf = (device?: Device): DeviceFields => ({
  deviceName: device?.deviceName ?? '',
  manufacture: device?.manufacture ?? '',
  topic: device?.topic ?? '',
});

const bodyOf = ({ deviceName, manufacture, topic }: DeviceFields) => ({
  deviceName: deviceName.trim(),
  manufacture: manufacture.trim(),
  topic: topic.trim(),
});

/** Another device on the same topic; its credentials are its own. */
const copyOf = (model: Device): DeviceFields => ({
  ...fieldsOf(model),
  deviceName: copyName(model.deviceName),
});

export function DeviceForm({ appId, record: device, model, onDone, onCancel }: RecordFormProps<Device>) {
  const { devices } = dataOf(appId);
  const id = device?.objectId ?? '';
  const shared = useRecordForm<Device, DeviceFields, SavedRecord>({
    name: `device ${id || `new ${appId}`}`,
    record: device,
    ...(model ? { start: copyOf(model) } : {}),
    fieldsOf,
    bodyOf,
    read: () => devices.get(id),
    change: async (members, ifMatch) => (await devices.update(id, members, { ifMatch })) ?? {},
    create: (body, again) => devices.create(body as Body<'createDevice'>, again),
    done: (fields) => t('{deviceName} is saved.', { deviceName: fields.deviceName.trim() }),
    refresh: deviceKeys(appId),
    after: (saved) => onDone(saved?.objectId ?? id),
    labels: deviceLabels,
  });
  const { form } = shared;
  return (
    <PageForm shared={shared} submit={device ? t('Save') : t('Add the device')} onCancel={onCancel}>
      <Block title={t('Details')}>
        <Stack gap="md">
          <TextInput
            label={t('Name')}
            description={t('What it is and where it stands, as people call it.')}
            required
            data-autofocus
            {...form.text('deviceName')}
          />
          <TextInput label={t('Maker')} required {...form.text('manufacture')} />
          <TextInput
            label={t('Topic')}
            description={t(
              'What it subscribes to, such as museum/gate. Changing it disconnects the device within a minute.',
            )}
            required
            spellCheck={false}
            {...form.text('topic')}
          />
        </Stack>
      </Block>
    </PageForm>
  );
}
