import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../frame/lazy-page.ts';
import { app } from '../../frame/routes.ts';

const page = createRoute({
  getParentRoute: () => app,
  path: '/privacy',
  component: lazyPage(() => import('./privacy-page.tsx'), 'PrivacyPage'),
});

export const privacyRoutes = [page] as const;
