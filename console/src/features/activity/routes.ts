import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../frame/lazy-page.ts';
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
  component: lazyPage(pages, 'EventsPage'),
});

const visits = createRoute({
  getParentRoute: () => app,
  path: '/activity/visits',
  validateSearch: readActivitySearch,
  component: lazyPage(pages, 'VisitsPage'),
});

const deliveries = createRoute({
  getParentRoute: () => app,
  path: '/activity/deliveries',
  validateSearch: readActivitySearch,
  component: lazyPage(pages, 'DeliveriesPage'),
});

const logs = createRoute({
  getParentRoute: () => app,
  path: '/activity/logs',
  validateSearch: readActivitySearch,
  component: lazyPage(pages, 'LogsPage'),
});

const event = createRoute({
  getParentRoute: () => app,
  path: '/activity/events/$eventId',
  component: lazyPage(() => import('./event-page.tsx'), 'EventPage'),
});

const delivery = createRoute({
  getParentRoute: () => app,
  path: '/activity/deliveries/$deliveryId',
  component: lazyPage(() => import('./delivery-page.tsx'), 'DeliveryPage'),
});

const whatIf = createRoute({
  getParentRoute: () => app,
  path: '/activity/what-if',
  validateSearch: ({ beacon }: Record<string, unknown>): { readonly beacon?: string } =>
    typeof beacon === 'string' ? { beacon } : {},
  component: lazyPage(() => import('./what-if-page.tsx'), 'WhatIfPage'),
});

export const activityRoutes = [whatIf, start, events, visits, deliveries, logs, event, delivery] as const;
