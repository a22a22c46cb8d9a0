import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../frame/lazy-page.ts';
import { allowed, app } from '../../frame/routes.ts';

const senders = createRoute({
  getParentRoute: () => app,
  path: '/senders',
  beforeLoad: allowed('senders.read'),
  component: lazyPage(() => import('./senders-page.tsx'), 'SendersPage'),
});

export const senderRoutes = [senders] as const;
