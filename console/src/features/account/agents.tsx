import { Badge, Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../components/code/copy-field.tsx';
import { SecretDialog, SecretShownOnce } from '../../components/dialogs/shown-once.tsx';
import { DialogFields } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { Row, RowButton, RowList } from '../../components/list/row-list.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { appsQuery, ownAgentsQuery } from '../../lib/data/queries.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { showAge } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';

const address = () => `${location.origin}/mcp`;
const refresh = [ownAgentsQuery.queryKey];

/** Assistants that work for the administrator, each in one app. */
export function Agents() {
  const { data: agents, error } = useQuery(ownAgentsQuery);
  const { data: apps = [] } = useQuery(appsQuery);
  const [isAdding, setAdding] = useState(false);
  const [token, setToken] = useState<string>();
  const times = useServiceTimes();
  const remove = useAction({
    run: (agentId: string) => call('removeOwnAgent', { params: { agentId } }),
    done: t('The agent was removed.'),
    refresh,
  });
  const close = () => setAdding(false);
  return (
    <Block
      title={t('Agents')}
      about={t(
        'An AI assistant can work for you in one app, with the role that you have there. It cannot do what asks for your password. When you sign out everywhere else or get another password, all of them end.',
      )}
    >
      <RowList rows={agents} error={error} label={t('Agents')}>
        {({ agentId, appId, name, mayWrite, expiresAt, lastUsedAt }) => (
          <Row
            key={agentId}
            title={
              <>
                {name} {mayWrite && <Badge color="orange">{t('makes changes')}</Badge>}
              </>
            }
            facts={[
              apps.find((app) => app.appId === appId)?.name ?? appId,
              t('until {minute}', { minute: times.minute(expiresAt) }),
              lastUsedAt ? t('last used {age}', { age: showAge(lastUsedAt) }) : t('not used yet'),
            ]}
            tools={
              <RowButton
                label={t('Remove')}
                of={t('Remove {name}', { name })}
                isBusy={remove.isPending && remove.variables === agentId}
                onClick={() => remove.mutate(agentId)}
              />
            }
          />
        )}
      </RowList>
      <Button mt={agents && agents.length > 0 ? 'md' : 0} disabled={apps.length === 0} onClick={() => setAdding(true)}>
        {t('Add an agent')}
      </Button>
      <SecretDialog
        isOpen={isAdding}
        onClose={close}
        onClosed={() => setToken(undefined)}
        title={t('Add an agent')}
        hasSecret={token !== undefined}
        isWide
      >
        {token === undefined ? (
          <AgentForm
            apps={apps.map((app) => ({ value: app.appId, label: app.name }))}
            onCancel={close}
            onMade={setToken}
          />
        ) : (
          <SecretShownOnce
            warning={t('The token is shown only now. Enter both where your assistant is told of MCP servers.')}
            stored={t('I have stored the token')}
            onClose={close}
          >
            <CopyField label={t('Address')} text={address()} />
            <CopyField label={t('Token, sent as Bearer')} text={token} />
          </SecretShownOnce>
        )}
      </SecretDialog>
    </Block>
  );
}

interface FormProps {
  readonly apps: { readonly value: string; readonly label: string }[];
  readonly onCancel: () => void;
  readonly onMade: (token: string) => void;
}

function AgentForm({ apps, onCancel, onMade }: FormProps) {
  const fields = useFields({ name: '', appId: apps[0]?.value ?? '', days: '30', mayWrite: false });
  const { values, set } = fields;
  const add = useAction({
    run: () => call('addOwnAgent', { body: { ...values, name: values.name.trim(), days: Number(values.days) } }),
    refresh,
    showsError: true,
    after: ({ result }) => onMade(result.token),
  });
  return (
    <DialogFields
      form={fields}
      names={['name', 'appId', 'days', 'mayWrite']}
      submit={t('Add')}
      isBusy={add.isPending}
      onSubmit={() => add.mutate(undefined, { onError: fields.setFailure })}
      onClose={onCancel}
    >
      <TextInput
        label={t('Name')}
        description={t('The audit shows it beside yours.')}
        data-autofocus
        required
        autoComplete="off"
        {...fields.text('name')}
      />
      <NativeSelect label={t('App')} data={apps} {...fields.text('appId')} />
      <NativeSelect
        label={t('How long')}
        description={t('At most as long as this session, if you have signed in through your organisation.')}
        data={[
          { value: '7', label: t('A week') },
          { value: '30', label: t('30 days') },
          { value: '90', label: t('90 days') },
        ]}
        {...fields.text('days')}
      />
      <Switch
        label={t('It may also change what you may')}
        description={t('Where the operator of the service lets agents do that.')}
        checked={values.mayWrite}
        onChange={(event) => set('mayWrite', event.currentTarget.checked)}
      />
    </DialogFields>
  );
}
