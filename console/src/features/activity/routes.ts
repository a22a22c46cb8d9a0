import { createRoute, redirect } from '@tanstack/react-router';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';
import { readActivitySearch } from './search.ts';

const pages = () => import('./activity-pages.tsx');

const start = createRoute({
  getParentRoute: () => app,
  path: '/activity',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/apps/$appId/activity/events', params });
  },
});

const events = createRoute({
  getParentRoute: () => app,
  path: '/activity/events',
  validateSearch: readActivitySearch,
  component: forRoles('listEvents', pages, 'EventsPage'),
});

const visits = createRoute({
  getParentRoute: () => app,
  path: '/activity/visits',
  validateSearch: readActivitySearch,
  component: forRoles('listVisits', pages, 'VisitsPage'),
});

const deliveries = createRoute({
  getParentRoute: () => app,
  path: '/activity/deliveries',
  validateSearch: readActivitySearch,
  component: forRoles('listDeliveries', pages, 'DeliveriesPage'),
});

const logs = createRoute({
  getParentRoute: () => app,
  path: '/activity/logs',
  validateSearch: readActivitySearch,
  component: forRoles('listLogs', pages, 'LogsPage'),
});

const event = appPage('/activity/events/$eventId', 'getEvent', () => import('./event-page.tsx'), 'EventPage');

const delivery = appPage(
  '/activity/deliveries/$deliveryId',
  'getDelivery',
  () => import('./delivery-page.tsx'),
  'DeliveryPage',
);

const whatIf = createRoute({
  getParentRoute: () => app,
  path: '/activity/what-if',
  validateSearch: ({ beacon }: Record<string, unknown>): { readonly beacon?: string } =>
    typeof beacon === 'string' ? { beacon } : {},
  component: forRoles('simulateSightings', () => import('./what-if-page.tsx'), 'WhatIfPage'),
});

export const activityRoutes = [whatIf, start, events, visits, deliveries, logs, event, delivery] as const;
