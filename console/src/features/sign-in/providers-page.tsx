import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { Row } from '../../components/list/row-list.tsx';
import { SectionRows } from '../../components/list/section-rows.tsx';
import { TextLink } from '../../components/names/names.tsx';
import { LinkButton } from '../../components/page/blocks.tsx';
import { BackLink } from '../../components/page/page-header.tsx';
import { useAppId, useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import type { IdentityProvider } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import { kindTexts } from './provider-fields.ts';
import { providersKey, providersQuery } from './queries.ts';

export function ProvidersPage() {
  const appId = useAppId();
  const { data, error } = useQuery(providersQuery(appId));
  const mayWrite = useMay()('signin.write');
  return (
    <SectionRows
      title={t('Sign-in')}
      about={t(
        'Besides an e-mail address and a password, people can sign in to the app through these identity providers.',
      )}
      back={<BackLink label={t('All accounts')} to="/apps/$appId/users" params={{ appId }} />}
      action={
        mayWrite && (
          <LinkButton to="/apps/$appId/sign-in/new" params={{ appId }} icon="plus">
            {t('Add an identity provider')}
          </LinkButton>
        )
      }
      rows={data}
      error={error}
      label={t('Identity providers')}
      empty={{
        icon: 'shield',
        title: t('No identity providers yet'),
        text: t(
          'People sign up and in with an e-mail address and a password. Add Google, Apple or the sign-in of your own house, and they need no further password.',
        ),
      }}
    >
      {(provider) => <Provider key={provider.objectId} appId={appId} provider={provider} />}
    </SectionRows>
  );
}

function Provider({ appId, provider }: { readonly appId: string; readonly provider: IdentityProvider }) {
  const { objectId: providerId, name, kind, issuer, audiences, acceptsTokens, enabled } = provider;
  const mayWrite = useMay()('signin.write');
  return (
    <Row
      title={
        <TextLink to="/apps/$appId/sign-in/$providerId" params={{ appId, providerId }}>
          {kind === 'oidc' ? name : kindTexts[kind]}
        </TextLink>
      }
      facts={[
        <span key="issuer" className="mono">
          {issuer}
        </span>,
        t('for {list}', { list: audiences.join(', ') }),
      ]}
      tools={
        <>
          {acceptsTokens && <Badge>{t('Tokens accepted')}</Badge>}
          <EnableSwitch
            label={t('Sign-in with {name} is switched on', { name })}
            name={t('Sign-in with {name}', { name })}
            isOn={enabled}
            isLocked={!mayWrite}
            onChange={(isOn) =>
              call('changeIdentityProvider', { params: { appId, providerId }, body: { enabled: isOn } })
            }
            refresh={[providersKey(appId)]}
            off={rich('Nobody can sign in with <b>{name}</b> until it is switched on again.', {
              name,
            })}
          />
        </>
      }
    />
  );
}
