import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { SecretDialog, SecretShownOnce } from '../../components/dialogs/shown-once.tsx';
import { Block, Icon } from '../../components/page/blocks.tsx';
import { download } from '../../lib/actions/download.ts';
import { call } from '../../lib/data/api.ts';
import { factorsQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import classes from './account.module.css';

interface Props {
  readonly left: number;
  /** Codes that have just been made. */
  readonly fresh: readonly string[];
  readonly onFresh: (codes: readonly string[]) => void;
}

export function RecoveryCodes({ left, fresh, onFresh }: Props) {
  const [isAsked, setAsked] = useState(false);
  const text = fresh.join('\n');
  return (
    <Block
      title={t('Recovery codes')}
      about={t(
        'If the phone or the key is lost, a recovery code takes its place after your password. Each works once.',
      )}
    >
      <div className={classes.line}>
        <Text {...(left < 3 ? { c: 'red' } : {})}>
          {left === 0 ? t('There are none. Make new ones.') : t('{left} of 10 are left.', { left })}
        </Text>
        <Button onClick={() => setAsked(true)}>{t('Make new codes')}</Button>
      </div>
      <ConfirmedAction
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={t('Make new recovery codes')}
        confirm={t('Make new codes')}
        run={async () => onFresh((await call('renewRecoveryCodes')).result.recoveryCodes)}
        done={t('There are new recovery codes.')}
        refresh={[factorsQuery.queryKey]}
      >
        {t('The codes that you have stored no longer work then.')}
      </ConfirmedAction>
      <SecretDialog isOpen={fresh.length > 0} onClose={() => onFresh([])} title={t('Your recovery codes')} hasSecret>
        <SecretShownOnce
          warning={t(
            'They are shown only now. Print them or keep them in a password manager, not on the phone with the app.',
          )}
          stored={t('I have stored them')}
          onClose={() => onFresh([])}
        >
          <ol className={classes.codes} aria-label={t('Recovery codes')}>
            {fresh.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ol>
          <Group gap="xs">
            <CopyButton text={text} label={t('the recovery codes')} />
            <Button
              size="xs"
              leftSection={<Icon name="download" size={14} />}
              onClick={() => download('pharos-recovery-codes.txt', 'text/plain', [`${text}\n`])}
            >
              {t('Download')}
            </Button>
          </Group>
        </SecretShownOnce>
      </SecretDialog>
    </Block>
  );
}
