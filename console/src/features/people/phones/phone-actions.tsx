import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Deletion } from '../../../components/dialogs/confirm-dialog.tsx';
import { PersonExport } from '../../../components/export/person-export.tsx';
import { shortId } from '../../../components/names/names.tsx';
import { Icon } from '../../../components/page/blocks.tsx';
import { useMayCall } from '../../../lib/data/access.ts';
import { eraseInstallation, erasureReceipt } from '../../../lib/data/person.ts';
import { deviceWords, type Installation } from '../../../lib/text/installation-words.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { installationKeys, installationQuery } from '../queries.ts';
import { TestMessage } from './test-message.tsx';

interface Props {
  readonly appId: string;
  readonly installation: Installation;
}

export function PhoneActions({ appId, installation }: Props) {
  const mayCall = useMayCall();
  const [isTesting, setTesting] = useState(false);
  return (
    <Group gap="xs">
      {mayCall('deleteInstallation') && <EraseInstallation appId={appId} installation={installation} />}
      {mayCall('deleteInstallation') && (
        <PersonExport appId={appId} kind="installation" objectId={installation.objectId} />
      )}
      {mayCall('sendPush') && (
        <Button leftSection={<Icon name="send" size={16} />} onClick={() => setTesting(true)}>
          {t('Send a test message')}
        </Button>
      )}
      <TestMessage appId={appId} installation={installation} isOpen={isTesting} onClose={() => setTesting(false)} />
    </Group>
  );
}

function EraseInstallation({ appId, installation }: Props) {
  const name = `${deviceWords[installation.deviceType]} ${shortId(installation.objectId)}`;
  const forget = installationQuery(appId, installation.objectId).queryKey;
  return (
    <Deletion
      label={t('Erase')}
      title={t('Erase the phone')}
      confirm={t('Erase {name}', { name })}
      run={() => eraseInstallation(appId, installation.objectId)}
      done={t('{name} was erased.', { name })}
      more={erasureReceipt(appId)}
      refresh={installationKeys(appId)}
      leave={{ to: '/apps/$appId/installations', params: { appId }, forget }}
    >
      {rich('<b>{name}</b> is erased permanently, with its visits, events, log records and deliveries.', {
        name,
      })}
      <Text mt="xs">
        {t('If the app is still on the phone, it registers again at its next start, as a new phone.')}
      </Text>
    </Deletion>
  );
}
