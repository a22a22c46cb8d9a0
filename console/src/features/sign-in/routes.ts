import { createRoute } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/sign-in',
  component: forRoles('signin.read', () => import('./providers-page.tsx'), 'ProvidersPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/sign-in/new',
  /** `from`: the identity provider to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: forRoles('signin.write', () => import('./provider-pages.tsx'), 'NewProviderPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/sign-in/$providerId',
  component: forRoles('signin.read', () => import('./provider-pages.tsx'), 'ProviderPage'),
});

export const signInRoutes = [list, create, one] as const;
