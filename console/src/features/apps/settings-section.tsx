import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { SharedForm } from '../../components/form/page-form.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { HistoryButton } from '../../components/history/history-button.tsx';
import { Block, FailureNote } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useAppId, useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { appQuery, appsQuery } from '../../lib/data/queries.ts';
import { policyLabels } from '../../lib/text/policy-labels.ts';
import type { App } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import { changeApp, settingsOf } from './app-settings.ts';
import { policyStop } from './stops.ts';

const timeZones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

type Settings = Pick<App, 'name' | 'policy'>;

/** The settings and the parts of the policy in words. */
const historyLabels = {
  name: t('Name'),
  'policy.timeZone': t('Time zone'),
  ...Object.fromEntries(Object.entries(policyLabels).map(([name, label]) => [`policy.${name}`, label])),
};

export function SettingsSection() {
  const appId = useAppId();
  const { data: app } = useQuery(appQuery(appId));
  const may = useMay();
  if (!app) return null;
  return (
    <>
      <PageHeader
        title={t('Settings')}
        action={
          <HistoryButton
            appId={appId}
            kind="settings"
            recordId={appId}
            present={{ name: app.name, policy: app.policy }}
            updatedAt={app.updatedAt}
            labels={historyLabels}
            mayChange={may('apps.change')}
            stop={(now: Settings, then: Partial<Settings>) =>
              policyStop(app.name, now.policy, { ...now.policy, ...then.policy })
            }
            refresh={settingsOf(appId).refresh}
          />
        }
      >
        {t('Name, time zone, and whether the app is on. The history is that of the limits, too.')}
      </PageHeader>
      <General key={app.appId} app={app} isLocked={!may('apps.change')} />
      {may('apps.change') && <OnOff app={app} />}
      {may('apps.delete') && <Deletion app={app} />}
    </>
  );
}

interface GeneralFields {
  readonly name: string;
  readonly timeZone: string;
}

function General({ app, isLocked }: { readonly app: App; readonly isLocked: boolean }) {
  const shared = useRecordForm<App, GeneralFields, App>({
    name: `settings ${app.appId}`,
    record: app,
    ...settingsOf(app.appId),
    fieldsOf: (stored = app) => ({ name: stored.name, timeZone: stored.policy.timeZone }),
    bodyOf: (values) => values,
    change: ({ timeZone, ...others }: Partial<GeneralFields>, ifMatch) =>
      changeApp(app.appId, { ...others, ...(timeZone === undefined ? {} : { policy: { timeZone } }) }, ifMatch),
    done: t('The settings are saved.'),
    labels: { name: t('Name'), timeZone: t('Time zone') },
  });
  const { form: fields, isBusy } = shared;
  const { timeZone } = fields.values;
  return (
    <Block title={t('General')}>
      <SharedForm shared={shared} isLocked={isLocked}>
        <Stack maw={420}>
          <FailureNote message={fields.rest(['name', 'timeZone'])} />
          <TextInput label={t('Name')} readOnly={isLocked} {...fields.text('name')} />
          <Select
            label={t('Time zone')}
            description={t('The time zone of the venue, for schedules and statistics.')}
            data={timeZones.includes(timeZone) ? timeZones : [timeZone, ...timeZones]}
            searchable
            allowDeselect={false}
            readOnly={isLocked}
            value={timeZone}
            error={fields.problem('timeZone')}
            onChange={(value) => value && fields.set('timeZone', value)}
          />
          {!isLocked && (
            <Group>
              <Button variant="filled" type="submit" disabled={!fields.isDirty} loading={isBusy}>
                {t('Save')}
              </Button>
            </Group>
          )}
        </Stack>
      </SharedForm>
    </Block>
  );
}

function OnOff({ app }: { readonly app: App }) {
  const [isAsked, setAsked] = useState(false);
  const switchTo = (disabled: boolean) => changeApp(app.appId, { disabled });
  const refresh = settingsOf(app.appId).refresh;
  const on = useAction({ run: () => switchTo(false), done: t('{name} is on.', { name: app.name }), refresh });
  const close = () => setAsked(false);
  return (
    <Block
      title={app.disabled ? t('Switch on') : t('Switch off')}
      about={
        app.disabled
          ? t('The service refuses every request of this app. Its data is kept.')
          : t('The service then refuses every request of this app. Its data is kept, and it can be switched on again.')
      }
    >
      <Button
        variant={app.disabled ? 'filled' : 'default'}
        loading={on.isPending}
        onClick={() => (app.disabled ? on.mutate() : setAsked(true))}
      >
        {app.disabled ? t('Switch the app on') : t('Switch the app off')}
      </Button>
      <ConfirmedAction
        isOpen={isAsked}
        onClose={close}
        title={t('Switch the app off')}
        confirm={t('Switch {name} off', { name: app.name })}
        run={() => switchTo(true)}
        done={t('{name} is off.', { name: app.name })}
        undo={() => switchTo(false)}
        refresh={refresh}
      >
        {rich(
          'From this moment, every copy of <b>{name}</b> is refused: visitors get no messages and no content, and their visits are not recorded. You can switch it on again at any time.',
          { name: app.name },
        )}
      </ConfirmedAction>
    </Block>
  );
}

function Deletion({ app }: { readonly app: App }) {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useAction({
    run: () => call('deleteApp', { params: { appId: app.appId } }),
    done: t('{name} was deleted.', { name: app.name }),
    showsError: true,
    after: async () => {
      await navigate({ to: '/apps' });
      queries.removeQueries({ queryKey: appQuery(app.appId).queryKey });
      await queries.invalidateQueries({ queryKey: appsQuery.queryKey });
    },
  });
  return (
    <Block
      title={t('Delete')}
      about={t(
        'Deletes the app with its keys, users, beacons, messages, buckets, files and logs. This cannot be undone.',
      )}
    >
      {!app.disabled && (
        <Text mb="sm">{t('Switch the app off first: that can be taken back, if somebody still needed it.')}</Text>
      )}
      <Button color="red" variant="outline" disabled={!app.disabled} onClick={() => setOpen(true)}>
        {t('Delete the app')}
      </Button>
      <DeleteDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('Delete the app')}
        name={app.name}
        isBusy={remove.isPending}
        failure={remove.error?.message}
        onConfirm={() => remove.mutate()}
      >
        <Text>
          {rich(
            '<b>{name}</b> is deleted with its keys, users, beacons, messages, buckets, files and logs. Copies of the app stop working at once.',
            { name: app.name },
          )}
        </Text>
      </DeleteDialog>
    </Block>
  );
}
