import { Alert, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayPutBack } from '../../lib/data/access.ts';
import { trashKey } from '../../lib/data/history.ts';
import { rich, t, translated } from '../../lib/words/words.ts';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import classes from './bulk.module.css';
import {
  type Bulk,
  type BulkChange,
  changeBack,
  changeMany,
  nameOfRecord,
  removeMany,
  restoreMany,
  switchTo,
} from './bulk.ts';
import { BulkEdit } from './bulk-edit.tsx';
import { isAlreadySo, isStale, type Outcome } from './bulk-pieces.ts';

interface Props {
  readonly appId: string;
  readonly bulk: Bulk;
  readonly chosen: ReadonlyMap<string, object>;
  readonly onChosen: (ids: readonly string[]) => void;
  /** Buttons for what else can be done with them. */
  readonly children?: ReactNode;
}

type Asking = 'off' | 'edit' | 'delete';

const countText = (count: number, kind: Bulk['kind']) =>
  t(
    '{kind, select, beacons {{count, plural, one {# beacon} other {# beacons}}} messages {{count, plural, one {# message} other {# messages}}} devices {{count, plural, one {# device} other {# devices}}} venues {{count, plural, one {# venue} other {# venues}}} files {{count, plural, one {# file} other {# files}}} users {{count, plural, one {# user} other {# users}}} webhooks {{count, plural, one {# webhook} other {# webhooks}}} other {{count, plural, one {# record} other {# records}}}}',
    { kind, count },
  );

/** What can be done with the chosen records of a list, above it. */
export function BulkBar({ appId, bulk, chosen, onChosen, children }: Props) {
  const [open, setOpen] = useState<Asking>();
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const ids = [...chosen.keys()];
  const what = countText(ids.length, bulk.kind);
  const finish = ({ failed }: Outcome) => {
    setRefused(failed.map((one) => ({ ...one, name: nameOfRecord(chosen.get(one.objectId) ?? one) })));
    // Refused records stay selected. Those that somebody else has changed can be selected again as they are now.
    onChosen(failed.filter((one) => !isStale(one) && !isAlreadySo(one)).map(({ objectId }) => objectId));
  };
  const change = useAction({
    run: (wanted: BulkChange) => changeMany(appId, bulk, wanted, chosen),
    done: ({ done }) =>
      done.length === 0 ? undefined : t('{what} changed.', { what: countText(done.length, bulk.kind) }),
    undo: ({ changed }, wanted) => changeBack(appId, bulk, { chosen, changed, wanted }),
    refresh: bulk.refresh,
    after: (outcome) => {
      setOpen(undefined);
      finish(outcome);
    },
  });
  if (ids.length === 0 && refused.length === 0) return null;
  return (
    <>
      <Refused refused={refused} kind={bulk.kind} onClose={() => setRefused([])} />
      {ids.length > 0 && (
        <BulkActions
          bulk={bulk}
          what={what}
          isBusy={change.isPending}
          onOn={() => change.mutate({ change: switchTo(bulk, true), ids })}
          onAsk={setOpen}
          onNone={() => onChosen([])}
        >
          {children}
        </BulkActions>
      )}
      <ConfirmDialog
        isOpen={open === 'off'}
        onClose={() => setOpen(undefined)}
        title={t('Switch off {what}', { what })}
        isBusy={change.isPending}
        failure={undefined}
        onConfirm={() => change.mutate({ change: switchTo(bulk, false), ids })}
      >
        {bulk.offText ??
          rich('<b>{what}</b> are shown to nobody until they are switched on again.', {
            what,
          })}
      </ConfirmDialog>
      {bulk.fields && open === 'edit' && (
        <BulkEdit
          fields={bulk.fields}
          what={what}
          countText={(count) => countText(count, bulk.kind)}
          chosen={chosen}
          isBusy={change.isPending}
          failure={change.error?.message}
          onClose={() => setOpen(undefined)}
          onChange={(wanted) => change.mutate(wanted)}
        />
      )}
      <DeleteMany
        appId={appId}
        bulk={bulk}
        what={what}
        chosen={chosen}
        isOpen={open === 'delete'}
        onClose={() => setOpen(undefined)}
        onDone={finish}
      />
    </>
  );
}

type Refusal = Outcome['failed'][number] & { readonly name: string };

interface RefusedProps {
  readonly refused: readonly Refusal[];
  readonly kind: Bulk['kind'];
  readonly onClose: () => void;
}

/** The records that were not changed, by name: refused by the service, or changed by somebody else in the meantime. */
function Refused({ refused, kind, onClose }: RefusedProps) {
  const stale = refused.filter(isStale);
  const already = refused.filter(isAlreadySo);
  const wrong = refused.filter((one) => !isStale(one) && !isAlreadySo(one));
  return (
    <>
      {already.length > 0 && (
        <Alert mb="sm" withCloseButton closeButtonLabel={t('Close')} onClose={onClose}>
          {t(
            '{what} {count, plural, one {was} other {were}} already as you wanted. If an earlier try got no answer, it was done all the same.',
            { what: countText(already.length, kind), count: already.length },
          )}
        </Alert>
      )}
      {wrong.length > 0 && (
        <Alert color="red" mb="sm" withCloseButton closeButtonLabel={t('Close')} onClose={onClose}>
          {t('{what} {count, plural, one {was} other {were}} refused, and stayed as before:', {
            what: countText(wrong.length, kind),
            count: wrong.length,
          })}
          <ul className={classes.refused}>
            {wrong.map(({ objectId, name, message }) => (
              <li key={objectId}>
                <b>{name}</b>: {translated(message)}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {stale.length > 0 && (
        <Alert color="yellow" mb="sm" withCloseButton closeButtonLabel={t('Close')} onClose={onClose}>
          {t(
            '{what} {count, plural, one {was} other {were}} changed by somebody else after you chose {count, plural, one {it} other {them}}, and stayed as that person left {count, plural, one {it} other {them}}. The list shows the present state: choose again what you still want to change.',
            { what: countText(stale.length, kind), count: stale.length },
          )}
          <ul className={classes.refused}>
            {stale.map(({ objectId, name }) => (
              <li key={objectId}>
                <b>{name}</b>
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </>
  );
}

interface ActionsProps extends Pick<Props, 'children'> {
  readonly bulk: Bulk;
  readonly what: string;
  readonly isBusy: boolean;
  readonly onOn: () => void;
  readonly onAsk: (dialog: Asking) => void;
  readonly onNone: () => void;
}

function BulkActions({ bulk, what, isBusy, onOn, onAsk, onNone, children }: ActionsProps) {
  // With the bar goes what had the focus, or was to get it back.
  useEffect(
    () => () => {
      if (document.activeElement?.matches('body, [role=dialog] *'))
        document.querySelector<HTMLElement>('#page h1')?.focus({ preventScroll: true });
    },
    [],
  );
  return (
    <section className={classes.bulk} aria-label={t('Chosen records')}>
      <Text size="md" fw={580} aria-live="polite">
        {t('{what} chosen', { what })}
      </Text>
      <Group gap="xs">
        {bulk.hasSwitch && (
          <>
            <Button size="xs" loading={isBusy} onClick={onOn}>
              {t('Switch on')}
            </Button>
            <Button size="xs" onClick={() => onAsk('off')}>
              {t('Switch off …')}
            </Button>
          </>
        )}
        {bulk.fields && (
          <Button size="xs" onClick={() => onAsk('edit')}>
            {t('Edit …')}
          </Button>
        )}
        {children}
        {bulk.remove && (
          <Button size="xs" onClick={() => onAsk('delete')}>
            {t('Delete …')}
          </Button>
        )}
        <Button size="xs" variant="subtle" color="gray" onClick={() => onNone()}>
          {t('Choose none')}
        </Button>
      </Group>
    </section>
  );
}

interface DeleteProps {
  readonly appId: string;
  readonly bulk: Bulk;
  readonly what: string;
  readonly chosen: Props['chosen'];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: (outcome: Outcome) => void;
}

/** Names the records that stay as they are because somebody has changed them since they were selected. */
function DeleteMany({ appId, bulk, what, chosen, isOpen, onClose, onDone }: DeleteProps) {
  const mayPutBack = useMayPutBack(bulk.kind);
  const remove = useAction({
    run: () => removeMany(appId, bulk, chosen),
    done: ({ done }) => {
      if (done.length === 0) return undefined;
      const what = countText(done.length, bulk.kind);
      return bulk.goneText ? t('{what} deleted.', { what }) : t('{what} went into the trash.', { what });
    },
    undo: bulk.goneText || !mayPutBack ? undefined : ({ done }) => restoreMany(appId, bulk, { ids: done, chosen }),
    showsError: true,
    refresh: [...bulk.refresh, trashKey(appId)],
    after: (outcome) => {
      onClose();
      onDone(outcome);
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('Delete {what}', { what })}
      isBusy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
    >
      {bulk.goneText ??
        rich('<b>{what}</b> go into the trash, from where they can be put back for 30 days.', {
          what,
        })}
    </ConfirmDialog>
  );
}
