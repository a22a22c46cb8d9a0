import { createRoute } from '@tanstack/react-router';
import { forWholeApp } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const page = createRoute({
  getParentRoute: () => app,
  path: '/privacy',
  component: forWholeApp(() => import('./privacy-page.tsx'), 'PrivacyPage'),
});

export const privacyRoutes = [page] as const;
