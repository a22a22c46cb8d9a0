import { createRoute } from '@tanstack/react-router';
import { type ListSearch, readListSearch } from '../../components/list/list-search.ts';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

export interface FilesSearch extends ListSearch {
  /** The objectId of the file whose details are open. */
  readonly file?: string;
}

const list = createRoute({
  getParentRoute: () => app,
  path: '/files',
  validateSearch: (search: Record<string, unknown>): FilesSearch => ({
    ...readListSearch(search),
    ...(typeof search['file'] === 'string' ? { file: search['file'] } : {}),
  }),
  component: forRoles('listFiles', () => import('./files-page.tsx'), 'FilesPage'),
});

export const fileRoutes = [list] as const;
