import { Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { PageForm } from '../../../components/form/page-form.tsx';
import { PasswordField } from '../../../components/form/password-field.tsx';
import type { Fields } from '../../../components/form/use-fields.ts';
import { useRecordForm } from '../../../components/form/use-record-form.ts';
import { Block } from '../../../components/page/blocks.tsx';
import { adminRoles, type Role, roleOptions, roleTexts } from '../../../lib/data/access.ts';
import { call } from '../../../lib/data/api.ts';
import { waysQuery } from '../../../lib/data/queries.ts';
import type { SsoProvider } from '../../../lib/wire.ts';
import { inSentence, listed, t } from '../../../lib/words/words.ts';
import { type Reach, ReachFields, reachWords } from '../reach-fields.tsx';
import { type AppRoles, AppRolesFields } from './app-roles-fields.tsx';
import { ssoProvidersKey } from './queries.ts';
import { bodyOf, copyOf, fieldsOf, type NewSsoProvider, type SsoFields } from './sso-fields.ts';

interface Props {
  /** The provider to edit; without it, a new one is added. */
  readonly provider?: SsoProvider;
  /** The provider that a new one starts as a copy of. */
  readonly model?: SsoProvider;
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
  'appRoles',
  'appRoles.',
  'defaultRole',
  'factorValues.',
  'joinApps',
  'joinApps.',
];

/** The fields in words, to show what somebody else has changed. */
const labels: Readonly<Record<string, string>> = {
  name: t('Name'),
  clientId: t('Client id'),
  scopes: t('Scopes'),
  groupsClaim: t('Claim'),
  ...Object.fromEntries(
    adminRoles.map((role) => [role, t('Groups: {role}', { role: inSentence(roleTexts[role].label) })]),
  ),
  appRoles: t('Roles in some apps'),
  defaultRole: t('Everybody else'),
  joinApps: t('New people'),
  factorValues: t('Proof of a second factor'),
  trustsEmail: t('Its e-mail addresses are verified'),
};

export function SsoProviderForm({ provider, model, onDone }: Props) {
  const params = { providerId: provider?.providerId ?? '' };
  const shared = useRecordForm<SsoProvider, SsoFields, SsoProvider>({
    name: `sso-provider ${provider?.providerId ?? 'new'}`,
    record: provider,
    hasCredentials: true,
    ...(model ? { start: copyOf(model) } : {}),
    fieldsOf,
    bodyOf,
    read: async () => (await call('getSsoProvider', { params })).result,
    change: async (body, ifMatch) => (await call('changeSsoProvider', { params, body, ifMatch })).result,
    create: async (body) => (await call('createSsoProvider', { body: body as NewSsoProvider })).result,
    done: provider ? t('The provider is saved.') : t('Administrators can now sign in through it.'),
    refresh: [ssoProvidersKey, waysQuery.queryKey],
    after: onDone,
    labels,
    show: {
      appRoles: (all: AppRoles) =>
        all.length === 0 ? '' : listed(all.map(({ group, role }) => `${group} (${roleTexts[role].label})`)),
      defaultRole: (role: Role | '') => (role === '' ? t('Is refused') : roleTexts[role].label),
      joinApps: (reach: Reach) => reachWords(reach) ?? t('In all apps, and for the service as a whole'),
    },
  });
  const { form } = shared;
  return (
    <PageForm shared={shared} names={names} submit={provider ? t('Save') : t('Add the provider')} onCancel={onDone}>
      <Details form={form} provider={provider} />
      <Roles form={form} />
      <SomeApps form={form} />
      <NewPeople form={form} />
      <Trust form={form} />
    </PageForm>
  );
}

interface PartProps {
  readonly form: Fields<SsoFields>;
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
        {adminRoles.map((role) => (
          <Textarea
            key={role}
            label={t('Groups: {role}', { role: inSentence(roleTexts[role].label) })}
            description={t('One a line.')}
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
          {...form.text('defaultRole')}
        />
      </Stack>
    </Block>
  );
}

/** Groups that work in one of several museums, or for one customer. */
function SomeApps({ form }: PartProps) {
  return (
    <Block
      title={t('Roles in some apps')}
      about={t(
        'For whoever has none of the roles above: groups that have one in an app, or in some of its venues. People see exactly what their groups give them, and what they see follows at each sign-in.',
      )}
    >
      <AppRolesFields
        value={form.values.appRoles}
        problem={(name) => form.problemWithin(`appRoles.${name}`)}
        onChange={(appRoles) => form.set('appRoles', appRoles)}
      />
    </Block>
  );
}

/** Says that apps already given stay when this is changed. */
function NewPeople({ form }: PartProps) {
  return (
    <Block
      title={t('New people')}
      about={t(
        'Who signs in for the first time and is not invited gets this. Owners are limited to nothing. Those who are there already keep what they have.',
      )}
    >
      <ReachFields
        value={form.values.joinApps}
        error={form.problemWithin('joinApps')}
        onChange={(apps) => form.set('joinApps', apps)}
      />
      {form.values.joinApps?.length === 0 && (
        <Text mt="xs">{t('New people see no app until an owner gives them some.')}</Text>
      )}
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
          {...form.checked('trustsEmail')}
        />
      </Stack>
    </Block>
  );
}
