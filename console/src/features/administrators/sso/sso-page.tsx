import { Badge, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CopyField } from '../../../components/code/copy-field.tsx';
import { EnableSwitch } from '../../../components/form/enable-switch.tsx';
import { SectionRows } from '../../../components/list/section-rows.tsx';
import names from '../../../components/names/names.module.css';
import { Block } from '../../../components/page/block.tsx';
import blocks from '../../../components/page/blocks.module.css';
import { LinkButton } from '../../../components/page/link-button.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { call } from '../../../lib/data/api.ts';
import { waysQuery } from '../../../lib/data/queries.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { ssoPolicyQuery, ssoProvidersKey, ssoProvidersQuery } from './queries.ts';

/** Through whom administrators sign in. */
export function SsoPage() {
  const { data, error } = useQuery(ssoProvidersQuery);
  return (
    <>
      <SectionRows
        isPage
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
          <li key={providerId} className={`${blocks.row} ${blocks.stacking}`}>
            <div className={blocks.grow}>
              <div className={blocks.title}>
                <Link to="/administrators/single-sign-on/$providerId" params={{ providerId }} className={names.link}>
                  {name}
                </Link>{' '}
                {!enabled && (
                  <Badge color="gray" variant="light">
                    {t('Off')}
                  </Badge>
                )}
              </div>
              <div className={blocks.meta}>
                <span className="mono">{issuer}</span>
              </div>
            </div>
            <div className={blocks.tools}>
              <EnableSwitch
                label={t('Sign-in with {name} is switched on', { name })}
                name={t('Sign-in with {name}', { name })}
                isOn={enabled}
                isLocked={false}
                onChange={(isOn) => call('changeSsoProvider', { params: { providerId }, body: { enabled: isOn } })}
                refresh={[ssoProvidersKey, waysQuery.queryKey]}
              />
            </div>
          </li>
        )}
      </SectionRows>
      <Stack gap="md" mt="md">
        <RedirectAddress />
        {data && data.length > 0 && <OnlyWay />}
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

function OnlyWay() {
  const { data: policy } = useQuery(ssoPolicyQuery);
  const change = useAction({
    run: (only: boolean) => call('changeSsoPolicy', { body: { only } }),
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
      <Text size="sm" c="dimmed" mt="xs">
        {rich(
          'Whoever leaves the organisation is then shut out here too. Should its sign-in fail, an owner gets in with {code} on the command line.',
          { code: <span className="mono">pharos admin link</span> },
        )}
      </Text>
    </Block>
  );
}
