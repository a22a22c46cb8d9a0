import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { appPage, forRoles } from '../../frame/for-roles.tsx';
import { app, readFrom } from '../../frame/routes.ts';

const list = appPage('/buckets', 'buckets.read', () => import('./buckets-section.tsx'), 'BucketsSection');

const records = createRoute({
  getParentRoute: () => app,
  path: '/buckets/$bucketName',
  validateSearch: readListSearch,
  component: forRoles('buckets.read', () => import('./records-page.tsx'), 'RecordsPage'),
});

const schema = appPage('/buckets/$bucketName/schema', 'getSchema', () => import('./schema-page.tsx'), 'SchemaPage');

const bringIn = appPage(
  '/buckets/$bucketName/import',
  'createRecord',
  () => import('./import-page.tsx'),
  'ImportRecordsPage',
);

const create = createRoute({
  getParentRoute: () => app,
  path: '/buckets/$bucketName/new',
  validateSearch: readFrom,
  component: forRoles('createRecord', () => import('./record-page.tsx'), 'NewRecordPage'),
});

const one = appPage(
  '/buckets/$bucketName/records/$recordId',
  'getRecord',
  () => import('./record-page.tsx'),
  'BucketRecordPage',
);

export const bucketRoutes = [list, records, schema, bringIn, create, one] as const;
