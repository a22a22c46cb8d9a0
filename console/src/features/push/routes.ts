import { readListSearch } from '../../components/list/list-search.ts';
import { appPage } from '../../frame/for-roles.tsx';
import { readTexts } from '../../frame/routes.ts';
import { readDeliveriesSearch } from './delivery-search.ts';

export const pushRoutes = [
  appPage('/push', 'listPushes', () => import('./pushes-page.tsx'), 'PushesPage', readListSearch),
  appPage('/push/new', 'push.send', () => import('./compose-page.tsx'), 'ComposePage', readTexts('from')),
  appPage('/push/$pushId', 'getPush', () => import('./push-page.tsx'), 'PushPage', readDeliveriesSearch),
  appPage('/push/$pushId/edit', 'push.send', () => import('./compose-page.tsx'), 'EditPushPage'),
] as const;
