import type { QueryClient } from '@tanstack/react-query';
import { administratorsQuery, factorsQuery, ownSessionsQuery, sessionQuery } from '../../lib/data/queries.ts';

/** What changes when a factor does: the other sessions end too. */
export const accountKeys = [factorsQuery.queryKey, ownSessionsQuery.queryKey, administratorsQuery.queryKey];

/** There is a second factor now: everything else opens. */
export function isEnrolled(queries: QueryClient): void {
  queries.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, mustEnrol: false });
}
