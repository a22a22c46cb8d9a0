import { Checkbox, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { PageForm } from '../../../components/form/page-form.tsx';
import { PasswordField } from '../../../components/form/password-field.tsx';
import { useFields } from '../../../components/form/use-fields.ts';
import { Block } from '../../../components/page/block.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { roleOptions, roleTexts } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import { waysQuery } from '../../../lib/data/queries.ts';
import type { SsoProvider } from '../../../lib/wire.ts';
import { inSentence, t } from '../../../lib/words/words.ts';
import { ssoProvidersKey } from './queries.ts';
import { bodyOf, fieldsOf, groupRoles, type NewSsoProvider, type SsoFields } from './sso-fields.ts';

interface Props {
  /** The provider to edit; without it, a new one is added. */
  readonly provider?: SsoProvider;
  readonly onDone: () => void;
}

const names = [
  'name',
  'issuer',
  'clientId',
  'clientSecret',
  'scopes',
  'groupsClaim',
  'roles.',
  'defaultRole',
  'factorValues.',
];

export function SsoProviderForm({ provider, onDone }: Props) {
  const form = useFields(fieldsOf(provider));
  const save = useAction({
    run: () => {
      const body = bodyOf(form.values, provider);
      return provider
        ? call('changeSsoProvider', { params: { providerId: provider.providerId }, body })
        : call('createSsoProvider', { body: body as NewSsoProvider });
    },
    done: provider ? t('The provider is saved.') : t('Administrators can now sign in through it.'),
    refresh: [ssoProvidersKey, waysQuery.queryKey],
    showsError: true,
    after: () => {
      // Nothing is left to be saved, so that leaving the page is not asked about.
      form.reset(form.current());
      onDone();
    },
  });
  return (
    <PageForm
      form={form}
      names={names}
      submit={provider ? t('Save') : t('Add the provider')}
      isBusy={save.isPending}
      onSubmit={() => save.mutate(undefined, { onError: form.setFailure })}
      onCancel={onDone}
    >
      <Details form={form} provider={provider} />
      <Roles form={form} />
      <Trust form={form} />
    </PageForm>
  );
}

interface PartProps {
  readonly form: ReturnType<typeof useFields<SsoFields>>;
}

function Details({ form, provider }: PartProps & { readonly provider: SsoProvider | undefined }) {
  return (
    <Block title={t('Details')}>
      <Stack gap="md" maw={560}>
        <TextInput
          label={t('Name')}
          description={t('On the button: Sign in with …')}
          placeholder={t('Museum account')}
          required
          {...form.text('name')}
        />
        <TextInput
          label={t('Issuer')}
          description={t('The address of the provider, letter by letter as it names itself.')}
          placeholder="https://login.museum.example"
          type="url"
          required
          readOnly={provider !== undefined}
          spellCheck={false}
          {...form.text('issuer')}
        />
        <TextInput label={t('Client id')} required spellCheck={false} autoComplete="off" {...form.text('clientId')} />
        <PasswordField
          label={t('Client secret')}
          description={
            provider?.hasSecret
              ? t('One is stored. Leave this empty to keep it.')
              : t('Of a client that has one. It is stored encrypted.')
          }
          required={false}
          autoComplete="off"
          {...form.text('clientSecret')}
        />
        <TextInput
          label={t('Scopes')}
          description={t('What is asked for. Some providers tell groups only with a scope such as groups.')}
          spellCheck={false}
          {...form.text('scopes')}
        />
      </Stack>
    </Block>
  );
}

function Roles({ form }: PartProps) {
  return (
    <Block
      title={t('Roles')}
      about={t(
        'The role follows the groups at each sign-in. Of several the first one of this list counts. Without a claim, roles are set on the page of the administrators.',
      )}
    >
      <Stack gap="md" maw={560}>
        <TextInput
          label={t('Claim')}
          description={t('That lists the groups in the ID token: its name, or a path such as realm_access.roles.')}
          placeholder={t('groups')}
          spellCheck={false}
          {...form.text('groupsClaim')}
        />
        {groupRoles.map((role) => (
          <Textarea
            key={role}
            label={t('Groups: {role}', { role: inSentence(roleTexts[role].label) })}
            description={t('One a line.')}
            autosize
            minRows={1}
            spellCheck={false}
            {...form.text(role)}
            error={form.problemWithin(`roles.${role}`)}
          />
        ))}
        <NativeSelect
          label={t('Everybody else')}
          description={t('Who is in none of the groups.')}
          data={[{ value: '', label: t('Is refused') }, ...roleOptions.filter(({ value }) => value !== 'owner')]}
          value={form.values.defaultRole}
          onChange={({ currentTarget }) => form.set('defaultRole', currentTarget.value)}
        />
      </Stack>
    </Block>
  );
}

function Trust({ form }: PartProps) {
  return (
    <Block title={t('Trust')}>
      <Stack gap="md" maw={560}>
        <Textarea
          label={t('Proof of a second factor')}
          description={t(
            'Values of the claims amr or acr that count as one, one a line. Empty: the provider proves none.',
          )}
          placeholder="mfa"
          autosize
          minRows={1}
          spellCheck={false}
          {...form.text('factorValues')}
          error={form.problemWithin('factorValues')}
        />
        <Checkbox
          label={t('Its e-mail addresses are verified')}
          description={t(
            'For providers that do not say so (email_verified), such as Entra ID. Only if nobody there can enter an address of somebody else.',
          )}
          checked={form.values.trustsEmail}
          onChange={({ currentTarget }) => form.set('trustsEmail', currentTarget.checked)}
        />
      </Stack>
    </Block>
  );
}
