import { PharosError } from '@pharos/sdk';
import { hashKey, MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../lib/data/queries.ts';
import { isSignedOut, signingIn, tellSignedIn } from '../lib/data/signing-in.ts';
import { personOfPage, setWhosePage } from '../lib/data/whose-page.ts';

/** The cache of what is read from the service. When the session has ended, a dialog over the page asks to sign in again. */
export function createQueries(): QueryClient {
  // By then `withSession` has asked to sign in again, which may have been declined.
  const onError = (error: Error) => {
    // An owner requires it since a moment ago: the page for it opens.
    const isNews = error instanceof PharosError && error.name === 'EnrolmentNeeded';
    if (isNews) queries.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, mustEnrol: true });
  };
  const onUnread = (error: Error, query: Query<unknown, unknown>) => {
    // Without a session there is nobody who could sign in again: the sign-in page opens.
    if (isSignedOut(error) && queries.getQueryData(sessionQuery.queryKey) && !isRepeated(error, query))
      void signingIn.ask();
    onError(error);
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: onUnread }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // Waiting for the network without a word would look like a page that hangs: the request fails, and that is said.
        networkMode: 'always',
        // A rejected request would be rejected again; only network and server errors are retried.
        retry: (count, error) =>
          count < 2 && error instanceof PharosError && (error.status === 0 || error.status >= 500),
      },
      mutations: { networkMode: 'always' },
    },
  });
  // The page belongs to the administrator whose session it shows first.
  const ofSession = hashKey(sessionQuery.queryKey);
  queries.getQueryCache().subscribe(({ query }) => {
    if (query.queryHash !== ofSession) return;
    const adminId = queries.getQueryData(sessionQuery.queryKey)?.adminId;
    const isNews = adminId !== undefined && adminId !== personOfPage();
    setWhosePage(adminId);
    if (isNews) tellSignedIn();
  });
  return queries;
}

/**
 * What a page reads again by itself, every few seconds, does not ask again what a person has declined. It does when the person comes back
 * to the page, goes on to another one or does something.
 */
function isRepeated({ name }: Error, { state }: Query<unknown, unknown>): boolean {
  if (name !== 'SignedInAsAnother' || !signingIn.isDeclined()) return false;
  return state.data !== undefined || state.errorUpdateCount > 1;
}
