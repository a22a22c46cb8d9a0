import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Block, FailureNote } from '../../../components/page/blocks.tsx';
import { t } from '../../../lib/words/words.ts';
import { pointingQuery } from './linked-records.ts';

interface Props {
  readonly appId: string;
  /** The bucket of the record. */
  readonly className: string;
  readonly objectId: string;
}

/** The records of any bucket that point to this one; nothing while there are none. */
export function PointingHere({ appId, className, objectId }: Props) {
  const { data, error } = useQuery(pointingQuery(appId, className, objectId));
  if (error) return <FailureNote message={error.message} />;
  if (!data || data.length === 0) return null;
  return (
    <Block title={t('Records that point here')}>
      {data.map(({ bucketName, member, count, records }) => (
        <div key={`${bucketName} ${member}`}>
          <Text c="dimmed">{t('{bucketName}, by {member}: {count, number}', { bucketName, member, count })}</Text>
          <ul>
            {records.map((record) => (
              <li key={record.objectId}>
                <Link
                  to="/apps/$appId/buckets/$bucketName/records/$recordId"
                  params={{ appId, bucketName, recordId: record.objectId }}
                >
                  {record.name}
                </Link>
              </li>
            ))}
          </ul>
          {count > records.length && (
            <Text c="dimmed">{t('And {count, number} more.', { count: count - records.length })}</Text>
          )}
        </div>
      ))}
    </Block>
  );
}
