import type { QueryClient } from '@tanstack/react-query';
import { afterPaint } from '../lib/actions/after-paint.ts';
import { appQuery, sessionQuery } from '../lib/data/queries.ts';
import type { createPages } from './router.tsx';

/**
 * Requests at once what the first page needs: its code, the session, and the app that its address names. One after the other they would
 * take a phone half a second. Without a session the app is refused, like the session itself.
 */
export function askAhead(pages: ReturnType<typeof createPages>, queries: QueryClient): void {
  void queries.prefetchQuery(sessionQuery);
  const matches = pages.matchRoutes(pages.latestLocation);
  const appId = matches.map(({ params }) => (params as { readonly appId?: string }).appId).find(Boolean);
  if (appId !== undefined) void queries.prefetchQuery(appQuery(appId));
  // If it cannot be loaded, opening the page reports that.
  afterPaint(() => {
    // If it cannot be loaded, opening the page reports that.
    for (const { routeId } of matches)
      void Promise.resolve(pages.loadRouteChunk(pages.routesById[routeId as keyof typeof pages.routesById])).catch(
        () => undefined,
      );
  });
}
