import { PharosError } from '@pharos/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../lib/data/queries.ts';

/** What is read from the service, kept. `onSignedOut` is called when the service no longer knows the session. */
export function createQueries(onSignedOut: () => void): QueryClient {
  const onError = (error: Error) => {
    if (!(error instanceof PharosError) || error.name !== 'InvalidSessionToken') return;
    queries.setQueryData(sessionQuery.queryKey, null);
    onSignedOut();
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // What the service refuses it will refuse again; only a broken line is worth another try.
        retry: (count, error) =>
          count < 2 && error instanceof PharosError && (error.status === 0 || error.status >= 500),
      },
    },
  });
  return queries;
}
