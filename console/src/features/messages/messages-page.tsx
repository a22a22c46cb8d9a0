import { Group, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Bulk } from '../../components/bulk/bulk.ts';
import { BulkBar } from '../../components/bulk/bulk-bar.tsx';
import { updatedColumn } from '../../components/list/columns.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { sizeOf } from '../../components/list/list-search.ts';
import { Pager } from '../../components/list/pager.tsx';
import { SavedMenu } from '../../components/list/saved-menu.tsx';
import { SearchField } from '../../components/list/search-field.tsx';
import { EmptyState, FailureNote, LinkButton } from '../../components/page/blocks.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useMayCall, useStanding } from '../../lib/data/access.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { listedMessages } from './listed-messages.ts';
import type { Message } from './message.ts';
import { columnsOf } from './message-columns.tsx';
import { isPlainSearch, type MessageSearch, readMessageSearch } from './message-search.ts';
import { messageKeys, messagesQuery } from './message-store.ts';
import classes from './messages.module.css';
import { MoveMessages } from './move-messages.tsx';

const route = getRouteApi('/signed-in/apps/$appId/messages');

/** Switching and deleting several, however they are stored. */
const bulkOf = (appId: string): Bulk => {
  const shared = { hasSwitch: true, refresh: messageKeys(appId) } as const;
  const kinds = {
    notification: { ...shared, kind: 'notifications', change: 'patchNotification', remove: 'deleteNotification' },
    storyline: { ...shared, kind: 'storylines', change: 'patchStoryline', remove: 'deleteStoryline' },
  } as const;
  const all: Bulk = { ...shared, kind: 'messages', remove: 'deleteNotification' };
  return { ...all, kindOf: (message) => kinds[(message as Message).stored.kind] };
};

export function MessagesPage() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const mayCall = useMayCall();
  const isLimited = useStanding()?.venues !== undefined;
  const { data: messages, error } = useQuery(messagesQuery(appId, mayCall));
  const mayCreate = mayCall('createNotification');
  const action = mayCreate && (
    <LinkButton to="/apps/$appId/messages/new" params={{ appId }} icon="plus">
      {t('New message')}
    </LinkButton>
  );
  return (
    <>
      <PageHeader
        title={t('Messages')}
        action={
          <Group gap="xs">
            {!isLimited && (
              <LinkButton to="/apps/$appId/trash" params={{ appId }} icon="trash" isPlain>
                {t('Trash')}
              </LinkButton>
            )}
            {messages?.length !== 0 && action}
          </Group>
        }
      />
      <FailureNote message={error?.message} />
      {messages?.length === 0 ? (
        <EmptyState
          icon="bell"
          title={t('No messages yet')}
          text={
            mayCreate
              ? t('Write what visitors will read, and choose where and when.')
              : t('Owners, managers and editors write messages.')
          }
          action={action}
        />
      ) : (
        !error && <List appId={appId} messages={messages} search={search} mayChange={mayCall('updateNotification')} />
      )}
    </>
  );
}

interface ListProps {
  readonly appId: string;
  readonly messages: readonly Message[] | undefined;
  readonly search: MessageSearch;
  readonly mayChange: boolean;
}

function List({ appId, messages, search, mayChange }: ListProps) {
  const navigate = route.useNavigate();
  const change = (part: MessageSearch, replace = false) =>
    void navigate({ search: { ...search, page: undefined, ...part } as MessageSearch, replace });
  const times = useTimes(appId);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Message>>(new Map());
  const found = messages && listedMessages(messages, search);
  const { page = 1, order = 'name' } = search;
  const size = sizeOf(search);
  const shown = found?.slice((page - 1) * size, page * size);
  const names = useBeaconNames(
    appId,
    (shown ?? []).flatMap(({ fields }) => fields.beacons.slice(0, 3)),
  );
  const bulk = mayChange ? bulkOf(appId) : undefined;
  return (
    <>
      <div className={classes.toolbar}>
        <SearchField
          value={search.q ?? ''}
          hint={t('Search by name or text')}
          onChange={(q) => change({ q: q || undefined } as MessageSearch, true)}
        />
        <SegmentedControl
          aria-label={t('On or off')}
          data={[
            { value: '', label: t('All') },
            { value: 'on', label: t('On') },
            { value: 'off', label: t('Off') },
          ]}
          value={search.state ?? ''}
          onChange={(state) => change({ state: state || undefined } as MessageSearch)}
        />
        <SavedMenu
          list={`filters ${appId} messages`}
          kind="filter"
          present={search.q || search.state ? { q: search.q, state: search.state } : undefined}
          isValid={isPlainSearch}
          onChoose={(saved) => void navigate({ search: readMessageSearch(saved) })}
        />
      </div>
      {bulk && (
        <BulkBar
          appId={appId}
          bulk={bulk}
          chosen={chosen}
          onChosen={(ids) => setChosen(new Map([...chosen].filter(([id]) => ids.includes(id))))}
        >
          <MoveMessages appId={appId} messages={[...chosen.values()]} onMoved={() => setChosen(new Map())} />
        </BulkBar>
      )}
      {found?.length === 0 ? (
        <Text size="md" c="dimmed" ta="center" py="xl">
          {t('No {plural} match.', { plural: t('messages') })}
        </Text>
      ) : (
        <DataTable
          label={t('messages')}
          columns={[...columnsOf({ appId, names, mayChange }), updatedColumn(times)]}
          records={shown}
          keyOf={({ objectId }) => objectId}
          order={order}
          defaultOrder="name"
          onOrder={(next) => change({ order: next === 'name' ? undefined : next } as MessageSearch)}
          isBusy={false}
          selection={bulk && { chosen, onChange: setChosen, nameOf: ({ name }) => name }}
        />
      )}
      {found && (
        <Pager
          page={page}
          size={size}
          count={found.length}
          plural={t('messages')}
          onPage={(next) => change({ page: next > 1 ? next : undefined } as MessageSearch)}
          onSize={(next) => change({ size: next })}
        />
      )}
    </>
  );
}
