import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../frame/lazy-page.ts';
import { allowed, app } from '../../frame/routes.ts';
import { readCallsSearch } from './words.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/webhooks',
  beforeLoad: allowed('webhooks.read'),
  component: lazyPage(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/new',
  /** `from`: the webhook to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  beforeLoad: allowed('webhooks.write'),
  component: lazyPage(() => import('./edit-pages.tsx'), 'NewWebhookPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$webhookId',
  validateSearch: readCallsSearch,
  beforeLoad: allowed('webhooks.read'),
  component: lazyPage(() => import('./webhook-page.tsx'), 'WebhookPage'),
});

const edit = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$webhookId/edit',
  beforeLoad: allowed('webhooks.write'),
  component: lazyPage(() => import('./edit-pages.tsx'), 'EditWebhookPage'),
});

export const webhookRoutes = [list, create, one, edit] as const;
