import { createRoute } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const senders = createRoute({
  getParentRoute: () => app,
  path: '/senders',
  component: forRoles('senders.read', () => import('./senders-page.tsx'), 'SendersPage'),
});

export const senderRoutes = [senders] as const;
