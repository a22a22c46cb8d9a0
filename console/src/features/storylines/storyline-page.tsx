import { Button, Group, Skeleton } from '@mantine/core';
import type { Storyline } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { LinkButton } from '../../components/page/link-button.tsx';
import { DeleteButton, RecordPage } from '../../components/page/record-page.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { scenariosOnPage, scenariosQuery, storylineKeys, storylineQuery } from './queries.ts';
import { ScenarioCard } from './scenario-card.tsx';
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
      title={(storyline) => storyline?.title ?? 'Storyline'}
      all={{ label: 'All storylines', to: '/apps/$appId/storylines', params: { appId } }}
      action={(storyline) => mayChange && <Actions appId={appId} storyline={storyline} />}
      height={300}
    >
      {(storyline) => (
        <>
          <Group mb="lg">
            <EnableSwitch
              label={`${storyline.title} is on`}
              name={storyline.title}
              text={storyline.isEnabled ? 'On: its scenarios are shown' : 'Off: its scenarios are not shown'}
              isOn={storyline.isEnabled}
              isLocked={!mayChange}
              refresh={storylineKeys(appId)}
              onChange={(isEnabled) => dataOf(appId).storylines.update(storylineId, { isEnabled })}
            />
          </Group>
          <Scenarios appId={appId} storyline={storyline} mayChange={mayChange} />
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
      Add a scenario
    </LinkButton>
  );
  if (data?.count === 0)
    return (
      <EmptyState
        icon="story"
        title="No scenarios yet"
        text="A scenario says what is shown at one or more beacons, and on which days. Without one, nothing is shown."
        action={add}
      />
    );
  return (
    <>
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={260} />}
      <ul className={classes.cards} aria-label="Scenarios">
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
              Earlier
            </Button>
            Page {page} of {pages}
            <Button variant="default" disabled={page >= pages} onClick={() => open(page + 1)}>
              Later
            </Button>
          </Group>
        )}
      </Group>
    </>
  );
}

function Actions({ appId, storyline }: StorylineProps) {
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <Group gap="xs">
      <DeleteButton onClick={() => setOpen('delete')} />
      <Button variant="default" leftSection={<Icon name="edit" size={16} />} onClick={() => setOpen('rename')}>
        Rename
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
      title="Delete the storyline"
      confirm={`Delete ${title}`}
      run={() => dataOf(appId).storylines.delete(objectId)}
      done={`${title} was deleted.`}
      refresh={storylineKeys(appId)}
      leave={{ to: '/apps/$appId/storylines', params: { appId }, forget: storylineQuery(appId, objectId).queryKey }}
    >
      <b>{title}</b> is deleted permanently
      {count > 0 ? `, with its ${count === 1 ? 'scenario' : `${count.toLocaleString('en')} scenarios`}` : ''}. To pause
      it, switch it off instead.
    </ConfirmedAction>
  );
}
