import { readListSearch } from '../../components/list/list-search.ts';
import { appPage } from '../../frame/for-roles.tsx';
import { readTexts } from '../../frame/routes.ts';

export const bucketRoutes = [
  appPage('/buckets', 'buckets.read', () => import('./buckets-section.tsx'), 'BucketsSection'),
  appPage('/buckets/$bucketName', 'buckets.read', () => import('./records-page.tsx'), 'RecordsPage', readListSearch),
  appPage('/buckets/$bucketName/schema', 'getSchema', () => import('./schema-page.tsx'), 'SchemaPage'),
  appPage('/buckets/$bucketName/import', 'createRecord', () => import('./import-page.tsx'), 'ImportRecordsPage'),
  appPage(
    '/buckets/$bucketName/new',
    'createRecord',
    () => import('./record-page.tsx'),
    'NewRecordPage',
    readTexts('from'),
  ),
  appPage('/buckets/$bucketName/records/$recordId', 'getRecord', () => import('./record-page.tsx'), 'BucketRecordPage'),
] as const;
