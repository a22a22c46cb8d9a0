import { Button, Group, Text } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { type Operation, useMay, useMayCall } from '../../lib/data/access.ts';
import { appUserQuery, rulesQuery } from '../../lib/data/queries.ts';
import { userName } from '../../lib/text/user-name.ts';
import { rich, t } from '../../lib/words/words.ts';
import { DialogForm } from '../form/dialog-form.tsx';
import { useFields } from '../form/use-fields.ts';
import { UserPicker } from '../form/user-picker.tsx';
import { Block } from '../page/block.tsx';
import names from '../page/names.module.css';

interface Props {
  readonly appId: string;
  /** The record by name, in the dialog. */
  readonly name: string;
  /** Absent: it belongs to nobody. */
  readonly createdBy: { readonly objectId: string } | undefined;
  /** What hands it over, and the part of the rules that says who its owner is. */
  readonly operation: Operation;
  readonly rules: { readonly group: 'resources' | 'buckets'; readonly name: string };
  readonly handOver: (userId: string) => Promise<unknown>;
  /** What has to be read again. */
  readonly refresh: readonly QueryKey[];
}

/** Whose a record is, and to whom it can be given. Only for those who may see who the users of the app are. */
export function OwnerBlock(props: Props) {
  const { appId, operation, rules, createdBy } = props;
  const [isOpen, setOpen] = useState(false);
  const isShown = useMay()('users.read');
  const mayHandOver = useMayCall()(operation) && isShown;
  const { data } = useQuery({ ...rulesQuery(appId), enabled: isShown });
  const described = data?.[rules.group];
  const owner = (described?.[rules.name] ?? described?.['*'])?.owner;
  if (!isShown || owner === undefined) return null;
  const isMaker = owner === 'createdBy';
  return (
    <Block
      title={t('Owner in the app')}
      about={
        isMaker
          ? t('The user of the app to whom it belongs, where the rules speak of an owner.')
          : t('The rules of this app say that the owner is named in {member}. Change it there.', { member: owner })
      }
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm" component="div">
          {createdBy ? <UserLink appId={appId} userId={createdBy.objectId} /> : t('Nobody')}
        </Text>
        {mayHandOver && isMaker && (
          <Button variant="default" onClick={() => setOpen(true)}>
            {t('Hand over to …')}
          </Button>
        )}
      </Group>
      <HandOverDialog {...props} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Block>
  );
}

function UserLink({ appId, userId }: { readonly appId: string; readonly userId: string }) {
  const { data, isError } = useQuery({ ...appUserQuery(appId, userId), retry: false });
  if (isError) return t('A user who is no longer there');
  return (
    <Link to="/apps/$appId/users/$userId" params={{ appId, userId }} className={names.link}>
      {data ? userName(data) : '…'}
    </Link>
  );
}

interface DialogProps extends Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function HandOverDialog({ appId, name, createdBy, handOver, refresh, isOpen, onClose }: DialogProps) {
  const form = useFields({ userId: '' });
  const former = createdBy?.objectId;
  const action = useAction({
    run: () => handOver(form.values.userId),
    done: t('{name} was handed over.', { name }),
    undo: former === undefined ? undefined : () => handOver(former),
    showsError: true,
    refresh,
    after: onClose,
  });
  function submit() {
    if (form.values.userId === '') form.setProblems([{ field: 'userId', problem: t('choose a user') }]);
    else action.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={t('Hand over to another user')}
      about={
        <Text size="sm" component="div">
          {rich(
            '<b>{name}</b> belongs to the new owner from then on, who may do with it what the rules allow owners to do. The former one no longer may.',
            { name, b: (inner) => <b>{inner}</b> },
          )}
        </Text>
      }
      form={form}
      names={['userId']}
      submit={t('Hand over')}
      isBusy={action.isPending}
      onSubmit={submit}
    >
      <UserPicker
        appId={appId}
        label={t('New owner')}
        value={form.values.userId || undefined}
        error={form.problem('userId')}
        onChange={(userId) => form.set('userId', userId ?? '')}
      />
    </DialogForm>
  );
}
