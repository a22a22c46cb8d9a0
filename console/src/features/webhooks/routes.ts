import { createRoute } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';
import { readCallsSearch } from './words.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/webhooks',
  component: forRoles('webhooks.read', () => import('./webhooks-page.tsx'), 'WebhooksPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/new',
  /** `from`: the webhook to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: forRoles('webhooks.write', () => import('./edit-pages.tsx'), 'NewWebhookPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$webhookId',
  validateSearch: readCallsSearch,
  component: forRoles('webhooks.read', () => import('./webhook-page.tsx'), 'WebhookPage'),
});

const edit = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$webhookId/edit',
  component: forRoles('webhooks.write', () => import('./edit-pages.tsx'), 'EditWebhookPage'),
});

export const webhookRoutes = [list, create, one, edit] as const;
