import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { isAllowed, type Permission } from '../lib/data/access.ts';
import { sessionQuery } from '../lib/data/queries.ts';
import { MissingPage } from './page-states.tsx';
import { Shell } from './shell.tsx';

export interface Context {
  readonly queries: QueryClient;
}

export const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: MissingPage });

/** Everything behind sign-in. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  async beforeLoad({ context: { queries }, location }) {
    if (await queries.ensureQueryData(sessionQuery)) return;
    const next = location.pathname === '/' ? {} : { next: location.pathname };
    throw redirect({ to: '/sign-in', search: next });
  },
  component: Shell,
});

/** One app. A feature's pages stand below it; `router.tsx` lists them. */
export const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps/$appId',
  component: lazyRouteComponent(() => import('../features/apps/app-page.tsx'), 'AppPage'),
});

/** A page for some roles only. Who may not see it is sent to the apps, which everybody may see. */
export function allowed(permission: Permission) {
  return async ({ context: { queries } }: { context: Context }) => {
    const session = await queries.ensureQueryData(sessionQuery);
    if (session && !isAllowed(session.role, permission)) throw redirect({ to: '/apps' });
  };
}
