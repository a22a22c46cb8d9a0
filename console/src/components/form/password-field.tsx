import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { t } from '../../lib/words/words.ts';

export function PasswordField(props: PasswordInputProps) {
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t('Show the password') }} required {...props} />;
}
