import { NativeSelect, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { type Policy, type PolicyFields, Rule } from './rule-parts.tsx';

interface Props {
  readonly fields: PolicyFields;
  /** As it is stored: what a change would mean for those who have set something up. */
  readonly stored: Policy;
}

/** What users prove beside a password, or instead of it. */
export function FactorRules({ fields, stored }: Props) {
  const { values, set, problem } = fields;
  return (
    <Stack gap="lg">
      <Rule warning={totpWarning(values.totp, stored.totp)}>
        <NativeSelect
          label={t('Second factor')}
          description={t('A code of an authenticator app, after any way to sign in but a passkey.')}
          data={[
            { value: 'off', label: t('Off: nobody is asked for one') },
            { value: 'optional', label: t('Optional: who has set up an app is asked for its code') },
            { value: 'required', label: t('Required: everybody sets one up and is asked') },
          ]}
          maw={480}
          {...fields.text('totp')}
        />
      </Rule>
      <PasskeyRules fields={fields} stored={stored} />
      <Switch
        label={t('Erasing the account takes a new sign-in')}
        description={t(
          'Users erase their own account only within ten minutes of signing in, so that nobody else does who finds a phone.',
        )}
        checked={values.selfErasure === 'fresh'}
        error={problem('selfErasure')}
        onChange={({ currentTarget }) => set('selfErasure', currentTarget.checked ? 'fresh' : 'session')}
      />
    </Stack>
  );
}

function totpWarning(totp: Policy['totp'], stored: Policy['totp']): string | undefined {
  if (totp === 'required')
    return t(
      'Whoever signed in without a second factor has to sign in again. Versions of the app that know of no second step sign nobody in.',
    );
  if (totp === 'optional')
    return t('Versions of the app that know of no second step cannot sign in those who have set one up.');
  return stored === 'off' ? undefined : t('What users have set up is kept, and asked for when you switch it on again.');
}

function PasskeyRules({ fields, stored }: Props) {
  const { passkeys } = fields.values;
  const set = (change: Partial<Policy['passkeys']>) => fields.set('passkeys', { ...passkeys, ...change });
  const isMoved = stored.passkeys.rpId !== '' && passkeys.rpId.trim() !== stored.passkeys.rpId;
  return (
    <>
      <Switch
        label={t('Passkeys')}
        description={t(
          'Users sign in with a finger, a face or a PIN, without address and password. That counts as two factors.',
        )}
        checked={passkeys.enabled}
        onChange={({ currentTarget }) => set({ enabled: currentTarget.checked })}
      />
      {passkeys.enabled && (
        <>
          <Rule
            warning={
              isMoved
                ? t('Passkeys that users have under {host} stop working.', { host: stored.passkeys.rpId })
                : undefined
            }
          >
            <TextInput
              label={t('Host name of the passkeys')}
              description={t('Passkeys are bound to it. Choose it once: it cannot be changed without losing them.')}
              placeholder="museum.example"
              maw={480}
              autoComplete="off"
              spellCheck={false}
              value={passkeys.rpId}
              error={fields.problem('passkeys.rpId')}
              onChange={({ currentTarget }) => set({ rpId: currentTarget.value })}
            />
          </Rule>
          <Textarea
            label={t('Pages and apps that may ask for a passkey')}
            description={t(
              'One a line: https://… of a page or an iOS app below the host name, or android:apk-key-hash:… of an Android app.',
            )}
            placeholder="https://app.museum.example"
            maw={480}
            rows={3}
            spellCheck={false}
            value={passkeys.origins.join('\n')}
            error={fields.problemWithin('passkeys.origins')}
            onChange={({ currentTarget }) => set({ origins: currentTarget.value.split('\n') })}
          />
        </>
      )}
    </>
  );
}

/** Without the blanks and empty lines that somebody has typed. */
export function cleanPasskeys({ rpId, origins, ...rest }: Policy['passkeys']): Policy['passkeys'] {
  return { ...rest, rpId: rpId.trim(), origins: origins.map((one) => one.trim()).filter((one) => one !== '') };
}
