import { createRoute } from '@tanstack/react-router';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app, readTexts } from '../../frame/routes.ts';
import * as asked from './asked.ts';
import { readAnalyticsSearch } from './period.ts';

const page = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking('getVisitNumbers', (of) => [asked.visitorsAsked(of)]),
  component: forRoles('getVisitNumbers', () => import('./analytics-page.tsx'), 'AnalyticsPage'),
});

const plan = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/plan',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking('getVisitNumbers', asked.planAsked),
  component: forRoles('getVisitNumbers', () => import('./plan/plan-page.tsx'), 'PlanPage'),
});

const ways = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/ways',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking('getFlows', (of) => [asked.flowsAsked(of), asked.pathsAsked(of)]),
  component: forRoles('getFlows', () => import('./ways/ways-page.tsx'), 'WaysPage'),
});

const peaks = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/peaks',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking('getPeaks', (of) => [asked.peaksAsked(of), asked.staysAsked(of)]),
  component: forRoles('getPeaks', () => import('./peaks-page.tsx'), 'PeaksPage'),
});

const messages = createRoute({
  getParentRoute: () => app,
  path: '/activity/messages',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking('getMessageNumbers', (of) => [asked.messagesAsked(of)]),
  component: forRoles('getMessageNumbers', () => import('./messages-page.tsx'), 'MessagesPage'),
});

const walk = createRoute({
  getParentRoute: () => app,
  path: '/activity/walk',
  validateSearch: readTexts('floor'),
  loader: asked.asking('simulateWalks', () => []),
  component: forRoles('simulations.run', () => import('./stage/stage-page.tsx'), 'StagePage'),
});

export const analyticsRoutes = [
  page,
  plan,
  ways,
  peaks,
  appPage(
    '/activity/analytics/reports',
    'reports.read',
    () => import('./reports/reports-page.tsx'),
    'ReportsPage',
    readAnalyticsSearch,
  ),
  appPage(
    '/activity/analytics/reports/new',
    'reports.write',
    () => import('./reports/edit-pages.tsx'),
    'NewReportPage',
    readTexts('from'),
  ),
  appPage(
    '/activity/analytics/reports/$reportId',
    'reports.read',
    () => import('./reports/report-page.tsx'),
    'ReportPage',
  ),
  appPage(
    '/activity/analytics/reports/$reportId/edit',
    'reports.write',
    () => import('./reports/edit-pages.tsx'),
    'EditReportPage',
  ),
  messages,
  walk,
] as const;
