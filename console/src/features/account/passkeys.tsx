import { Button, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { Row, RowButton, RowList } from '../../components/list/row-list.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { canUsePasskeys, createPasskey } from '../../lib/data/passkeys.ts';
import { factorsQuery } from '../../lib/data/queries.ts';
import { browserWords } from '../../lib/text/browser-words.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { showAge } from '../../lib/time/times.ts';
import type { OwnFactorsPasskey } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import { accountKeys, isEnrolled } from './enrolled.ts';

interface Props {
  readonly passkeys: readonly OwnFactorsPasskey[];
  readonly onCodes: (codes: readonly string[]) => void;
}

export function PasskeyBlock({ passkeys, onCodes }: Props) {
  const [isAdding, setAdding] = useState(false);
  const [renaming, setRenaming] = useState<OwnFactorsPasskey>();
  const [removing, setRemoving] = useState<OwnFactorsPasskey>();
  const canAdd = canUsePasskeys();
  return (
    <Block
      title={t('Passkeys')}
      about={t(
        'A passkey is kept by a phone, a computer, a password manager or a security key. It signs you in with a finger, a face or a PIN, without a password, and cannot be phished.',
      )}
    >
      <RowList rows={passkeys} error={null} label={t('Passkeys')}>
        {(passkey) => (
          <Line
            key={passkey.passkeyId}
            passkey={passkey}
            onRename={() => setRenaming(passkey)}
            onRemove={() => setRemoving(passkey)}
          />
        )}
      </RowList>
      {canAdd ? (
        <Button mt={passkeys.length > 0 ? 'md' : 0} onClick={() => setAdding(true)}>
          {t('Add a passkey')}
        </Button>
      ) : (
        <Text c="dimmed" mt={passkeys.length > 0 ? 'md' : 0}>
          {rich('Passkeys work only under a host name with https, or as localhost. This page was opened at {origin}.', {
            origin: <span className="mono">{location.origin}</span>,
          })}
        </Text>
      )}
      <AddDialog isOpen={isAdding} onClose={() => setAdding(false)} onCodes={onCodes} />
      <RenameDialog key={renaming?.passkeyId} passkey={renaming} onClose={() => setRenaming(undefined)} />
      <ConfirmedAction
        isOpen={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={t('Remove the passkey')}
        run={async () => removing && call('removePasskey', { params: { passkeyId: removing.passkeyId } })}
        done={t('The passkey was removed.')}
        refresh={accountKeys}
      >
        {rich(
          '<b>{name}</b> no longer signs you in, and you are signed out everywhere else. Your device may still list it; delete it there too.',
          { name: removing?.name },
        )}
      </ConfirmedAction>
    </Block>
  );
}

interface LineProps {
  readonly passkey: OwnFactorsPasskey;
  readonly onRename: () => void;
  readonly onRemove: () => void;
}

function Line({ passkey, onRename, onRemove }: LineProps) {
  const times = useServiceTimes();
  const { name, host, synced, createdAt, lastUsedAt } = passkey;
  return (
    <Row
      title={name}
      facts={[
        t('added {date}', { date: times.date(createdAt) }),
        lastUsedAt ? t('used {age}', { age: showAge(lastUsedAt) }) : t('not used yet'),
        synced ? t('synced between devices') : t('on one device'),
        host !== location.hostname && t('only at {host}', { host }),
      ]}
      tools={
        <>
          <RowButton label={t('Rename')} of={t('Rename {name}', { name })} onClick={onRename} />
          <RowButton label={t('Remove')} of={t('Remove {name}', { name })} onClick={onRemove} />
        </>
      }
    />
  );
}

interface AddProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCodes: (codes: readonly string[]) => void;
}

function AddDialog({ isOpen, onClose, onCodes }: AddProps) {
  const fields = useFields({ name: browserWords(navigator.userAgent) });
  const queries = useQueryClient();
  const add = useAction({
    run: async () => {
      const { result } = await call('startPasskey');
      const passkey = await createPasskey(result);
      return call('addPasskey', { body: { name: fields.values.name, passkey } });
    },
    done: t('The passkey was added.'),
    showsError: true,
    refresh: accountKeys,
    after: ({ result }) => {
      isEnrolled(queries);
      onClose();
      onCodes(result.recoveryCodes);
    },
  });
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={t('Add a passkey')}
      about={<Text>{t('Your browser then asks where to keep it. You are signed out everywhere else.')}</Text>}
      form={fields}
      submit={t('Add')}
      isBusy={add.isPending}
      onSubmit={() => add.mutate(undefined, { onError: fields.setFailure })}
    >
      <TextInput
        label={t('Name')}
        description={t('So that you recognise it in the list.')}
        autoComplete="off"
        data-autofocus
        {...fields.text('name')}
      />
    </DialogForm>
  );
}

function RenameDialog({
  passkey,
  onClose,
}: {
  readonly passkey: OwnFactorsPasskey | undefined;
  readonly onClose: () => void;
}) {
  const fields = useFields({ name: passkey?.name ?? '' });
  const rename = useAction({
    run: (passkeyId: string) => call('renamePasskey', { params: { passkeyId }, body: fields.values }),
    done: t('The passkey was renamed.'),
    showsError: true,
    refresh: [factorsQuery.queryKey],
    after: onClose,
  });
  return (
    <DialogForm
      isOpen={passkey !== undefined}
      onClose={onClose}
      title={t('Rename the passkey')}
      form={fields}
      submit={t('Rename')}
      isBusy={rename.isPending}
      onSubmit={() => passkey && rename.mutate(passkey.passkeyId, { onError: fields.setFailure })}
    >
      <TextInput label={t('Name')} autoComplete="off" data-autofocus {...fields.text('name')} />
    </DialogForm>
  );
}
