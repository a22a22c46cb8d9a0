import { Alert, Button, Group, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { SharedDialogForm } from '../../components/form/dialog-form.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Block, FailureNote, Icon } from '../../components/page/blocks.tsx';
import { call, queryOf } from '../../lib/data/api.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import type { Times } from '../../lib/time/times.ts';
import { t, translated } from '../../lib/words/words.ts';
import type { ConsoleAnswer } from './answers.ts';
import { intervalText, PlanFields, type PlanValues, planLabels, planValues, readPlan } from './plan-fields.tsx';

export type PlanAnswer = ConsoleAnswer<'getBackupPlan'>['result'];

export const planQuery = queryOptions({
  ...queryOf(['system', 'backup-plan'], 'getBackupPlan'),
  refetchInterval: ({ state }) => (state.data?.isTrying ? 1_000 : 30_000),
});

/** Backups that the service makes by itself, and whether the newest can be restored. */
export function BackupPlanBlock() {
  const { data, error } = useQuery(planQuery);
  const [isOpen, setOpen] = useState(false);
  const times = useServiceTimes();
  if (!data) return <FailureNote message={error?.message} />;
  const { plan, last, drill, isTrying, isEmbedded, folder } = data;
  return (
    <Block
      title={t('Scheduled backups')}
      about={
        isEmbedded
          ? t(
              'The service makes backups by itself, keeps the newest, and restores each for trial, so that you know it can be used.',
            )
          : t(
              'The data is in PostgreSQL. To lose nothing after a failure, let its own tools archive the write-ahead log and make base backups; see the handbook. The backups here are a daily copy of everything in a form that can be restored into a new database.',
            )
      }
    >
      {plan.isOn ? (
        <Text>
          {t(
            '{everyDays, plural, one {Every day} other {Every {everyDays} days}} at {time} ({timeZone}), into {folder}. The newest {kept} are kept; older ones are deleted, also those made by hand. Download what has to stay.',
            { everyDays: plan.everyDays, time: plan.time, timeZone: plan.timeZone, folder, kept: plan.kept },
          )}
        </Text>
      ) : (
        <Alert color="yellow" icon={<Icon name="warning" />}>
          {t('No backups are scheduled. If the disk fails, everything since the last one is lost.')}
        </Alert>
      )}
      {last?.ok === false && (
        <Text c="red" mt="sm">
          {t('The last one failed on {dateTime}. {message}', {
            dateTime: times.minute(last.at),
            message: translated(last.message),
          })}
        </Text>
      )}
      <Text mt="sm" c={drill?.ok === false ? 'red' : undefined} role="status">
        {isTrying ? t('A backup is being restored for trial …') : drillText(drill, times)}
      </Text>
      <Group mt="md">
        <Button variant={plan.isOn ? 'default' : 'filled'} onClick={() => setOpen(true)}>
          {plan.isOn ? t('Change the schedule') : t('Schedule backups')}
        </Button>
      </Group>
      {isOpen && <PlanDialog known={data} onClose={() => setOpen(false)} />}
    </Block>
  );
}

function drillText(drill: PlanAnswer['drill'], times: Times): string {
  if (!drill) return t('No backup has been restored for trial yet.');
  const when = times.minute(drill.at);
  return drill.ok
    ? t('The last trial was on {when}: the backup was restored into an empty database, and everything was there.', {
        when,
      })
    : t('The trial of {when} failed: {message}', { when, message: translated(drill.message) });
}

function PlanDialog({ known, onClose }: { readonly known: PlanAnswer; readonly onClose: () => void }) {
  const { zone: ownZone } = useServiceTimes();
  const shared = useRecordForm<PlanAnswer, PlanValues, PlanAnswer>({
    name: 'backup-plan',
    record: known,
    fieldsOf: (answer = known) => planValues(answer.plan),
    bodyOf: readPlan,
    read: async () => (await call('getBackupPlan')).result,
    change: async (body, ifMatch) => (await call('changeBackupPlan', { body, ifMatch })).result,
    done: t('The schedule is saved.'),
    refresh: [planQuery.queryKey, ['system', 'backups']],
    after: onClose,
    labels: planLabels,
    show: { everyDays: intervalText },
  });
  const { form } = shared;
  const { isOn } = known.plan;
  // Whoever opens it while there is no schedule wants one; the zone of the service says little.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it opens
  useEffect(() => {
    if (!isOn) form.setAll({ isOn: true, timeZone: ownZone });
  }, []);
  return (
    <SharedDialogForm
      shared={shared}
      onClose={onClose}
      title={t('Scheduled backups')}
      names={['isOn', 'everyDays', 'time', 'timeZone', 'kept', 'drill']}
      submit={t('Save')}
    >
      <PlanFields fields={form} />
    </SharedDialogForm>
  );
}
