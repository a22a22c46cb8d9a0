import { createRoute } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { lazyPage } from '../../frame/lazy-page.ts';
import { app } from '../../frame/routes.ts';
import * as asked from './asked.ts';
import { readAnalyticsSearch } from './period.ts';

const page = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking((of) => [asked.visitorsAsked(of)]),
  component: lazyPage(() => import('./analytics-page.tsx'), 'AnalyticsPage'),
});

const plan = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/plan',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking(asked.planAsked),
  component: lazyPage(() => import('./plan/plan-page.tsx'), 'PlanPage'),
});

const ways = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/ways',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking((of) => [asked.flowsAsked(of), asked.pathsAsked(of)]),
  component: lazyPage(() => import('./ways/ways-page.tsx'), 'WaysPage'),
});

const peaks = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/peaks',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking((of) => [asked.peaksAsked(of), asked.staysAsked(of)]),
  component: lazyPage(() => import('./peaks-page.tsx'), 'PeaksPage'),
});

const messages = createRoute({
  getParentRoute: () => app,
  path: '/activity/messages',
  validateSearch: readAnalyticsSearch,
  loader: asked.asking((of) => [asked.messagesAsked(of)]),
  component: lazyPage(() => import('./messages-page.tsx'), 'MessagesPage'),
});

const walk = createRoute({
  getParentRoute: () => app,
  path: '/activity/walk',
  validateSearch: ({ floor }: Record<string, unknown>): { readonly floor?: string } =>
    typeof floor === 'string' ? { floor } : {},
  loader: asked.asking(() => []),
  component: forRoles('simulations.run', () => import('./stage/stage-page.tsx'), 'StagePage'),
});

const reports = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/reports',
  validateSearch: readAnalyticsSearch,
  component: forRoles('reports.read', () => import('./reports/reports-page.tsx'), 'ReportsPage'),
});

const newReport = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/reports/new',
  /** `from`: the report to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: forRoles('reports.write', () => import('./reports/edit-pages.tsx'), 'NewReportPage'),
});

const report = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/reports/$reportId',
  component: forRoles('reports.read', () => import('./reports/report-page.tsx'), 'ReportPage'),
});

const editReport = createRoute({
  getParentRoute: () => app,
  path: '/activity/analytics/reports/$reportId/edit',
  component: forRoles('reports.write', () => import('./reports/edit-pages.tsx'), 'EditReportPage'),
});

export const analyticsRoutes = [
  page,
  plan,
  ways,
  peaks,
  reports,
  newReport,
  report,
  editReport,
  messages,
  walk,
] as const;
