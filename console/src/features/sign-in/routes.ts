import { createRoute } from '@tanstack/react-router';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app, readFrom } from '../../frame/routes.ts';

const list = appPage('/sign-in', 'signin.read', () => import('./providers-page.tsx'), 'ProvidersPage');

const create = createRoute({
  getParentRoute: () => app,
  path: '/sign-in/new',
  validateSearch: readFrom,
  component: forRoles('signin.write', () => import('./provider-pages.tsx'), 'NewProviderPage'),
});

const one = appPage('/sign-in/$providerId', 'signin.read', () => import('./provider-pages.tsx'), 'ProviderPage');

export const signInRoutes = [list, create, one] as const;
