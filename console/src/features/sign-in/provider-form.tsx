import { Checkbox, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { PageForm } from '../../components/form/page-form.tsx';
import { type RecordFormProps, useRecordForm } from '../../components/form/use-record-form.ts';
import { Block } from '../../components/page/blocks.tsx';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import type { IdentityProvider } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import {
  audienceTexts,
  bodyOf,
  fieldsOf,
  kindOptions,
  type NewProvider,
  type ProviderFields,
  type ProviderKind,
} from './provider-fields.ts';
import { providersKey } from './queries.ts';

const names = ['kind', 'name', 'issuer', 'jwksUri', 'audiences', 'audiences.', 'roles', 'roles.'] as const;

export function ProviderForm({
  appId,
  record: provider,
  model,
  onDone,
  onCancel,
}: RecordFormProps<IdentityProvider, IdentityProvider | undefined>) {
  const params = { appId, providerId: provider?.objectId ?? '' };
  const isLocked = !useMay()('signin.write');
  const shared = useRecordForm<IdentityProvider, ProviderFields, IdentityProvider>({
    name: `identity provider ${provider?.objectId ?? `new ${model?.objectId ?? appId}`}`,
    record: provider,
    ...(model ? { start: { ...fieldsOf(model), name: '' } } : {}),
    fieldsOf,
    bodyOf,
    read: async () => (await call('getIdentityProvider', { params })).result,
    change: async (body, ifMatch) => (await call('changeIdentityProvider', { params, body, ifMatch })).result,
    create: async (body) => (await call('createIdentityProvider', { params, body: body as NewProvider })).result,
    done: provider ? t('The identity provider is saved.') : t('People can now sign in through it.'),
    refresh: [providersKey(appId)],
    after: onDone,
    labels: {
      kind: t('Provider'),
      name: t('Name'),
      issuer: t('Issuer'),
      jwksUri: t('Address of the keys'),
      audiences: t('Client ids'),
      claim: t('Claim'),
      manager: t('Values that make a manager'),
      acceptsTokens: t('Tokens as access tokens'),
    },
  });
  const { form } = shared;
  return (
    <PageForm
      shared={shared}
      names={names}
      submit={provider ? t('Save') : t('Add the identity provider')}
      isLocked={isLocked}
      onCancel={onCancel}
    >
      <Details form={form} isNew={!provider} isLocked={isLocked} />
      <Roles form={form} isLocked={isLocked} />
      <Block title={t('Tokens')}>
        <Checkbox
          label={t('Accept its tokens as access tokens')}
          description={t(
            "For apps whose users have signed in elsewhere already: the app sends the provider's JSON Web Token with each request, and nobody signs in here. An account is made when somebody first comes.",
          )}
          checked={form.values.acceptsTokens}
          disabled={isLocked}
          onChange={({ currentTarget }) => form.set('acceptsTokens', currentTarget.checked)}
        />
      </Block>
    </PageForm>
  );
}

interface PartProps {
  readonly form: ReturnType<typeof useRecordForm<IdentityProvider, ProviderFields, IdentityProvider>>['form'];
  readonly isLocked: boolean;
}

function Details({ form, isNew, isLocked }: PartProps & { readonly isNew: boolean }) {
  const { kind } = form.values;
  const { about, example } = audienceTexts[kind];
  return (
    <Block title={t('Details')}>
      <Stack gap="md" maw={560}>
        <Select
          label={t('Provider')}
          data={kindOptions}
          allowDeselect={false}
          readOnly={!isNew}
          value={kind}
          onChange={(value) => value && form.set('kind', value as ProviderKind)}
        />
        <TextInput
          label={t('Name')}
          description={t('By which the app names it when it sends a token. It stays as it is.')}
          placeholder={kind === 'oidc' ? t('staff') : kind}
          readOnly={!isNew}
          required={kind === 'oidc'}
          {...form.text('name')}
        />
        {kind === 'oidc' && (
          <>
            <TextInput
              label={t('Issuer')}
              description={t('Letter by letter as in its tokens (iss).')}
              placeholder="https://login.museum.example"
              type="url"
              required
              readOnly={!isNew}
              spellCheck={false}
              {...form.text('issuer')}
            />
            <TextInput
              label={t('Address of the keys')}
              description={t('Only if the issuer does not publish it (OpenID Connect Discovery).')}
              placeholder="https://login.museum.example/jwks.json"
              type="url"
              readOnly={isLocked}
              spellCheck={false}
              {...form.text('jwksUri')}
            />
          </>
        )}
        <Textarea
          label={t('Client ids')}
          description={t('{about} Only tokens for one of them are accepted (aud).', { about })}
          placeholder={example}
          required
          minRows={2}
          readOnly={isLocked}
          spellCheck={false}
          {...form.text('audiences')}
          error={form.problemWithin('audiences')}
        />
      </Stack>
    </Block>
  );
}

function Roles({ form, isLocked }: PartProps) {
  return (
    <Block
      title={t('Managers')}
      about={t(
        'If the provider knows who belongs to your staff, its tokens can say who is a manager in the app. Without a claim, the role is set here, on the page of the user.',
      )}
    >
      <Stack gap="md" maw={560}>
        <TextInput
          label={t('Claim')}
          description={t('Its name in the token, or a path such as realm_access.roles.')}
          placeholder={t('groups')}
          readOnly={isLocked}
          spellCheck={false}
          {...form.text('claim')}
          error={form.problemWithin('roles.claim') ?? form.problem('roles')}
        />
        <Textarea
          label={t('Values that make a manager')}
          description={t('One a line. Everybody else is a visitor, from the next sign-in on.')}
          placeholder={t('curators')}
          minRows={2}
          readOnly={isLocked}
          spellCheck={false}
          {...form.text('manager')}
          error={form.problemWithin('roles.manager')}
        />
      </Stack>
    </Block>
  );
}
