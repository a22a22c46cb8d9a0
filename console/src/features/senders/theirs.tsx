import { Alert, Button, Group, Text } from '@mantine/core';
import { Icon } from '../../components/page/icon.tsx';
import type { Sender } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { CredentialFacts } from './credential-facts.tsx';

interface Props {
  readonly appId: string;
  /** What is stored now. */
  readonly theirs: Sender;
  readonly isBusy: boolean;
  readonly onReplace: () => void;
  readonly onKeep: () => void;
}

/**
 * Shows that somebody else has entered or removed credentials while others were being typed here, and asks which to keep. Secrets are never
 * shown.
 */
export function Theirs({ appId, theirs, isBusy, onReplace, onKeep }: Props) {
  const { isSetUp } = theirs;
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} title={t('Somebody else has saved this meanwhile')}>
      <Text mb="sm">
        {isSetUp
          ? t('Yours are not saved yet. These are the credentials that are there now:')
          : t('Yours are not saved yet. The credentials that were there have been removed.')}
      </Text>
      {isSetUp && <CredentialFacts appId={appId} sender={theirs} />}
      <Group gap="xs">
        <Button onClick={onKeep}>{t('Leave it as it is')}</Button>
        <Button variant="filled" loading={isBusy} onClick={onReplace}>
          {t('Save mine')}
        </Button>
      </Group>
    </Alert>
  );
}
