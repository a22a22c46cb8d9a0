import { createRoute } from '@tanstack/react-router';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app, readFrom } from '../../frame/routes.ts';
import { readCallsSearch } from './words.ts';

const list = appPage('/webhooks', 'webhooks.read', () => import('./webhooks-page.tsx'), 'WebhooksPage');

const create = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/new',
  validateSearch: readFrom,
  component: forRoles('webhooks.write', () => import('./edit-pages.tsx'), 'NewWebhookPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$webhookId',
  validateSearch: readCallsSearch,
  component: forRoles('webhooks.read', () => import('./webhook-page.tsx'), 'WebhookPage'),
});

const edit = appPage(
  '/webhooks/$webhookId/edit',
  'webhooks.write',
  () => import('./edit-pages.tsx'),
  'EditWebhookPage',
);

export const webhookRoutes = [list, create, one, edit] as const;
