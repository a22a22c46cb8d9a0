import { PharosError } from '@pharos/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../lib/data/queries.ts';

/** The cache of what is read from the service. `onSignedOut` is called when the session is no longer valid. */
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
        // A rejected request would be rejected again; only network and server errors are retried.
        retry: (count, error) =>
          count < 2 && error instanceof PharosError && (error.status === 0 || error.status >= 500),
      },
    },
  });
  return queries;
}
