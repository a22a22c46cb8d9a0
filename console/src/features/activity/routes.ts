import { createRoute, redirect } from '@tanstack/react-router';
import { appPage } from '../../frame/for-roles.tsx';
import { app, readTexts } from '../../frame/routes.ts';
import { type LogList, readActivitySearch } from './search.ts';

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

export const activityRoutes = [
  appPage(
    '/activity/what-if',
    'simulateSightings',
    () => import('./what-if-page.tsx'),
    'WhatIfPage',
    readTexts('beacon'),
  ),
  appPage('/activity', 'listEvents', () => import('./log-page.tsx'), 'LogPage', readActivitySearch),
  former('/activity/events', 'events'),
  former('/activity/visits', 'visits'),
  former('/activity/deliveries', 'deliveries'),
  former('/activity/logs', 'logs'),
  appPage('/activity/events/$eventId', 'getEvent', () => import('./event-page.tsx'), 'EventPage'),
  appPage('/activity/deliveries/$deliveryId', 'getDelivery', () => import('./delivery-page.tsx'), 'DeliveryPage'),
] as const;
