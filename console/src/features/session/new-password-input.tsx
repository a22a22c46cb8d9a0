import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { t } from '../../lib/words/words.ts';

/** Where a password is chosen; password managers offer one. */
export function NewPasswordInput({ label = t('Password'), ...field }: PasswordInputProps) {
  return (
    <PasswordInput
      label={label}
      description={t('At least 10 characters; a short sentence is good.')}
      autoComplete="new-password"
      required
      visibilityToggleButtonProps={{ 'aria-label': t('Show the password') }}
      {...field}
    />
  );
}
