import { Group, NativeSelect, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { numberProps, type Policy, type PolicyProps, Rule } from './rule-parts.tsx';

export function UserRules({ fields }: PolicyProps) {
  const { values, set, problem } = fields;
  return (
    <Stack gap="lg">
      <NumberInput
        label={t('Days until a user has to sign in again')}
        description={t('Counted from the last use of the app.')}
        min={1}
        max={3650}
        error={problem('tokenDays')}
        {...numberProps(values.tokenDays, (value) => set('tokenDays', value))}
      />
      <NumberInput
        label={t('Minutes until an access token is renewed')}
        description={t('For apps that sign in with refresh tokens. Others keep one access token for the days above.')}
        min={1}
        max={1440}
        error={problem('tokenMinutes')}
        {...numberProps(values.tokenMinutes, (value) => set('tokenMinutes', value))}
      />
      <Rule
        warning={
          values.passwordMinLength < 8
            ? t('Passwords under 8 characters are easy to guess. The default is 4.')
            : undefined
        }
      >
        <NumberInput
          label={t('Minimum password length')}
          description={t('For new passwords; 4 to 50 characters.')}
          min={4}
          max={50}
          error={problem('passwordMinLength')}
          {...numberProps(values.passwordMinLength, (value) => set('passwordMinLength', value))}
        />
      </Rule>
      <TextInput
        label={t('Page for choosing a new password')}
        description={t('The e-mail links to it with ?token=…. Leave it empty to use the page of this service.')}
        placeholder="https://"
        maw={480}
        {...fields.text('passwordResetUrl')}
      />
      <Rule
        warning={
          values.emailVerification === 'required'
            ? t(
                'Accounts whose address is not confirmed cannot sign in with a password. Check that the service sends mail.',
              )
            : undefined
        }
      >
        <NativeSelect
          label={t('Confirming the e-mail address')}
          description={t('Sign-ups and new addresses get a mail with a link.')}
          data={[
            { value: 'off', label: t('Not asked for') },
            { value: 'optional', label: t('Asked for') },
            { value: 'required', label: t('Required before a password signs in') },
          ]}
          maw={480}
          {...fields.text('emailVerification')}
        />
      </Rule>
      {values.emailVerification !== 'off' && (
        <TextInput
          label={t('Page for confirming an address')}
          description={t('The e-mail links to it with ?token=…. Leave it empty to use the page of this service.')}
          placeholder="https://"
          maw={480}
          {...fields.text('verificationUrl')}
        />
      )}
      <TextInput
        label={t('Signing in by mail')}
        description={t(
          'The address that opens the app; the e-mail links to it with ?token=…. Leave it empty, and nobody signs in by mail.',
        )}
        placeholder="museum://sign-in"
        maw={480}
        {...fields.text('signInLinkUrl')}
      />
      <TextInput
        label={t('Pairing a phone to test on')}
        description={t(
          'The address that opens the app; the QR code leads to it with ?code=…. Leave it empty if the app scans the code itself.',
        )}
        placeholder="museum://pair"
        maw={480}
        {...fields.text('pairingUrl')}
      />
    </Stack>
  );
}

export function LimitRules({ fields }: PolicyProps) {
  const { rateLimit } = fields.values;
  const set = (change: Partial<Policy['rateLimit']>) => fields.set('rateLimit', { ...rateLimit, ...change });
  return (
    <Stack gap="lg">
      <Rule
        warning={
          rateLimit.enabled ? undefined : t('Without a limit, one client can slow the service down for all others.')
        }
      >
        <Switch
          label={t('Limit the number of requests')}
          checked={rateLimit.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
      </Rule>
      {rateLimit.enabled && (
        <Group align="flex-start" gap="lg">
          <NumberInput
            label={t('Requests per second')}
            min={0.1}
            error={fields.problem('rateLimit.perSecond')}
            {...numberProps(rateLimit.perSecond, (perSecond) => set({ perSecond }))}
          />
          <NumberInput
            label={t('Burst')}
            min={1}
            error={fields.problem('rateLimit.burst')}
            {...numberProps(rateLimit.burst, (burst) => set({ burst }))}
          />
        </Group>
      )}
    </Stack>
  );
}
