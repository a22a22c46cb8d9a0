import { Button, Group, Skeleton } from '@mantine/core';
import type { Storyline } from '@pharos/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import names from '../../components/page/names.module.css';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
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
  const { data: storyline, error } = useQuery(storylineQuery(appId, storylineId));
  const mayChange = useMayCall()('updateStoryline');
  return (
    <>
      <SectionHeader
        title={storyline?.title ?? 'Storyline'}
        action={storyline && mayChange && <Actions appId={appId} storyline={storyline} />}
      >
        <Link to="/apps/$appId/storylines" params={{ appId }} className={names.link}>
          All storylines
        </Link>
      </SectionHeader>
      <FailureNote message={error?.message} />
      {!storyline && !error && <Skeleton h={300} />}
      {storyline && (
        <>
          <Group mb="lg">
            <EnableSwitch
              label={`${storyline.title} is on`}
              text={storyline.isEnabled ? 'On: its scenarios are shown' : 'Off: none of its scenarios is shown'}
              isOn={storyline.isEnabled}
              isLocked={!mayChange}
              refresh={storylineKeys(appId)}
              onChange={(isEnabled) => dataOf(appId).storylines.update(storylineId, { isEnabled })}
            />
          </Group>
          <Scenarios appId={appId} storyline={storyline} mayChange={mayChange} />
        </>
      )}
    </>
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
  const turn = (to: number) => void navigate({ search: to > 1 ? { page: to } : {} });
  const add = mayChange && (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      component={Link}
      to="/apps/$appId/storylines/$storylineId/scenarios/new"
      params={{ appId, storylineId: storyline.objectId } as never}
    >
      Add a scenario
    </Button>
  );
  if (data?.count === 0)
    return (
      <EmptyState icon="story" title="No scenario yet" action={add}>
        A scenario says what happens at one or several beacons, and on which days. Until there is one, nothing is shown.
      </EmptyState>
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
            <Button variant="default" disabled={page <= 1} onClick={() => turn(page - 1)}>
              Earlier
            </Button>
            Page {page} of {pages}
            <Button variant="default" disabled={page >= pages} onClick={() => turn(page + 1)}>
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
      <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <Button variant="default" leftSection={<Icon name="edit" size={16} />} onClick={() => setOpen('rename')}>
        Rename
      </Button>
      <TitleDialog
        key={storyline.updatedAt}
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
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data } = useQuery(scenariosQuery(appId, objectId, 1));
  const remove = useAction({
    run: () => dataOf(appId).storylines.delete(objectId),
    done: `${title} is deleted.`,
    showsError: true,
    after: async () => {
      await navigate({ to: '/apps/$appId/storylines', params: { appId } });
      queries.removeQueries({ queryKey: storylineQuery(appId, objectId).queryKey });
      await Promise.all(storylineKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  const count = data?.count ?? 0;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Delete the storyline"
      confirm={`Delete ${title}`}
      isBusy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
    >
      <b>{title}</b> goes for good
      {count > 0 ? `, with its ${count === 1 ? 'scenario' : `${count.toLocaleString('en')} scenarios`}` : ''}. To stop
      it for a while, switch it off instead.
    </ConfirmDialog>
  );
}
