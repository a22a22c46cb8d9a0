import { Badge, Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { Row, RowButton } from '../../components/list/row-list.tsx';
import { SectionRows } from '../../components/list/section-rows.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { restoreDeleted, type TrashEntry, trashKey, trashQuery, whoText } from '../../lib/data/history.ts';
import { useTimes } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';

const route = getRouteApi('/signed-in/apps/$appId/trash');

const kinds = {
  notifications: { one: t('Message'), many: t('Messages'), permission: 'content.write' },
  storylines: { one: t('Series'), many: t('Series of messages'), permission: 'content.write' },
  scenarios: { one: t('Message of a series'), many: t('Messages of a series'), permission: 'content.write' },
  beacons: { one: t('Beacon'), many: t('Beacons'), permission: 'beacons.write' },
  zones: { one: t('Zone'), many: t('Zones'), permission: 'venues.write' },
  devices: { one: t('Device'), many: t('Devices'), permission: 'devices.write' },
  records: { one: t('Record'), many: t('Records'), permission: 'records.write' },
  buckets: { one: t('Bucket'), many: t('Buckets'), permission: 'buckets.write' },
  schemas: { one: t('Schema'), many: t('Schemas'), permission: 'schemas.write' },
  files: { one: t('File'), many: t('Files'), permission: 'files.write' },
} as const;

const isKind = (kind: string): kind is keyof typeof kinds => kind in kinds;

/** What was deleted in the last thirty days, and can still be restored. */
export function TrashPage() {
  const { appId } = route.useParams();
  const { kind } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(trashQuery(appId, kind));
  const [going, setGoing] = useState<TrashEntry>();
  const rows = data?.pages.flat();
  const options = Object.entries(kinds).map(([value, { many }]) => ({ value, label: many }));
  return (
    <>
      <SectionRows
        title={t('Trash')}
        about={t(
          'What was deleted is kept here for 30 days and can be put back as it was. Nobody else sees it: visitors, apps and lists do without it. Files and buckets count against the quotas until they go.',
        )}
        rows={rows}
        error={error}
        label={t('Trash')}
        above={
          <NativeSelect
            aria-label={t('Kind')}
            mb="md"
            maw={240}
            data={[{ value: '', label: t('Everything') }, ...options]}
            value={kind ?? ''}
            onChange={({ currentTarget: { value } }) => void navigate({ search: value ? { kind: value } : {} })}
          />
        }
        empty={{
          icon: 'trash',
          title: t('The trash is empty'),
          text: t(
            'Messages, beacons, devices, files, buckets and records that somebody deletes in the console wait here for 30 days.',
          ),
        }}
      >
        {(entry) => <Entry key={entry.objectId} appId={appId} entry={entry} onForget={() => setGoing(entry)} />}
      </SectionRows>
      {hasNextPage && (
        <Button mt="md" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('Show older')}
        </Button>
      )}
      {going && <Forget appId={appId} entry={going} onClose={() => setGoing(undefined)} />}
    </>
  );
}

interface EntryProps {
  readonly appId: string;
  readonly entry: TrashEntry;
}

function Entry({ appId, entry, onForget }: EntryProps & { readonly onForget: () => void }) {
  const times = useTimes(appId);
  const queries = useQueryClient();
  const may = useMay();
  const about = isKind(entry.kind) ? kinds[entry.kind] : undefined;
  const restore = useAction({
    run: () => restoreDeleted(appId, entry.objectId),
    done: t('{title} is back.', { title: entry.title }),
    after: () => queries.invalidateQueries({ queryKey: ['apps', appId] }),
  });
  return (
    <Row
      title={
        <>
          <span>{entry.title}</span>{' '}
          <Badge color="gray" fw={500}>
            {about?.one ?? entry.kind}
          </Badge>
        </>
      }
      facts={[
        t('Deleted {minute} by {who}', { minute: times.minute(entry.deletedAt), who: whoText(entry.deletedBy) }),
        t('Goes for good on {date}', { date: times.date(entry.goesAt) }),
      ]}
      tools={
        about &&
        may(about.permission) && (
          <>
            <RowButton
              label={t('Delete for good')}
              of={t('Delete for good: {title}', { title: entry.title })}
              onClick={onForget}
            />
            <Button
              variant="filled"
              size="xs"
              aria-label={t('Restore {title}', { title: entry.title })}
              loading={restore.isPending}
              onClick={() => restore.mutate()}
            >
              {t('Restore')}
            </Button>
          </>
        )
      }
    />
  );
}

function Forget({ appId, entry, onClose }: EntryProps & { readonly onClose: () => void }) {
  return (
    <ConfirmedAction
      isOpen
      onClose={onClose}
      title={t('Delete for good')}
      run={() => call('deleteForGood', { params: { appId, trashId: entry.objectId } })}
      done={t('{title} is gone.', { title: entry.title })}
      refresh={[trashKey(appId)]}
    >
      {goneForGood(entry)}
    </ConfirmedAction>
  );
}

const goneForGood = ({ kind, title }: TrashEntry) =>
  kind === 'buckets'
    ? rich('The bucket <b>{title}</b> is removed with all its records. This cannot be undone.', { title })
    : rich('<b>{title}</b> is removed from the trash with all its earlier versions. This cannot be undone.', { title });
