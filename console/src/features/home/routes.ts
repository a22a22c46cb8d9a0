import { appPage } from '../../frame/for-roles.tsx';

export const homeRoutes = [appPage('/home', 'activity.read', () => import('./home-page.tsx'), 'HomePage')] as const;
