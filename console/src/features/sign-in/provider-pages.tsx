import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Deletion } from '../../components/dialogs/confirm-dialog.tsx';
import { useDeleteAsShown } from '../../components/dialogs/use-delete-as-shown.ts';
import { EditOrDelete, NewPage, RecordPage } from '../../components/page/page-header.tsx';
import { ProviderTest } from '../../components/page/test-note.tsx';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import type { IdentityProvider } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import { bodyOf, fieldsOf, kindTexts, type NewProvider } from './provider-fields.ts';
import { ProviderForm } from './provider-form.tsx';
import { providerQuery, providersKey } from './queries.ts';

const createRoute = getRouteApi('/signed-in/apps/$appId/sign-in/new');
const oneRoute = getRouteApi('/signed-in/apps/$appId/sign-in/$providerId');

export function NewProviderPage() {
  const { appId } = createRoute.useParams();
  const { from } = createRoute.useSearch();
  const navigate = useNavigate();
  const leave = () => void navigate({ to: '/apps/$appId/sign-in', params: { appId } });
  return (
    <NewPage
      title={t('Add an identity provider')}
      from={from}
      modelOf={(id) => providerQuery(appId, id)}
      note={t('The name is not copied: it tells identity providers apart.')}
    >
      {(copied) => <ProviderForm appId={appId} {...copied} onDone={leave} onCancel={leave} />}
    </NewPage>
  );
}

export function ProviderPage() {
  const { appId, providerId } = oneRoute.useParams();
  const query = useQuery(providerQuery(appId, providerId));
  const navigate = useNavigate();
  const mayWrite = useMay()('signin.write');
  const leave = () => void navigate({ to: '/apps/$appId/sign-in', params: { appId } });
  return (
    <RecordPage
      query={query}
      title={(provider) =>
        provider?.kind === 'oidc' ? provider.name : provider ? kindTexts[provider.kind] : t('Sign-in')
      }
      all={{ label: t('All identity providers'), to: '/apps/$appId/sign-in', params: { appId } }}
      action={(provider) =>
        mayWrite && (
          <EditOrDelete
            copy={{ to: '/apps/$appId/sign-in/new', params: { appId }, from: providerId }}
            deletion={<DeleteProvider appId={appId} provider={provider} />}
          />
        )
      }
    >
      {(provider) => (
        <Stack gap="md">
          {mayWrite && (
            <ProviderTest
              about={t('Reads the keys with which the issuer signs its tokens.')}
              run={() => call('testIdentityProvider', { params: { appId, providerId } })}
            />
          )}
          <ProviderForm key={providerId} appId={appId} record={provider} onDone={leave} onCancel={leave} />
        </Stack>
      )}
    </RecordPage>
  );
}

function DeleteProvider({ appId, provider }: { readonly appId: string; readonly provider: IdentityProvider }) {
  const providerId = provider.objectId;
  const params = { appId, providerId };
  const remove = useDeleteAsShown<IdentityProvider>({
    name: provider.name,
    shown: provider,
    read: async () => (await call('getIdentityProvider', { params })).result,
    send: (ifMatch) => call('deleteIdentityProvider', { params, ifMatch }),
    refresh: [providersKey(appId)],
  });
  return (
    <Deletion
      title={t('Delete the identity provider')}
      run={remove}
      done={t('The identity provider was deleted.')}
      undo={() =>
        call('createIdentityProvider', {
          params: { appId },
          body: { ...bodyOf(fieldsOf(provider)), enabled: provider.enabled } as NewProvider,
        })
      }
      refresh={[providersKey(appId)]}
      leave={{
        to: '/apps/$appId/sign-in',
        params: { appId },
        forget: providerQuery(appId, providerId).queryKey,
      }}
    >
      {rich(
        'Nobody can sign in through {issuer} any more. Accounts are kept, but people without a password or another identity cannot use theirs until you add the provider again.',
        { issuer: <b className="mono">{provider.issuer}</b> },
      )}
    </Deletion>
  );
}
