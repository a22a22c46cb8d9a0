import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app, readFrom } from '../../frame/routes.ts';
import { type DeliveriesSearch, readDeliveriesSearch } from './delivery-search.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/push',
  validateSearch: readListSearch,
  component: forRoles('listPushes', () => import('./pushes-page.tsx'), 'PushesPage'),
});

const compose = createRoute({
  getParentRoute: () => app,
  path: '/push/new',
  validateSearch: readFrom,
  component: forRoles('push.send', () => import('./compose-page.tsx'), 'ComposePage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/push/$pushId',
  validateSearch: (search: Record<string, unknown>): DeliveriesSearch => readDeliveriesSearch(search),
  component: forRoles('getPush', () => import('./push-page.tsx'), 'PushPage'),
});

const edit = appPage('/push/$pushId/edit', 'push.send', () => import('./compose-page.tsx'), 'EditPushPage');

export const pushRoutes = [list, compose, one, edit] as const;
