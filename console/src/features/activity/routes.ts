import { createRoute, redirect } from '@tanstack/react-router';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';
import { type LogList, readActivitySearch } from './search.ts';

const log = createRoute({
  getParentRoute: () => app,
  path: '/activity',
  validateSearch: readActivitySearch,
  component: forRoles('listEvents', () => import('./log-page.tsx'), 'LogPage'),
});

/** The address of a list before there was one log. */
const former = <const TPath extends string>(path: TPath, list: LogList) =>
  createRoute({
    getParentRoute: () => app,
    path,
    beforeLoad: ({ params, search }) => {
      throw redirect({
        to: '/apps/$appId/activity',
        params: params as { appId: string },
        search: { ...readActivitySearch(search), list },
      });
    },
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

export const activityRoutes = [
  whatIf,
  log,
  former('/activity/events', 'events'),
  former('/activity/visits', 'visits'),
  former('/activity/deliveries', 'deliveries'),
  former('/activity/logs', 'logs'),
  event,
  delivery,
] as const;
