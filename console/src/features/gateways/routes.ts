import { appPage } from '../../frame/for-roles.tsx';

const readSearch = ({ view }: Record<string, unknown>): { readonly view?: 'heard' | 'ignored' } =>
  view === 'heard' || view === 'ignored' ? { view } : {};

export const gatewayRoutes = [
  appPage('/gateways', 'listGateways', () => import('./gateways-page.tsx'), 'GatewaysPage', readSearch),
] as const;
