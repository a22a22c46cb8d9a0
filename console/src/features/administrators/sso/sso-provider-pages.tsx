import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Deletion } from '../../../components/dialogs/confirm-dialog.tsx';
import { useDeleteAsShown } from '../../../components/dialogs/use-delete-as-shown.ts';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { CopyNote, EditOrDelete, PageHeader, RecordPage } from '../../../components/page/page-header.tsx';
import { ProviderTest } from '../../../components/page/test-note.tsx';
import { call } from '../../../lib/data/api.ts';
import { waysQuery } from '../../../lib/data/queries.ts';
import type { SsoProvider } from '../../../lib/wire.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { ssoProviderQuery, ssoProvidersKey } from './queries.ts';
import { RedirectAddress } from './sso-page.tsx';
import { SsoProviderForm } from './sso-provider-form.tsx';

const createRoute = getRouteApi('/signed-in/administrators/single-sign-on/new');
const route = getRouteApi('/signed-in/administrators/single-sign-on/$providerId');

function useLeave() {
  const navigate = useNavigate();
  return () => void navigate({ to: '/administrators/single-sign-on' });
}

export function NewSsoProviderPage() {
  const { from } = createRoute.useSearch();
  const { data: model, error } = useQuery({ ...ssoProviderQuery(from ?? ''), enabled: from !== undefined });
  const leave = useLeave();
  return (
    <>
      <PageHeader title={t('Add a provider')}>
        {t('Of OpenID Connect, through which administrators sign in.')}
      </PageHeader>
      <Stack gap="md">
        <RedirectAddress />
        <FailureNote message={error?.message} />
        {model && (
          <CopyNote>{t('The issuer and the client secret are not copied: enter those of the new provider.')}</CopyNote>
        )}
        {(from === undefined || model) && <SsoProviderForm {...(model ? { model } : {})} onDone={leave} />}
      </Stack>
    </>
  );
}

export function SsoProviderPage() {
  const { providerId } = route.useParams();
  const query = useQuery(ssoProviderQuery(providerId));
  const leave = useLeave();
  return (
    <RecordPage
      query={query}
      title={(provider) => provider?.name ?? t('Provider')}
      all={{ label: t('Single sign-on'), to: '/administrators/single-sign-on', params: {} }}
      action={(provider) => (
        <EditOrDelete
          copy={{ to: '/administrators/single-sign-on/new', params: {}, from: providerId }}
          deletion={<DeleteProvider provider={provider} />}
        />
      )}
    >
      {(provider) => (
        <Stack gap="md">
          <ProviderTest
            about={t('Reads what the provider says about itself, and the keys with which it signs.')}
            run={() => call('testSsoProvider', { params: { providerId } })}
          />
          <SsoProviderForm key={providerId} provider={provider} onDone={leave} />
        </Stack>
      )}
    </RecordPage>
  );
}

function DeleteProvider({ provider }: { readonly provider: SsoProvider }) {
  const { providerId } = provider;
  const params = { providerId };
  const remove = useDeleteAsShown<SsoProvider>({
    name: provider.name,
    shown: provider,
    read: async () => (await call('getSsoProvider', { params })).result,
    send: (ifMatch) => call('deleteSsoProvider', { params, ifMatch }),
    refresh: [ssoProvidersKey],
  });
  return (
    <Deletion
      title={t('Delete the provider')}
      run={remove}
      done={t('The provider was deleted.')}
      refresh={[ssoProvidersKey, waysQuery.queryKey]}
      leave={{
        to: '/administrators/single-sign-on',
        params: {},
        forget: ssoProviderQuery(providerId).queryKey,
      }}
    >
      {rich(
        'Nobody can sign in with <b>{name}</b> any more, and every session that began so ends. Accounts are kept.',
        { name: provider.name },
      )}
    </Deletion>
  );
}
