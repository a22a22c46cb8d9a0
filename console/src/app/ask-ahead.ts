import type { QueryClient } from '@tanstack/react-query';
import { afterPaint } from '../lib/actions/after-paint.ts';
import { appQuery, sessionQuery } from '../lib/data/queries.ts';
import type { createPages } from './router.tsx';

/**
 * Requests at once what the first page needs, its code and the session; and with a session the app that its address names, while the
 * code is still on its way.
 */
export function askAhead(pages: ReturnType<typeof createPages>, queries: QueryClient): void {
  const session = queries.ensureQueryData(sessionQuery);
  const matches = pages.matchRoutes(pages.latestLocation);
  const appId = matches.map(({ params }) => (params as { readonly appId?: string }).appId).find(Boolean);
  session.then(
    (known) => {
      if (known && appId !== undefined) void queries.prefetchQuery(appQuery(appId));
    },
    // Whoever needs the session reports that.
    () => undefined,
  );
  // If it cannot be loaded, opening the page reports that.
  afterPaint(() => {
    // If it cannot be loaded, opening the page reports that.
    for (const { routeId } of matches)
      void Promise.resolve(pages.loadRouteChunk(pages.routesById[routeId as keyof typeof pages.routesById])).catch(
        () => undefined,
      );
  });
}
