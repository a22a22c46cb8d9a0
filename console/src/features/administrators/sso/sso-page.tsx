import { Badge, NativeSelect, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CopyField } from '../../../components/code/copy-field.tsx';
import { EnableSwitch } from '../../../components/form/enable-switch.tsx';
import { useOneClick } from '../../../components/form/use-one-click.ts';
import { Row } from '../../../components/list/row-list.tsx';
import { SectionRows } from '../../../components/list/section-rows.tsx';
import { TextLink } from '../../../components/names/names.tsx';
import { Block, LinkButton } from '../../../components/page/blocks.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { call } from '../../../lib/data/api.ts';
import { waysQuery } from '../../../lib/data/queries.ts';
import type { Operations } from '../../../lib/wire.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { ssoPolicyQuery, ssoProvidersKey, ssoProvidersQuery } from './queries.ts';

/** Through whom administrators sign in. */
export function SsoPage() {
  const { data, error } = useQuery(ssoProvidersQuery);
  return (
    <>
      <SectionRows
        title={t('Single sign-on')}
        about={t('Administrators sign in with the account of your organisation, and get their role from its groups.')}
        action={
          <LinkButton to="/administrators/single-sign-on/new" params={{}} icon="plus">
            {t('Add a provider')}
          </LinkButton>
        }
        rows={data}
        error={error}
        label={t('Providers')}
        empty={{
          icon: 'shield',
          title: t('No provider yet'),
          text: t(
            'Add the sign-in of your organisation, such as Entra ID, Google Workspace, Okta or Keycloak (OpenID Connect).',
          ),
        }}
      >
        {({ providerId, name, issuer, enabled }) => (
          <Row
            key={providerId}
            title={
              <>
                <TextLink to="/administrators/single-sign-on/$providerId" params={{ providerId }}>
                  {name}
                </TextLink>{' '}
                {!enabled && <Badge color="gray">{t('Off')}</Badge>}
              </>
            }
            facts={[
              <span key="issuer" className="mono">
                {issuer}
              </span>,
            ]}
            tools={
              <EnableSwitch
                label={t('Sign-in with {name} is switched on', { name })}
                name={t('Sign-in with {name}', { name })}
                isOn={enabled}
                isLocked={false}
                onChange={(isOn) => call('changeSsoProvider', { params: { providerId }, body: { enabled: isOn } })}
                refresh={[ssoProvidersKey, waysQuery.queryKey]}
              />
            }
          />
        )}
      </SectionRows>
      <Stack gap="md" mt="md">
        <RedirectAddress />
        {data && data.length > 0 && <OnlyWay />}
        {data && data.length > 0 && <SessionHours />}
      </Stack>
    </>
  );
}

/** What the organisation's administrator has to enter there. */
export function RedirectAddress() {
  return (
    <Block
      title={t('At your organisation')}
      about={t('Register this console there as a web application, with this address.')}
    >
      <CopyField label={t('Redirect URI')} text={`${location.origin}/console/sso/callback`} />
    </Block>
  );
}

type Policy = Operations['getSsoPolicy']['answer']['result'];

/** Another owner may have the page open: what was changed there is not changed back. */
function usePolicy() {
  return useOneClick<Policy, Partial<Policy>>({
    name: t('the rules for signing in'),
    read: async () => (await call('getSsoPolicy')).result,
    send: async (body, ifMatch) => (await call('changeSsoPolicy', { body, ifMatch })).result,
    refresh: [ssoPolicyQuery.queryKey],
  });
}

const hourChoices = [1, 2, 4, 8, 12, 24, 72, 168];

/** How long an administrator who has left a group may keep access. */
function SessionHours() {
  const { data: policy } = useQuery(ssoPolicyQuery);
  const sent = usePolicy();
  const change = useAction({
    run: (sessionHours: number) => sent.change({ sessionHours }, (now) => now.sessionHours === policy?.sessionHours),
    done: t('Saved.'),
    refresh: [ssoPolicyQuery.queryKey],
  });
  if (!policy) return null;
  const choices = [...new Set([...hourChoices, policy.sessionHours])].sort((a, b) => a - b);
  return (
    <Block title={t('When they sign in again')}>
      <NativeSelect
        label={t('How long a session lasts')}
        description={t(
          'Groups are read when somebody signs in. Whoever leaves a group keeps its access until the session ends, so for this long at most.',
        )}
        data={choices.map((hours) => ({
          value: String(hours),
          label: t('{hours, plural, one {# hour} other {# hours}}', { hours }),
        }))}
        value={change.isPending ? change.variables : policy.sessionHours}
        onChange={({ currentTarget }) => change.mutate(Number(currentTarget.value))}
        maw={420}
      />
    </Block>
  );
}

function OnlyWay() {
  const { data: policy } = useQuery(ssoPolicyQuery);
  const sent = usePolicy();
  const change = useAction({
    run: (only: boolean) => sent.change({ only }, (now) => now.only === policy?.only),
    done: (_, only) =>
      only ? t('Everybody signs in through the organisation now.') : t('Passwords and passkeys count again.'),
    refresh: [ssoPolicyQuery.queryKey, waysQuery.queryKey],
  });
  if (!policy) return null;
  return (
    <Block title={t('The only way to sign in')}>
      <Switch
        label={t('Accept no passwords and passkeys')}
        checked={change.isPending ? change.variables : policy.only}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
      <Text c="dimmed" mt="xs">
        {rich(
          'Whoever leaves the organisation is then shut out here too. Should its sign-in fail, an owner gets in with {code} on the command line.',
          { code: <span className="mono">pharos admin link</span> },
        )}
      </Text>
    </Block>
  );
}
