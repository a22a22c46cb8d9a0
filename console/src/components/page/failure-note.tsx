import { Alert, Skeleton } from '@mantine/core';
import { Icon } from './icon.tsx';

/** An error that does not belong to a single field. */
export function FailureNote({ message }: { readonly message: string | undefined }) {
  if (!message) return null;
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert">
      {message}
    </Alert>
  );
}

interface LoadingProps {
  /** Undefined until the first answer. */
  readonly data: unknown;
  readonly error: Error | null;
  /** Of the placeholder, px. */
  readonly height: number;
}

/** What stands in the place of an answer: why there is none, or that it is on its way. */
export const Loading = ({ data, error, height }: LoadingProps) => (
  <>
    <FailureNote message={error?.message} />
    {!data && !error && <Skeleton h={height} />}
  </>
);
