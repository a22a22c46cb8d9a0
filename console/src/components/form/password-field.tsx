import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** A password, with a button that shows it. */
export function PasswordField(props: PasswordInputProps) {
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }} required {...props} />;
}
