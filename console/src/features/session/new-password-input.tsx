import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** Where a password is chosen; password managers offer one. */
export function NewPasswordInput({ label = 'Password', ...field }: PasswordInputProps) {
  return (
    <PasswordInput
      label={label}
      description="At least 10 characters; a short sentence is good."
      autoComplete="new-password"
      required
      visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      {...field}
    />
  );
}
