import { Box, Button, Group, Skeleton } from '@mantine/core';
import type { Storyline } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { HistoryButton } from '../../components/history/history-button.tsx';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { LinkButton } from '../../components/page/link-button.tsx';
import { DeleteButton, RecordPage } from '../../components/page/record-page.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { restoreFromTrash, trashKey } from '../../lib/data/history.ts';
import { rich, t } from '../../lib/words/words.ts';
import { copyStoryline } from './copy-storyline.ts';
import { scenariosOnPage, scenariosQuery, storylineKeys, storylineQuery } from './queries.ts';
import { ScenarioCard } from './scenario-card.tsx';
import { storylineOff, storylineStop } from './storyline-list.tsx';
import classes from './storylines.module.css';
import { TitleDialog } from './title-dialog.tsx';

const route = getRouteApi('/signed-in/apps/$appId/storylines/$storylineId');

export function StorylinePage() {
  const { appId, storylineId } = route.useParams();
  const query = useQuery(storylineQuery(appId, storylineId));
  const mayChange = useMayCall()('updateStoryline');
  return (
    <RecordPage
      query={query}
      title={(storyline) => storyline?.title ?? t('Storyline')}
      all={{ label: t('All storylines'), to: '/apps/$appId/storylines', params: { appId } }}
      action={(storyline) => <Actions appId={appId} storyline={storyline} mayChange={mayChange} />}
      height={300}
    >
      {(storyline) => (
        <>
          <Group mb="lg">
            <EnableSwitch
              label={t('{title} is on', { title: storyline.title })}
              name={storyline.title}
              text={storyline.isEnabled ? t('On: its scenarios are shown') : t('Off: its scenarios are not shown')}
              isOn={storyline.isEnabled}
              isLocked={!mayChange}
              refresh={storylineKeys(appId)}
              onChange={(isEnabled) => dataOf(appId).storylines.update(storylineId, { isEnabled })}
              off={storylineOff(storyline.title)}
            />
          </Group>
          <Scenarios appId={appId} storyline={storyline} mayChange={mayChange} />
          <Box mt="lg">
            <OwnerBlock
              appId={appId}
              name={storyline.title}
              createdBy={storyline.createdBy}
              operation="updateStorylineOwner"
              rules={{ group: 'resources', name: 'storylines' }}
              read={() => dataOf(appId).storylines.get(storylineId)}
              handOver={(userId, how) => dataOf(appId).storylines.handOver(storylineId, userId, how)}
              refresh={storylineKeys(appId)}
            />
          </Box>
        </>
      )}
    </RecordPage>
  );
}

interface StorylineProps {
  readonly appId: string;
  readonly storyline: Storyline;
}

function Scenarios({ appId, storyline, mayChange }: StorylineProps & { readonly mayChange: boolean }) {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(scenariosQuery(appId, storyline.objectId, page));
  const scenarios = data?.results ?? [];
  const names = useBeaconNames(
    appId,
    scenarios.flatMap(({ beacons }) => beacons),
  );
  const pages = Math.ceil((data?.count ?? 0) / scenariosOnPage);
  const open = (to: number) => void navigate({ search: to > 1 ? { page: to } : {} });
  const add = mayChange && (
    <LinkButton
      to="/apps/$appId/storylines/$storylineId/scenarios/new"
      params={{ appId, storylineId: storyline.objectId }}
      icon="plus"
    >
      {t('Add a scenario')}
    </LinkButton>
  );
  if (data?.count === 0)
    return (
      <EmptyState
        icon="story"
        title={t('No scenarios yet')}
        text={t(
          'A scenario says what is shown at one or more beacons, and on which days. Without one, nothing is shown.',
        )}
        action={add}
      />
    );
  return (
    <>
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={260} />}
      <ul className={classes.cards} aria-label={t('Scenarios')}>
        {scenarios.map((scenario) => (
          <ScenarioCard
            key={scenario.objectId}
            appId={appId}
            storyline={storyline}
            scenario={scenario}
            names={names}
            mayChange={mayChange}
          />
        ))}
      </ul>
      <Group mt="lg" justify="space-between">
        {add}
        {pages > 1 && (
          <Group gap="xs">
            <Button variant="default" disabled={page <= 1} onClick={() => open(page - 1)}>
              {t('Earlier')}
            </Button>
            {t('Page {page} of {pages}', { page, pages })}
            <Button variant="default" disabled={page >= pages} onClick={() => open(page + 1)}>
              {t('Later')}
            </Button>
          </Group>
        )}
      </Group>
    </>
  );
}

function Actions({ appId, storyline, mayChange }: StorylineProps & { readonly mayChange: boolean }) {
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const close = () => setOpen(undefined);
  const navigate = useNavigate();
  const copy = useAction({
    run: () => copyStoryline(appId, storyline),
    done: ({ title }) => t('{title} is added, switched off.', { title }),
    refresh: storylineKeys(appId),
    after: ({ objectId }) =>
      navigate({ to: '/apps/$appId/storylines/$storylineId', params: { appId, storylineId: objectId } }),
  });
  const history = (
    <HistoryButton
      appId={appId}
      kind="storylines"
      recordId={storyline.objectId}
      present={storyline}
      updatedAt={storyline.updatedAt}
      labels={{ title: t('Title'), isEnabled: t('On') }}
      mayChange={mayChange}
      stop={storylineStop}
      refresh={storylineKeys(appId)}
    />
  );
  if (!mayChange) return history;
  return (
    <Group gap="xs">
      <DeleteButton onClick={() => setOpen('delete')} />
      {history}
      <Button
        variant="default"
        leftSection={<Icon name="copy" size={16} />}
        loading={copy.isPending}
        onClick={() => copy.mutate()}
      >
        {t('Duplicate')}
      </Button>
      <Button variant="default" leftSection={<Icon name="edit" size={16} />} onClick={() => setOpen('rename')}>
        {t('Rename')}
      </Button>
      <TitleDialog
        key={storyline.objectId}
        appId={appId}
        storyline={storyline}
        isOpen={open === 'rename'}
        onClose={close}
        onDone={close}
      />
      <DeleteStoryline appId={appId} storyline={storyline} isOpen={open === 'delete'} onClose={close} />
    </Group>
  );
}

function DeleteStoryline({
  appId,
  storyline: { objectId, title },
  isOpen,
  onClose,
}: StorylineProps & { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { data } = useQuery(scenariosQuery(appId, objectId, 1));
  const count = data?.count ?? 0;
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={onClose}
      title={t('Delete the storyline')}
      confirm={t('Delete {title}', { title })}
      run={() => dataOf(appId).storylines.delete(objectId)}
      done={t('{title} was deleted.', { title })}
      undo={() => restoreFromTrash(appId, 'storylines', objectId)}
      refresh={[...storylineKeys(appId), trashKey(appId)]}
      leave={{ to: '/apps/$appId/storylines', params: { appId }, forget: storylineQuery(appId, objectId).queryKey }}
    >
      {rich(
        '<b>{title}</b> is deleted{hasCount, select, true {, with its {count, plural, one {scenario} other {# scenarios}}} other {}}. It stays in the trash for 30 days, from where it can be put back. To pause it, switch it off instead.',
        { title, b: (inner) => <b>{inner}</b>, count, hasCount: count > 0 },
      )}
    </ConfirmedAction>
  );
}
