import { Alert, NumberInput, Text, TextInput } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OfApp } from '../../../components/dialogs/confirm-dialog.tsx';
import { DialogForm } from '../../../components/form/dialog-form.tsx';
import { useFields } from '../../../components/form/use-fields.ts';
import { Icon } from '../../../components/page/blocks.tsx';
import { Scan } from '../../../components/scan/scan.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { useMayCall, usePutBack } from '../../../lib/data/access.ts';
import { call, dataOf } from '../../../lib/data/api.ts';
import { trashKey } from '../../../lib/data/history.ts';
import { messageUsesText } from '../../../lib/text/message-uses.ts';
import { t } from '../../../lib/words/words.ts';
import { sameIds } from '../beacon-fields.ts';
import classes from '../beacons.module.css';
import { beaconKeys, beaconUsesQuery, findDuplicates, radioQuery } from '../queries.ts';
import { beaconIdIn, type Identity, identityIn } from './identity.ts';

interface Props {
  readonly appId: string;
  readonly beacon: Beacon;
  readonly onClose: () => void;
}

/**
 * Another tag takes the place of the one that hangs there: the record gets its identifiers, and keeps its name, place, messages and
 * history. A record that has sent them until now goes into the trash, since the service cannot tell two beacons with the same apart.
 */
export function ReplaceDialog({ appId, beacon, onClose }: Props) {
  const { beacons } = dataOf(appId);
  const { objectId, name } = beacon;
  const form = useFields({ uuid: beacon.uuid, major: '' as number | string, minor: '' as number | string });
  const [twins, setTwins] = useState<readonly Beacon[]>([]);
  const putBack = usePutBack(appId, 'beacons');
  const set = (identity: Identity) => {
    form.setAll(identity);
    setTwins([]);
  };
  const replace = useAction({
    run: async () => {
      const { uuid, major, minor } = form.current();
      // What is missing, the service says.
      const ids = { uuid: uuid.trim(), major: numberOr(major), minor: numberOr(minor) } as Identity;
      const found = ids.major === null || ids.minor === null ? [] : await findDuplicates(appId, ids, objectId);
      const isKnown = found.every((twin) => twins.some((known) => known.objectId === twin.objectId));
      if (!isKnown) return found;
      await beacons.update(objectId, ids);
      for (const twin of found) await beacons.delete(twin.objectId);
      // It is about the battery and the antenna of the old one.
      await call('resetRadio', { params: { appId, beaconId: objectId } });
      return undefined;
    },
    done: (found) => (found ? undefined : t('{name} is replaced. From now on the new beacon counts.', { name })),
    undo: async () => {
      await beacons.update(objectId, { uuid: beacon.uuid, major: beacon.major, minor: beacon.minor });
      for (const twin of twins) await putBack?.(twin.objectId);
    },
    isUndoable: (found) => found === undefined && (twins.length === 0 || putBack !== undefined),
    refresh: [...beaconKeys(appId), radioQuery(appId, objectId).queryKey, trashKey(appId)],
    showsError: true,
    after: (found) => {
      if (found) return setTwins(found);
      onClose();
    },
  });
  const scanned = async (text: string) => {
    const id = beaconIdIn(text);
    const known = id === undefined ? identityIn(text) : await beacons.get(id).catch(() => undefined);
    if (!known) return t('This code names no beacon: {text}', { text: text.slice(0, 120) });
    if (sameIds(known, beacon)) return t('This is the label of the beacon that hangs there now.');
    set({ uuid: known.uuid, major: known.major, minor: known.minor });
    return undefined;
  };
  function submit() {
    const { uuid, major, minor } = form.current();
    if (sameIds({ uuid, major: Number(major), minor: Number(minor) }, beacon))
      return form.setProblems([{ field: 'minor', problem: t('is that of the beacon that hangs there now') }]);
    replace.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <DialogForm
      isOpen
      onClose={onClose}
      title={t('Replace {name}', { name })}
      form={form}
      submit={twins.length === 0 ? t('Replace') : t('Replace and delete {name}', { name: twins[0]?.name })}
      isBusy={replace.isPending}
      onSubmit={submit}
      about={
        <>
          <OfApp />
          <Text>
            {t(
              'The new beacon takes over the name, the place, the messages and the history. From then on only the new one is noticed.',
            )}
          </Text>
          <Scan onCode={scanned} />
        </>
      }
    >
      <TextInput
        label={t('UUID')}
        description={t('You can paste all three here.')}
        required
        data-autofocus
        spellCheck={false}
        autoComplete="off"
        className={classes.monoInput}
        {...form.text('uuid')}
        onChange={({ currentTarget: { value } }) => {
          const pasted = identityIn(value);
          if (pasted) set(pasted);
          else form.set('uuid', value);
        }}
      />
      <div className={classes.fields}>
        <NumberInput label={t('Major')} required allowDecimal={false} hideControls {...form.number('major')} />
        <NumberInput label={t('Minor')} required allowDecimal={false} hideControls {...form.number('minor')} />
      </div>
      {twins.map((twin) => (
        <TwinNote key={twin.objectId} appId={appId} twin={twin} />
      ))}
    </DialogForm>
  );
}

const numberOr = (value: number | string) => (value === '' ? null : value);

/** What is lost with the record that has these identifiers until now. */
function TwinNote({ appId, twin }: { readonly appId: string; readonly twin: Beacon }) {
  const { data: uses } = useQuery(beaconUsesQuery(appId, twin.objectId, useMayCall()));
  const used = uses && messageUsesText(uses);
  return (
    <Alert color="yellow" role="status" icon={<Icon name="warning" />}>
      {t('{name} has these identifiers. It goes into the trash; its events and visits stay in the history.', {
        name: twin.name,
      })}{' '}
      {used && t('Used by {text}; they will no longer be shown.', { text: used })}
    </Alert>
  );
}
