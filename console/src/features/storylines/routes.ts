import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/storylines',
  validateSearch: readListSearch,
  component: forRoles('listStorylines', () => import('./storylines-page.tsx'), 'StorylinesPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/storylines/$storylineId',
  validateSearch: ({ page }: Record<string, unknown>): { readonly page?: number } =>
    Number.isInteger(page) && (page as number) > 1 ? { page: page as number } : {},
  component: forRoles('getStoryline', () => import('./storyline-page.tsx'), 'StorylinePage'),
});

const newScenario = createRoute({
  getParentRoute: () => app,
  path: '/storylines/$storylineId/scenarios/new',
  /** `from`: the scenario to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: forRoles('createStorylineDetail', () => import('./scenario-pages.tsx'), 'NewScenarioPage'),
});

const scenario = createRoute({
  getParentRoute: () => app,
  path: '/storylines/$storylineId/scenarios/$detailId',
  component: forRoles('getStorylineDetail', () => import('./scenario-pages.tsx'), 'ScenarioPage'),
});

export const storylineRoutes = [list, one, newScenario, scenario] as const;
