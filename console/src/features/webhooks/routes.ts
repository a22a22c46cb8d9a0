import { appPage } from '../../frame/for-roles.tsx';
import { readTexts } from '../../frame/routes.ts';
import { readCallsSearch } from './words.ts';

export const webhookRoutes = [
  appPage('/webhooks', 'webhooks.read', () => import('./webhooks-page.tsx'), 'WebhooksPage'),
  appPage('/webhooks/new', 'webhooks.write', () => import('./edit-pages.tsx'), 'NewWebhookPage', readTexts('from')),
  appPage('/webhooks/$webhookId', 'webhooks.read', () => import('./webhook-page.tsx'), 'WebhookPage', readCallsSearch),
  appPage('/webhooks/$webhookId/edit', 'webhooks.write', () => import('./edit-pages.tsx'), 'EditWebhookPage'),
] as const;
