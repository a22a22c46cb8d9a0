import type { QueryClient } from '@tanstack/react-query';
import { afterPaint } from '../lib/actions/after-paint.ts';
import { appQuery, sessionQuery } from '../lib/data/queries.ts';
import type { createPages } from './router.tsx';

/**
 * Asks at once for what the first page needs: its code, the session, and the app that its address names. Otherwise each would be asked for
 * when the one before has arrived, which takes a phone half a second. Whoever is not signed in is refused, as by the session itself.
 */
export function askAhead(pages: ReturnType<typeof createPages>, queries: QueryClient): void {
  void queries.prefetchQuery(sessionQuery);
  const matches = pages.matchRoutes(pages.latestLocation);
  const appId = matches.map(({ params }) => (params as { readonly appId?: string }).appId).find(Boolean);
  if (appId !== undefined) void queries.prefetchQuery(appQuery(appId));
  // Who opens the page is told if it cannot be loaded.
  afterPaint(() => {
    // Who opens the page is told if it cannot be loaded.
    for (const { routeId } of matches)
      void Promise.resolve(pages.loadRouteChunk(pages.routesById[routeId as keyof typeof pages.routesById])).catch(
        () => undefined,
      );
  });
}
