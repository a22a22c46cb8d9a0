import { type ListSearch, readListSearch } from '../../components/list/list-search.ts';
import { appPage } from '../../frame/for-roles.tsx';
import { readTexts } from '../../frame/routes.ts';

export interface FilesSearch extends ListSearch {
  /** The objectId of the file whose details are open. */
  readonly file?: string;
}

const readFilesSearch = (search: Record<string, unknown>): FilesSearch => ({
  ...readListSearch(search),
  ...readTexts('file')(search),
});

export const fileRoutes = [
  appPage('/files', 'listFiles', () => import('./files-page.tsx'), 'FilesPage', readFilesSearch),
] as const;
