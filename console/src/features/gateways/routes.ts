import { createRoute } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/gateways',
  component: forRoles('listGateways', () => import('./gateways-page.tsx'), 'GatewaysPage'),
});

export const gatewayRoutes = [list] as const;
