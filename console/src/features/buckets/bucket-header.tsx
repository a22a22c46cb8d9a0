import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { TextLink } from '../../components/names/names.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { TabRow } from '../../components/page/tab-row.tsx';
import { t } from '../../lib/words/words.ts';

interface Props {
  readonly appId: string;
  readonly bucketName: string;
  /** The page within the bucket; by default the title is the bucket's name. */
  readonly title?: string;
  /** Which of the tabs it is, if not the records. */
  readonly part?: string;
  readonly action?: ReactNode;
}

const tabs = [
  { to: '/apps/$appId/buckets/$bucketName', label: t('Records') },
  { to: '/apps/$appId/buckets/$bucketName/schema', label: t('Schema') },
] as const;

export function BucketHeader({ appId, bucketName, title, part, action }: Props) {
  return (
    <>
      <PageHeader
        title={title ?? bucketName}
        part={part}
        within={title && bucketName}
        action={action}
        back={
          <Group gap="xs">
            <TextLink to="/apps/$appId/buckets" params={{ appId }}>
              {t('All buckets')}
            </TextLink>
            {title && (
              <>
                <span aria-hidden>/</span>
                <TextLink to="/apps/$appId/buckets/$bucketName" params={{ appId, bucketName }}>
                  {bucketName}
                </TextLink>
              </>
            )}
          </Group>
        }
      />
      {!title && (
        <TabRow label={t('Parts of the bucket')}>
          {tabs.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              params={{ appId, bucketName }}
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {label}
            </Link>
          ))}
        </TabRow>
      )}
    </>
  );
}
