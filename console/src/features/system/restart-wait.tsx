import { Loader, Modal, Stack, Text } from '@mantine/core';
import { PharosError } from '@pharos/sdk';
import { useEffect } from 'react';
import { call } from '../../lib/data/api.ts';
import { t } from '../../lib/words/words.ts';

const everyMs = 1_000;

/** The service is back when nothing is prepared any more, or when it does not know this session. */
async function isBack(): Promise<boolean> {
  try {
    return (await call('getBackupPlan')).result.prepared === null;
  } catch (error) {
    return error instanceof PharosError && error.name === 'InvalidSessionToken';
  }
}

/** Covers the page while the service restores, and reloads it afterwards, because everything on it is outdated. */
export function RestartWait({ backup }: { readonly backup: string }) {
  useEffect(() => {
    const timer = setInterval(async () => {
      if (await isBack()) location.assign('/console/system');
    }, everyMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={t('The service is being restored')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack role="status">
        <Loader size="sm" />
        <Text>
          {t(
            'It is going back to the backup of {backup} and does not answer meanwhile. This page goes on by itself. If nothing happens for a long time, look where the service runs: its log says why.',
            { backup },
          )}
        </Text>
      </Stack>
    </Modal>
  );
}
