import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../frame/lazy-page.ts';
import { app } from '../../frame/routes.ts';

const home = createRoute({
  getParentRoute: () => app,
  path: '/home',
  component: lazyPage(() => import('./home-page.tsx'), 'HomePage'),
});

export const homeRoutes = [home] as const;
