import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../frame/lazy-page.ts';
import { allowed, app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/sign-in',
  beforeLoad: allowed('signin.read'),
  component: lazyPage(() => import('./providers-page.tsx'), 'ProvidersPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/sign-in/new',
  /** `from`: the identity provider to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  beforeLoad: allowed('signin.write'),
  component: lazyPage(() => import('./provider-pages.tsx'), 'NewProviderPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/sign-in/$providerId',
  beforeLoad: allowed('signin.read'),
  component: lazyPage(() => import('./provider-pages.tsx'), 'ProviderPage'),
});

export const signInRoutes = [list, create, one] as const;
