import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';
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
  /** `from`: the message to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: forRoles('push.send', () => import('./compose-page.tsx'), 'ComposePage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/push/$pushId',
  validateSearch: (search: Record<string, unknown>): DeliveriesSearch => readDeliveriesSearch(search),
  component: forRoles('getPush', () => import('./push-page.tsx'), 'PushPage'),
});

const edit = createRoute({
  getParentRoute: () => app,
  path: '/push/$pushId/edit',
  component: forRoles('push.send', () => import('./compose-page.tsx'), 'EditPushPage'),
});

export const pushRoutes = [list, compose, one, edit] as const;
