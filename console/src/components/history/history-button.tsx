import { Box, Button, Group, Modal, Text } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { useStanding } from '../../lib/data/access.ts';
import {
  type KeptRecord,
  restoreVersion,
  takeBack,
  type Version,
  versionsQuery,
  whoText,
} from '../../lib/data/history.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { type Stop, StopDialog } from '../dialogs/confirm-dialog.tsx';
import { FailureNote, Icon, Loading } from '../page/blocks.tsx';
import { changesOf, labelOf, shownValue, type Words } from './changes.ts';
import classes from './history.module.css';

interface Props extends KeptRecord, Words {
  /** The record as it is now, with the members of its versions. */
  readonly present: object;
  /** When it got so. */
  readonly updatedAt: string;
  readonly mayChange: boolean;
  /** The question before going back to a state in which visitors are not served. */
  readonly stop?: (present: never, then: never) => Stop | undefined;
  /** What has to be read again when it has gone back. */
  readonly refresh: readonly QueryKey[];
}

/** Opens what a record was before its last changes: who changed what, and a way back to each. */
export function HistoryButton(props: Props) {
  const [isOpen, setOpen] = useState(false);
  // Versions are kept for the app as a whole.
  if (useStanding()?.venues) return null;
  return (
    <>
      <Button leftSection={<Icon name="clock" size={16} />} onClick={() => setOpen(true)}>
        {t('History')}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t('History')} size="lg">
        {isOpen && <Versions {...props} onDone={() => setOpen(false)} />}
      </Modal>
    </>
  );
}

function Versions(props: Props & { readonly onDone: () => void }) {
  const { appId, kind, recordId, present, updatedAt, mayChange, refresh, onDone } = props;
  const [asked, setAsked] = useState<{ readonly version: Version; readonly stop: Stop }>();
  const record = { appId, kind, recordId };
  const { data: versions, error } = useQuery(versionsQuery(record));
  const times = useTimes(appId);
  const restore = useAction({
    run: async (version: Version) => ({ restored: await restoreVersion(record, version.objectId), before: versions }),
    done: t('It is as it was before that change.'),
    undo: ({ restored, before }) => takeBack(record, restored, before ?? []),
    refresh: [...refresh, versionsQuery(record).queryKey],
    showsError: true,
    after: onDone,
  });
  function goBack(version: Version) {
    const stop = props.stop?.(present as never, version.state as never);
    if (stop) setAsked({ version, stop });
    else restore.mutate(version);
  }
  if (!versions) return <Loading data={versions} error={error} height={160} />;
  if (versions.length === 0)
    return (
      <Text size="md" c="dimmed">
        {nothingYet(kind)}
      </Text>
    );
  return (
    <>
      <Text c="dimmed">
        {t(
          'The last changes, newest first. Going back is a change like any other: it is listed here too, and can be undone. Times are in {zone}.',
          { zone: times.zone },
        )}
      </Text>
      <FailureNote message={restore.error?.message} />
      <ol className={`bare ${classes.list}`} aria-label={t('Changes')}>
        {versions.map((version, index) => {
          const next = versions[index - 1];
          return (
            <Change
              key={version.objectId}
              version={version}
              after={next?.state ?? present}
              // What came between two versions was not made here.
              hasOthers={(next?.updatedAt ?? updatedAt) !== version.replacedAt}
              words={props}
              when={times.minute(version.replacedAt)}
              isBusy={restore.isPending}
              {...(mayChange ? { onRestore: () => goBack(version) } : {})}
            />
          );
        })}
      </ol>
      <StopDialog
        stop={asked?.stop}
        isBusy={restore.isPending}
        onConfirm={() => {
          setAsked(undefined);
          if (asked) restore.mutate(asked.version);
        }}
        onClose={() => setAsked(undefined)}
      />
    </>
  );
}

const nothingYet = (kind: Props['kind']) =>
  kind === 'records'
    ? t('No changes yet. What people change here in the console is kept; what the app writes is not.')
    : t('No changes yet. From the first one on, you can go back to what was before.');

interface ChangeProps {
  readonly version: Version;
  readonly after: object;
  readonly hasOthers: boolean;
  readonly words: Words;
  readonly when: string;
  readonly isBusy: boolean;
  readonly onRestore?: () => void;
}

function Change({ version, after, hasOthers, words, when, isBusy, onRestore }: ChangeProps) {
  const changes = changesOf(version.state as never, after as never);
  return (
    <li>
      <Group gap="0.5rem 1rem" justify="space-between">
        <div>
          <Box fw={580}>{when}</Box>
          <div className={classes.who}>
            {whoText(version.replacedBy)}
            {hasOthers && t(', and others later, outside of the console')}
          </div>
        </div>
        {onRestore && (
          <Button size="xs" loading={isBusy} onClick={onRestore}>
            {t('Go back to before this')}
          </Button>
        )}
      </Group>
      <dl className={classes.changes}>
        {changes.map(({ name, before, after: then }) => (
          <div key={name}>
            <dt>{labelOf(name, words)}</dt>
            <dd>
              <Box component="span" td="line-through" c="dimmed">
                {shownValue(name, before, words)}
              </Box>
              {' → '}
              <span>{shownValue(name, then, words)}</span>
            </dd>
          </div>
        ))}
        {changes.length === 0 && <Text>{t('Nothing that is left.')}</Text>}
      </dl>
    </li>
  );
}
