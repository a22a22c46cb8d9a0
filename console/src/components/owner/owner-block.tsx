import { Button, Group, Text } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Operation, useMay, useMayCall } from '../../lib/data/access.ts';
import { appUserQuery, rulesQuery } from '../../lib/data/queries.ts';
import { userName } from '../../lib/text/user-name.ts';
import { rich, t } from '../../lib/words/words.ts';
import { SharedDialogForm } from '../form/dialog-form.tsx';
import { useRecordForm } from '../form/use-record-form.ts';
import { UserPicker } from '../form/user-picker.tsx';
import { TextLink } from '../names/names.tsx';
import { Block } from '../page/blocks.tsx';

interface Owned {
  readonly createdBy?: { readonly objectId: string } | null | undefined;
}

interface Props {
  readonly appId: string;
  /** Of the block, where a page has several. */
  readonly title?: string;
  /** The record by name, in the dialog. */
  readonly name: string;
  /** Absent: it belongs to nobody. */
  readonly createdBy: { readonly objectId: string } | undefined;
  /** What hands it over, and the part of the rules that says who its owner is. */
  readonly operation: Operation;
  readonly rules: { readonly group: 'resources' | 'buckets'; readonly name: string };
  readonly handOver: (userId: string, how: { readonly ifMatch: string | undefined }) => Promise<object>;
  readonly read: () => Promise<Owned>;
  readonly refresh: readonly QueryKey[];
}

/** Shows the owner of a record, and hands it over. Only for administrators who may see the app's users. */
export function OwnerBlock(props: Props) {
  const { appId, title = t('Owner in the app'), operation, rules, createdBy } = props;
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
      title={title}
      about={
        isMaker
          ? t('The user of the app to whom it belongs, where the rules speak of an owner.')
          : t('The rules of this app say that the owner is named in {member}. Change it there.', { member: owner })
      }
    >
      <Group justify="space-between" gap="xs">
        <Text component="div">{createdBy ? <UserLink appId={appId} userId={createdBy.objectId} /> : t('Nobody')}</Text>
        {mayHandOver && isMaker && <Button onClick={() => setOpen(true)}>{t('Hand over to …')}</Button>}
      </Group>
      <HandOverDialog {...props} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Block>
  );
}

interface UserProps {
  readonly appId: string;
  readonly userId: string;
}

function UserLink({ appId, userId }: UserProps) {
  const { data, isError } = useQuery({ ...appUserQuery(appId, userId), retry: false });
  if (isError) return t('A user who is no longer there');
  return (
    <TextLink to="/apps/$appId/users/$userId" params={{ appId, userId }}>
      {data ? userName(data) : '…'}
    </TextLink>
  );
}

function UserName({ appId, userId }: UserProps) {
  const { data, isError } = useQuery({ ...appUserQuery(appId, userId), retry: false });
  return isError ? t('A user who is no longer there') : data ? userName(data) : '…';
}

interface DialogProps extends Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function HandOverDialog({ isOpen, ...props }: DialogProps) {
  return isOpen ? <OpenHandOverDialog {...props} /> : null;
}

/** If somebody else hands it over at the same time, the user of the page chooses the owner. */
function OpenHandOverDialog(props: Omit<DialogProps, 'isOpen'>) {
  const { appId, name, createdBy, read, handOver, refresh, onClose } = props;
  const former = ownerOf({ createdBy });
  const shared = useRecordForm<Owned, { userId: string }, object>({
    name: `owner:${name}`,
    record: { createdBy },
    isBrief: true,
    isUndoable: former !== '',
    fieldsOf: (record = {}) => ({ userId: ownerOf(record) }),
    bodyOf: ({ userId }) => ({ userId }),
    check: ({ userId }) => (userId === former ? [{ field: 'userId', problem: t('choose a user') }] : []),
    read,
    change: (members, ifMatch) => handOver((members as { readonly userId: string }).userId, { ifMatch }),
    done: t('{name} was handed over.', { name }),
    refresh,
    after: onClose,
    labels: { userId: props.title ?? t('Owner in the app') },
    show: { userId: (userId: string) => (userId === '' ? t('Nobody') : <UserName appId={appId} userId={userId} />) },
  });
  const { form } = shared;
  return (
    <SharedDialogForm
      shared={shared}
      onClose={onClose}
      title={t('Hand over to another user')}
      about={
        <Text component="div">
          {rich(
            '<b>{name}</b> belongs to the new owner from then on, who may do with it what the rules allow owners to do. The former one no longer may.',
            { name },
          )}
        </Text>
      }
      submit={t('Hand over')}
    >
      <UserPicker
        appId={appId}
        label={t('New owner')}
        value={form.isDirty ? form.values.userId : undefined}
        error={form.problem('userId')}
        onChange={(userId) => form.set('userId', userId ?? former)}
      />
    </SharedDialogForm>
  );
}

const ownerOf = ({ createdBy }: Owned) => createdBy?.objectId ?? '';
