import { Badge, Button, Group, Modal, Skeleton, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../components/code/copy-field.tsx';
import { QrCode } from '../../components/code/qr-code.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { DialogFields } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { Block } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { t } from '../../lib/words/words.ts';
import classes from './account.module.css';
import { accountKeys, isEnrolled } from './enrolled.ts';

interface Props {
  /** When one was set up; undefined without one. */
  readonly since: string | undefined;
  readonly onCodes: (codes: readonly string[]) => void;
}

export function AuthenticatorApp({ since, onCodes }: Props) {
  const times = useServiceTimes();
  const [isRemoving, setRemoving] = useState(false);
  const [isOpen, setOpen] = useState(false);
  // It begins before the dialog opens: a password may be asked for first.
  const start = useAction({
    run: async () => (await call('startTotp')).result,
    after: () => setOpen(true),
  });
  return (
    <Block
      title={t('Authenticator app')}
      about={t(
        'An app on your phone, such as Aegis, Google Authenticator or a password manager, shows a new code every half minute. You enter it after your password.',
      )}
    >
      <div className={classes.line}>
        <Text component="div">
          {since ? (
            <>
              <Badge color="teal" mr="xs">
                {t('On')}
              </Badge>
              {t('since {date}', { date: times.date(since) })}
            </>
          ) : (
            t('Not set up.')
          )}
        </Text>
        <Group gap="xs">
          <Button loading={start.isPending} onClick={() => start.mutate()}>
            {since ? t('Set up on another phone') : t('Set up')}
          </Button>
          {since && <Button onClick={() => setRemoving(true)}>{t('Remove')}</Button>}
        </Group>
      </div>
      <Enrolment
        isOpen={isOpen}
        started={start.data}
        onClose={() => setOpen(false)}
        onDone={(codes) => {
          setOpen(false);
          onCodes(codes);
        }}
      />
      <ConfirmedAction
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={t('Remove the authenticator app')}
        confirm={t('Remove the app')}
        run={() => call('disableTotp')}
        done={t('The authenticator app was removed.')}
        refresh={accountKeys}
      >
        {t(
          'Its codes no longer work, and you are signed out everywhere else. Without another second factor your password alone signs in, and your recovery codes are deleted.',
        )}
      </ConfirmedAction>
    </Block>
  );
}

interface EnrolmentProps {
  readonly isOpen: boolean;
  readonly started: { readonly secret: string; readonly address: string } | undefined;
  readonly onClose: () => void;
  readonly onDone: (codes: readonly string[]) => void;
}

function Enrolment({ isOpen, started, onClose, onDone }: EnrolmentProps) {
  const fields = useFields({ code: '' });
  const queries = useQueryClient();
  const enable = useAction({
    run: () => call('enableTotp', { body: fields.values }),
    done: t('The authenticator app is set up.'),
    showsError: true,
    refresh: accountKeys,
    after: ({ result }) => {
      isEnrolled(queries);
      onDone(result.recoveryCodes);
    },
  });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => fields.reset()}
      title={t('Set up an authenticator app')}
    >
      <DialogFields
        form={fields}
        submit={t('Turn on')}
        isBusy={enable.isPending}
        onClose={onClose}
        onSubmit={() => enable.mutate(undefined, { onError: fields.setFailure })}
      >
        <Text>{t('1. Scan this with the app.')}</Text>
        {started ? (
          <QrCode text={started.address} label={t('QR code for the authenticator app')} />
        ) : (
          <Skeleton h={208} />
        )}
        {started && (
          <CopyField label={t('Or type this key into it')} text={started.secret.replace(/.{4}(?=.)/g, '$& ')} />
        )}
        <TextInput
          label={t('2. Enter the code that it shows')}
          autoComplete="one-time-code"
          inputMode="numeric"
          data-autofocus
          {...fields.text('code')}
        />
      </DialogFields>
    </Modal>
  );
}
