import { createRoute } from '@tanstack/react-router';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/gateways',
  validateSearch: ({ view }: Record<string, unknown>): { readonly view?: 'heard' | 'ignored' } =>
    view === 'heard' || view === 'ignored' ? { view } : {},
  component: forRoles('listGateways', () => import('./gateways-page.tsx'), 'GatewaysPage'),
});

export const gatewayRoutes = [list] as const;
