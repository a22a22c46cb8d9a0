import { appPage } from '../../frame/for-roles.tsx';

const page = appPage('/privacy', 'settings.read', () => import('./privacy-page.tsx'), 'PrivacyPage');

export const privacyRoutes = [page] as const;
