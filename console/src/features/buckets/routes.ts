import { createRoute } from '@tanstack/react-router';
import { readListSearch } from '../../components/list/list-search.ts';
import { forRoles } from '../../frame/for-roles.tsx';
import { app } from '../../frame/routes.ts';

const list = createRoute({
  getParentRoute: () => app,
  path: '/buckets',
  component: forRoles('buckets.read', () => import('./buckets-section.tsx'), 'BucketsSection'),
});

const records = createRoute({
  getParentRoute: () => app,
  path: '/buckets/$bucketName',
  validateSearch: readListSearch,
  component: forRoles('buckets.read', () => import('./records-page.tsx'), 'RecordsPage'),
});

const schema = createRoute({
  getParentRoute: () => app,
  path: '/buckets/$bucketName/schema',
  component: forRoles('getSchema', () => import('./schema-page.tsx'), 'SchemaPage'),
});

const bringIn = createRoute({
  getParentRoute: () => app,
  path: '/buckets/$bucketName/import',
  component: forRoles('createRecord', () => import('./import-page.tsx'), 'ImportRecordsPage'),
});

const create = createRoute({
  getParentRoute: () => app,
  path: '/buckets/$bucketName/new',
  /** `from`: the record to copy. */
  validateSearch: ({ from }: Record<string, unknown>): { readonly from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: forRoles('createRecord', () => import('./record-page.tsx'), 'NewRecordPage'),
});

const one = createRoute({
  getParentRoute: () => app,
  path: '/buckets/$bucketName/records/$recordId',
  component: forRoles('getRecord', () => import('./record-page.tsx'), 'BucketRecordPage'),
});

export const bucketRoutes = [list, records, schema, bringIn, create, one] as const;
