import { useQuery, useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../../lib/data/queries.ts';
import type { Session } from '../../lib/wire.ts';

/**
 * Takes the session that there is now, after somebody has signed in beside the page. Answers whether it is of whoever the page
 * belongs to; otherwise nothing on it is theirs, and nothing that waits may be done in their name.
 */
export function useSamePerson(): (now: Session) => boolean {
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const queries = useQueryClient();
  return (now) => {
    const isSame = now.email === session?.email;
    queries.setQueryData(sessionQuery.queryKey, now);
    // Read again where it is shown; `clear` would leave what is on the screen.
    if (!isSame) void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
    return isSame;
  };
}
