import { Alert } from '@mantine/core';
import { Icon } from './icon.tsx';

/** An error that does not belong to a single field. */
export function FailureNote({ message }: { readonly message: string | undefined }) {
  if (!message) return null;
  return (
    <Alert color="red" variant="light" icon={<Icon name="warning" />} role="alert">
      {message}
    </Alert>
  );
}
