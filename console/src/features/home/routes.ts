import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { app } from '../../frame/routes.ts';

const home = createRoute({
  getParentRoute: () => app,
  path: '/home',
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
});

export const homeRoutes = [home] as const;
