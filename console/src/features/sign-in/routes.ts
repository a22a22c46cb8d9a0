import { appPage } from '../../frame/for-roles.tsx';
import { readTexts } from '../../frame/routes.ts';

export const signInRoutes = [
  appPage('/sign-in', 'signin.read', () => import('./providers-page.tsx'), 'ProvidersPage'),
  appPage('/sign-in/new', 'signin.write', () => import('./provider-pages.tsx'), 'NewProviderPage', readTexts('from')),
  appPage('/sign-in/$providerId', 'signin.read', () => import('./provider-pages.tsx'), 'ProviderPage'),
] as const;
