import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../lib/data/queries.ts';
import { lazyPage } from './lazy-page.ts';
import { Shell } from './shell.tsx';

export interface Context {
  readonly queries: QueryClient;
}

export const root = createRootRouteWithContext<Context>()({ component: Outlet });

/** Everything behind sign-in. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  async beforeLoad({ context: { queries }, location }) {
    const session = await queries.ensureQueryData(sessionQuery);
    // Until there is a second factor, the service refuses everything else.
    if (session?.mustEnrol && location.pathname !== '/account') throw redirect({ to: '/account' });
    if (session) return;
    const next = location.pathname === '/' ? {} : { next: location.pathname + location.searchStr };
    throw redirect({ to: '/sign-in', search: next });
  },
  component: Shell,
});

/** One app. The routes of the features are below it; `router.tsx` lists them. */
export const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps/$appId',
  component: lazyPage(() => import('./app-page.tsx'), 'AppPage'),
});

/** The members of an address that are texts, such as `from`: the record that the form of a new one copies. */
export const readTexts =
  <const Name extends string>(...names: readonly Name[]) =>
  (search: Readonly<Record<string, unknown>>) => {
    const given = names.filter((name) => typeof search[name] === 'string' && search[name] !== '');
    return Object.fromEntries(given.map((name) => [name, search[name]])) as { readonly [_ in Name]?: string };
  };
