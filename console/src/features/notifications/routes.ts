import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/notifications',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./notifications-page.tsx'), 'NotificationsPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/notifications/new',
  component: lazyRouteComponent(() => import('./notification-pages.tsx'), 'NewNotificationPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/notifications/$notificationId',
  component: lazyRouteComponent(() => import('./notification-pages.tsx'), 'NotificationPage'),
});

export const notificationRoutes = [list, create, one] as const;
