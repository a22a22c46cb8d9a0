import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { restoreFromTrash, trashKey } from '../../lib/data/history.ts';
import { told } from '../../lib/words/service-words.ts';
import { rich, t } from '../../lib/words/words.ts';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { ConfirmedAction } from '../dialogs/confirmed-action.tsx';
import { type Bulk, changeBack, changeMany, type Move, type Outcome, removeMany } from './bulk.ts';
import classes from './list.module.css';

interface Props {
  readonly appId: string;
  readonly bulk: Bulk;
  /** The chosen records by id. */
  readonly chosen: ReadonlyMap<string, object>;
  readonly onChosen: (ids: readonly string[]) => void;
}

type Asking = 'off' | 'move' | 'delete';

const countText = (count: number, kind: Bulk['kind']) =>
  t(
    '{kind, select, beacons {{count, plural, one {# beacon} other {# beacons}}} notifications {{count, plural, one {# notification} other {# notifications}}} storylines {{count, plural, one {# storyline} other {# storylines}}} other {{count, plural, one {# record} other {# records}}}}',
    { kind, count },
  );

/** What can be done with the chosen records of a list, above it. */
export function BulkBar({ appId, bulk, chosen, onChosen }: Props) {
  const [open, setOpen] = useState<Asking>();
  const [failed, setFailed] = useState<Outcome['failed']>([]);
  const ids = [...chosen.keys()];
  const what = countText(ids.length, bulk.kind);
  const told = ({ failed: refused }: Outcome) => {
    setFailed(refused);
    // What was refused stays chosen.
    onChosen(refused.map(({ objectId }) => objectId));
  };
  const change = useAction({
    run: (wanted: object) => changeMany(appId, bulk, ids, wanted),
    done: ({ done }) =>
      done.length === 0 ? undefined : t('{what} changed.', { what: countText(done.length, bulk.kind) }),
    undo: ({ done }, wanted) => changeBack(appId, bulk, { records: chosen, done, change: wanted }),
    refresh: bulk.refresh,
    after: (outcome) => {
      setOpen(undefined);
      told(outcome);
    },
  });
  if (ids.length === 0 && failed.length === 0) return null;
  return (
    <>
      <Refused failed={failed} kind={bulk.kind} onClose={() => setFailed([])} />
      {ids.length > 0 && (
        <BulkActions
          bulk={bulk}
          what={what}
          isBusy={change.isPending}
          onOn={() => change.mutate({ isEnabled: true })}
          onAsk={setOpen}
          onNone={() => onChosen([])}
        />
      )}
      <ConfirmDialog
        isOpen={open === 'off'}
        onClose={() => setOpen(undefined)}
        title={t('Switch off {what}', { what })}
        confirm={t('Switch off {what}', { what })}
        isBusy={change.isPending}
        failure={undefined}
        onConfirm={() => change.mutate({ isEnabled: false })}
      >
        {rich('<b>{what}</b> are shown to nobody until they are switched on again.', {
          what,
          b: (inner) => <b>{inner}</b>,
        })}
      </ConfirmDialog>
      {bulk.move && open === 'move' && (
        <MoveDialog
          move={bulk.move}
          what={what}
          isBusy={change.isPending}
          onClose={() => setOpen(undefined)}
          onMove={(wanted) => change.mutate(wanted)}
        />
      )}
      <DeleteMany
        appId={appId}
        bulk={bulk}
        what={what}
        ids={ids}
        isOpen={open === 'delete'}
        onClose={() => setOpen(undefined)}
        onDone={told}
      />
    </>
  );
}

interface RefusedProps {
  readonly failed: Outcome['failed'];
  readonly kind: Bulk['kind'];
  readonly onClose: () => void;
}

/** What the service has refused, and why; the first five. */
function Refused({ failed, kind, onClose }: RefusedProps) {
  if (failed.length === 0) return null;
  return (
    <Alert color="red" mb="sm" withCloseButton closeButtonLabel={t('Close')} onClose={onClose}>
      {t('{what} {count, plural, one {was} other {were}} refused, and stayed as before:', {
        what: countText(failed.length, kind),
        count: failed.length,
      })}
      <ul>
        {failed.slice(0, 5).map(({ objectId, message }) => (
          <li key={objectId}>{told(message)}</li>
        ))}
      </ul>
    </Alert>
  );
}

interface ActionsProps {
  readonly bulk: Bulk;
  readonly what: string;
  readonly isBusy: boolean;
  readonly onOn: () => void;
  /** Opens a dialog. */
  readonly onAsk: (dialog: Asking) => void;
  readonly onNone: () => void;
}

function BulkActions({ bulk, what, isBusy, onOn, onAsk, onNone }: ActionsProps) {
  return (
    <section className={classes.bulk} aria-label={t('Chosen records')}>
      <Text fw={580} aria-live="polite">
        {t('{what} chosen', { what })}
      </Text>
      <Group gap="xs">
        {bulk.hasSwitch && (
          <>
            <Button size="xs" variant="default" loading={isBusy} onClick={onOn}>
              {t('Switch on')}
            </Button>
            <Button size="xs" variant="default" onClick={() => onAsk('off')}>
              {t('Switch off …')}
            </Button>
          </>
        )}
        {bulk.move && (
          <Button size="xs" variant="default" onClick={() => onAsk('move')}>
            {bulk.move.label} …
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => onAsk('delete')}>
          {t('Delete …')}
        </Button>
        <Button size="xs" variant="subtle" color="gray" onClick={() => onNone()}>
          {t('Choose none')}
        </Button>
      </Group>
    </section>
  );
}

interface MoveProps {
  readonly move: Move;
  readonly what: string;
  readonly isBusy: boolean;
  readonly onClose: () => void;
  readonly onMove: (change: object) => void;
}

function MoveDialog({ move, what, isBusy, onClose, onMove }: MoveProps) {
  const [value, setValue] = useState('');
  return (
    <Modal opened onClose={onClose} title={`${move.label}: ${what}`}>
      <Stack>
        {move.control(value, setValue)}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button disabled={value === ''} loading={isBusy} onClick={() => onMove(move.changeOf(value))}>
            {t('Move {what}', { what })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface DeleteProps {
  readonly appId: string;
  readonly bulk: Bulk;
  readonly what: string;
  readonly ids: readonly string[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: (outcome: Outcome) => void;
}

function DeleteMany({ appId, bulk, what, ids, isOpen, onClose, onDone }: DeleteProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={() => {
        onClose();
        if (outcome) onDone(outcome);
        setOutcome(undefined);
      }}
      title={t('Delete {what}', { what })}
      confirm={t('Delete {what}', { what })}
      run={async () => setOutcome(await removeMany(appId, bulk, ids))}
      done={t('{what} went into the trash.', { what })}
      undo={() => restoreFromTrash(appId, bulk.kind, ids)}
      refresh={[...bulk.refresh, trashKey(appId)]}
    >
      {rich('<b>{what}</b> go into the trash, from where they can be put back for 30 days.', {
        what,
        b: (inner) => <b>{inner}</b>,
      })}
    </ConfirmedAction>
  );
}
