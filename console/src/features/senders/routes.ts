import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { allowed, app } from '../../frame/routes.ts';

const senders = createRoute({
  getParentRoute: () => app,
  path: '/senders',
  beforeLoad: allowed('senders.read'),
  component: lazyRouteComponent(() => import('./senders-page.tsx'), 'SendersPage'),
});

export const senderRoutes = [senders] as const;
