import { Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { numberProps, type Policy, type PolicyProps, Rule } from './rule-parts.tsx';

export function UserRules({ fields }: PolicyProps) {
  const { values, set, problem } = fields;
  return (
    <Stack gap="lg">
      <NumberInput
        label="Days until a user has to sign in again"
        description="Counted from the last use of the app."
        min={1}
        max={3650}
        error={problem('tokenDays')}
        {...numberProps(values.tokenDays, (value) => set('tokenDays', value))}
      />
      <NumberInput
        label="Minutes until an access token is renewed"
        description="For apps that sign in with refresh tokens. Others keep one access token for the days above."
        min={1}
        max={1440}
        error={problem('tokenMinutes')}
        {...numberProps(values.tokenMinutes, (value) => set('tokenMinutes', value))}
      />
      <Rule
        warning={
          values.passwordMinLength < 8 ? 'Passwords under 8 characters are easy to guess. The default is 4.' : undefined
        }
      >
        <NumberInput
          label="Minimum password length"
          description="For new passwords; 4 to 50 characters."
          min={4}
          max={50}
          error={problem('passwordMinLength')}
          {...numberProps(values.passwordMinLength, (value) => set('passwordMinLength', value))}
        />
      </Rule>
      <TextInput
        label="Page for choosing a new password"
        description="The e-mail links to it with ?token=…. Leave it empty to use the page of this service."
        placeholder="https://"
        maw={480}
        {...fields.text('passwordResetUrl')}
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
          rateLimit.enabled ? undefined : 'Without a limit, one client can slow the service down for all others.'
        }
      >
        <Switch
          label="Limit the number of requests"
          checked={rateLimit.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
      </Rule>
      {rateLimit.enabled && (
        <Group align="flex-start" gap="lg">
          <NumberInput
            label="Requests per second"
            min={0.1}
            error={fields.problem('rateLimit.perSecond')}
            {...numberProps(rateLimit.perSecond, (perSecond) => set({ perSecond }))}
          />
          <NumberInput
            label="Burst"
            min={1}
            error={fields.problem('rateLimit.burst')}
            {...numberProps(rateLimit.burst, (burst) => set({ burst }))}
          />
        </Group>
      )}
    </Stack>
  );
}
