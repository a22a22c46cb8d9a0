import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/notifications',
  validateSearch: readListSearch,
  component: forRoles('listNotifications', () => import('./notifications-page.tsx'), 'NotificationsPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/notifications/new',
  /** `from`: the notification to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: forRoles('createNotification', () => import('./notification-pages.tsx'), 'NewNotificationPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/notifications/$notificationId',
  component: forRoles('getNotification', () => import('./notification-pages.tsx'), 'NotificationPage'),
});

export const notificationRoutes = [list, create, one] as const;
